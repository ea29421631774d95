//! The service: it reads a stream one by one and in batches, hears a Core subject, and answers.

use std::convert::Infallible;
use std::sync::Arc;

use ruststream::runtime::{
    ForReply, Names, Outgoing, PublishContext, PublishTransform, RunningApp,
};
use ruststream_nats::prelude::*;
use serde::{Deserialize, Serialize};

use crate::books::{Books, Reader};
use crate::core_load::Heard;
use crate::outages::Outages;

pub(crate) const STREAM: &str = "SOAK";
pub(crate) const STORED: &str = "soak.stored";
pub(crate) const HEARD: &str = "soak.heard";
pub(crate) const ASKED: &str = "soak.asked";

#[derive(Debug, Serialize, Deserialize, ruststream::Outgoing)]
pub(crate) struct Numbered {
    pub(crate) id: u64,
}

/// What the handlers write into.
#[derive(Clone, FromRef)]
pub(crate) struct Desk {
    pub(crate) books: Arc<Books>,
    pub(crate) heard: Arc<Heard>,
    pub(crate) outages: Arc<Outages>,
}

#[subscriber(
    JetStreamSubject::new(STORED, STREAM)
        .durable("one-by-one")
        .ack_wait(NonZeroDuration::from_secs(nonzero!(5))),
    workers(4)
)]
async fn one_by_one(
    stored: &Numbered,
    Ctx(sequence): Ctx<StreamSequence>,
    State(books): State<Arc<Books>>,
    State(outages): State<Arc<Outages>>,
) {
    books.handled(stored.id, Reader::OneByOne, sequence, &outages);
}

#[subscriber(
    JetStreamSubject::new(STORED, STREAM)
        .durable("in-batches")
        .ack_wait(NonZeroDuration::from_secs(nonzero!(5)))
        .pull_expires(NonZeroDuration::from_millis(nonzero!(500)))
)]
async fn in_batches(
    stored: &[Numbered],
    State(books): State<Arc<Books>>,
    State(outages): State<Arc<Outages>>,
) -> HandlerOutcome {
    for message in stored {
        books.handled(message.id, Reader::InBatches, None, &outages);
    }
    HandlerOutcome::ack()
}

#[subscriber(CoreSubject::new(HEARD))]
async fn hear(
    message: &Numbered,
    State(heard): State<Arc<Heard>>,
    State(outages): State<Arc<Outages>>,
) {
    heard.one(message.id, &outages);
}

#[subscriber(CoreSubject::new(ASKED).queue_group("desk"), reply("soak.unasked"), workers(4))]
async fn answer(asked: &Numbered) -> Numbered {
    Numbered { id: asked.id }
}

/// Answers where the question came from.
#[derive(Clone, Copy)]
struct ToInbox;

impl<C, Options> PublishTransform<ForReply<C>, Options> for ToInbox {
    type Destination = Names;

    fn apply(
        &self,
        out: &mut Outgoing<'_>,
        _options: &mut Option<Options>,
        context: &PublishContext<'_, C>,
    ) {
        if let Some(inbox) = context.headers().reply_to() {
            out.set_name(inbox.to_owned());
        }
    }
}

pub(crate) async fn started(broker: NatsBroker, desk: Desk) -> RunningApp {
    let app = RustStream::new(AppInfo::new("soak", "1.0.0"))
        .on_startup(async move |()| Ok::<_, Infallible>(desk))
        .with_broker(broker, |b| {
            b.include(one_by_one);
            b.include(in_batches.batch(nonzero!(200)));
            b.include(hear);
            b.include(answer).out_reply(Publish).transform(ToInbox);
        });
    app.start().await.expect("starts")
}
