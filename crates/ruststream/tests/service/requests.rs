//! Requests: what they pass by, and who answers them.

use std::time::Duration;

use ruststream::memory::prelude::*;
use ruststream::memory::{ConnectedMemoryBroker, MemoryRequester, RequestError};
use ruststream::runtime::{
    BrokerScope, Identity, Outgoing, PublishContext, PublishLayer, PublishNext, PublishPipeline,
    PublishStack,
};
use ruststream::{OutgoingFor, OutgoingMessage, PairError};
use serde::{Deserialize, Serialize};

use crate::support::{Backwards, Journal, service};

/// Marks all that a slot or the app composes onto a message.
#[derive(Clone)]
struct Mark;

impl<K: ContextKind, Options> PublishTransform<K, Options> for Mark {
    type Destination = Reads;

    fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {
        out.headers_mut().insert("transform", "1");
    }
}

impl PublishLayer for Mark {
    async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
        &'a self,
        out: &'a mut Outgoing<'a>,
        next: PublishNext<'a, N, P>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        out.headers_mut().insert("layer", "1");
        next.run(out).await
    }
}

/// Pairs with a requester that has constants of its own.
struct Asking;

struct Asker {
    inner: MemoryRequester,
    base: HeaderMap,
}

impl PublishPolicy<ConnectedMemoryBroker> for Asking {
    type Live = Asker;

    async fn pair(self, connected: &ConnectedMemoryBroker) -> Result<Asker, PairError> {
        Ok(Asker {
            inner: Request.pair(connected).await?,
            base: HeaderMap::from_iter([("base", "1")]),
        })
    }
}

impl Publisher for Asker {
    type Payload = <MemoryRequester as Publisher>::Payload;
    type Error = RequestError;
    type Options = ();

    async fn publish(
        &self,
        message: OutgoingFor<'_, Self::Payload>,
        options: Option<&()>,
    ) -> Result<(), RequestError> {
        self.inner.publish(message, options).await
    }

    fn base_headers(&self) -> Option<&HeaderMap> {
        Some(&self.base)
    }
}

impl RequestReply for Asker {
    type Reply = <MemoryRequester as RequestReply>::Reply;

    async fn request(
        &self,
        message: OutgoingFor<'_, Self::Payload>,
        timeout: Duration,
    ) -> Result<Self::Reply, RequestError> {
        self.inner.request(message, timeout).await
    }
}

#[derive(Serialize, Deserialize, Outgoing)]
struct Question(u32);

#[derive(Serialize, Outgoing)]
struct Answer(u32);

const PATIENCE: Duration = Duration::from_secs(5);

/// Asks in both ways, and publishes.
#[subscriber("starts")]
async fn asks(_start: &u32, ctx: &mut Context<'_, (), Journal>, Out(out): Out<impl RequestReply>) {
    let journal = ctx.state().clone();
    let raw = OutgoingMessage::new("questions", b"12");
    let reply = RequestReply::request(out, raw, PATIENCE).await;
    let text = |payload: &[u8]| String::from_utf8_lossy(payload).into_owned();
    match reply {
        Ok(reply) => journal.note(format!("raw answer {}", text(reply.payload()))),
        Err(error) => journal.note(format!("no answer: {error}")),
    }
    let typed = out.message(&Question(12)).to("questions");
    match typed.request(PATIENCE).await {
        Ok(reply) => journal.note(format!("typed answer {}", text(reply.payload()))),
        Err(error) => journal.note(format!("no answer: {error}")),
    }
    let told = out.message(&Question(12)).to("notices").publish().await;
    told.expect("publishes");
}

/// What a message carries, an inbox by its kind.
fn note(journal: &Journal, what: &str, number: u32, headers: &HeaderMap) {
    let mut carried: Vec<_> = headers
        .iter()
        .map(|(name, value)| {
            if value.starts_with(b"_inbox.") {
                format!(" {name}=inbox")
            } else {
                format!(" {name}={}", String::from_utf8_lossy(value))
            }
        })
        .collect();
    carried.sort();
    journal.note(format!("{what} {number}{}", carried.concat()));
}

/// Answers where the question says, by a transform.
struct ToAsker;

impl<C, Options> PublishTransform<ForReply<C>, Options> for ToAsker {
    type Destination = Names;

    fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, cx: &PublishContext<'_, C>) {
        if let Some(inbox) = cx.headers().reply_to() {
            out.set_name(inbox.to_owned());
        }
    }
}

#[subscriber("questions", reply("answers"))]
async fn by_reply(question: &Question, ctx: &mut Context<'_, (), Journal>) -> Answer {
    note(ctx.state(), "question", question.0, ctx.headers());
    Answer(question.0 * 2)
}

#[subscriber("questions")]
async fn by_slot(
    question: &Question,
    ctx: &mut Context<'_, (), Journal>,
    Out(out): Out<impl Publisher>,
) -> HandlerOutcome {
    note(ctx.state(), "question", question.0, ctx.headers());
    let Some(inbox) = ctx.headers().reply_to() else {
        return HandlerOutcome::drop();
    };
    match out
        .message(&Answer(question.0 * 2))
        .to(inbox)
        .publish()
        .await
    {
        Ok(()) => HandlerOutcome::ack(),
        Err(_) => HandlerOutcome::retry(),
    }
}

#[subscriber("notices")]
async fn hears(notice: &Question, ctx: &mut Context<'_, (), Journal>) {
    note(ctx.state(), "notice", notice.0, ctx.headers());
}

type Scope = BrokerScope<
    MemoryBroker,
    Identity,
    (),
    Journal,
    PublishStack<Mark, ruststream::runtime::PublishIdentity>,
>;

async fn asked(mount: impl FnOnce(&mut Scope)) -> Vec<String> {
    let journal = Journal::default();
    let state = journal.clone();
    let broker = MemoryBroker::new();
    let app = service()
        .publish_layer(Mark)
        .on_startup(async move |()| Ok::<_, std::convert::Infallible>(state))
        .with_broker(broker.clone(), |b| {
            b.include(asks)
                .out(DefaultSlot, Asking)
                .codec(Backwards)
                .transform(Mark)
                .build();
            b.include(hears);
            mount(b);
        });
    let running = app.start().await.expect("starts");
    let start = broker.publisher();
    start
        .message(&Question(0))
        .to("starts")
        .publish()
        .await
        .expect("publishes");
    journal.until_count(1, "notice").await;
    running.shutdown().await.expect("stops");
    journal.take()
}

// PUB-723, PUB-724, PUB-725, PUB-720
#[tokio::test]
async fn a_request_passes_what_its_slot_composes_by_and_ordinary_handlers_answer() {
    let mounts: [fn(&mut Scope); 2] = [
        |b| drop(b.include(by_reply).out_reply(Publish).transform(ToAsker)),
        |b| b.include(by_slot).out(DefaultSlot, Publish).build(),
    ];
    for mount in mounts {
        let told = asked(mount).await;

        let expected = [
            // As the body made it: no codec, no base, no transform, no layer.
            "question 12 reply-to=inbox",
            "raw answer 24",
            // The slot's codec and the handle's base, as a publish has them.
            "question 21 base=1 reply-to=inbox",
            "typed answer 42",
            "notice 21 base=1 layer=1 transform=1",
        ];
        assert_eq!(told, expected);
    }
}
