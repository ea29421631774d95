//! What a body learns beside its message: context, extractors, state.

use std::sync::Arc;

use ruststream::memory::PARTITION_KEY_HEADER;
use ruststream::memory::prelude::*;
use ruststream::runtime::{
    BlanketLayer, BrokerScope, Handler, Identity, Layer, Outgoing, PublishContext,
};
use ruststream::{HeaderMap, OutgoingMessage};
use serde::{Deserialize, Serialize};

use crate::support::{
    Count, Journal, Letter, Note, Publish as ToYard, Stamp, Transport, Yard, lines, service,
    service_with,
};

#[derive(FromRef)]
struct Depot {
    journal: Journal,
    city: City,
    #[from_ref(skip)]
    opened: u32,
}

#[derive(Clone)]
struct City(&'static str);

type Scope = BrokerScope<Yard, Identity, (), Depot>;

async fn run(letters: Vec<Letter>, mount: impl FnOnce(&mut Scope)) -> (Yard, Vec<String>) {
    let yard = Yard::new(Transport::PLAIN);
    let count = letters.len();
    letters
        .into_iter()
        .for_each(|letter| yard.send("parcels", letter));
    let state = Depot {
        journal: yard.journal().clone(),
        city: City("Bern"),
        opened: 1848,
    };
    let app = service_with(state).with_broker(yard.clone(), mount);
    let running = app.start().await.expect("starts");
    let settled = |line: &&String| line.starts_with("ack") || line.starts_with("drop");
    yard.journal()
        .until(|lines| lines.iter().filter(settled).count() == count)
        .await;
    running.shutdown().await.expect("stops");
    let mut told = yard.journal().take();
    let around = ["connect", "pair", "open ", "close", "shutdown"];
    told.retain(|line| !around.iter().any(|start| line.starts_with(start)));
    (yard, told)
}

#[subscriber("parcels")]
async fn looks_around(
    id: &u32,
    ctx: &mut Context<'_, Stamp, Depot>,
    Ctx(count): Ctx<Count>,
    State(City(city)): State<City>,
) {
    let (name, opened) = (ctx.name(), ctx.state().opened);
    let (count_too, note) = (ctx.context(Count), ctx.context(Note));
    let tenant = ctx.headers().get_str("tenant").unwrap_or("nobody");
    let told =
        format!("{id} of {tenant} on {name} in {city} since {opened}: {count} {count_too} {note}");
    ctx.state().journal.note(told);
}

// RUN-380, RUN-386, RUN-387, RUN-260 step 1
#[tokio::test]
async fn a_body_reads_its_delivery_and_the_state_of_the_service() {
    let letter = Letter::new(7)
        .with("tenant", "north")
        .with("note", "fragile")
        .delivered(3);

    let (_, told) = run(vec![letter], |b| drop(b.include(looks_around))).await;

    let line = "7 of north on parcels in Bern since 1848: 3 3 fragile";
    assert_eq!(lines(&told), [line, "ack 7"]);
}

/// Says when it is asked, and refuses where the header says so.
struct Stage<const NUMBER: u32>;

impl<const NUMBER: u32, C: Send> FromContext<C, Depot> for Stage<NUMBER> {
    type Rejection = HandlerOutcome;

    async fn from_context(ctx: &mut Context<'_, C, Depot>) -> Result<Self, HandlerOutcome> {
        let journal = ctx.state().journal.clone();
        journal.note(format!("stage {NUMBER}"));
        let refuses = ctx.headers().get_str("refuses") == Some(&NUMBER.to_string());
        if refuses {
            let hook = async move { journal.note("hook of a refusal") };
            ctx.after(HandlerOutcome::drop()).then(hook);
            return Err(HandlerOutcome::drop());
        }
        Ok(Self)
    }
}

#[subscriber("parcels")]
async fn staged(
    id: &u32,
    _one: Stage<1>,
    State(journal): State<Journal>,
    _two: Stage<2>,
    _three: Stage<3>,
) {
    journal.note(format!("body {id}"));
}

#[subscriber("parcels")]
async fn staged_batch(ids: &[u32], _one: Stage<1>, State(journal): State<Journal>, _two: Stage<2>) {
    journal.note(format!("body {ids:?}"));
}

// RUN-260 step 6, RUN-385, RUN-389
#[tokio::test]
async fn extractors_run_in_order_after_decoding_and_the_first_refusal_settles() {
    let (_, told) = run(vec![Letter::new("torn"), Letter::new(7)], |b| {
        drop(b.include(staged))
    })
    .await;
    assert_eq!(
        lines(&told),
        [
            "drop torn",
            "stage 1",
            "stage 2",
            "stage 3",
            "body 7",
            "ack 7"
        ]
    );

    let refused = Letter::new(7).with("refuses", "2");
    let (_, told) = run(vec![refused], |b| drop(b.include(staged))).await;
    assert_eq!(
        lines(&told),
        ["stage 1", "stage 2", "drop 7", "hook of a refusal"]
    );
}

/// Refuses all that it is asked for.
struct Never;

impl<C: Send> FromContext<C, Depot> for Never {
    type Rejection = HandlerOutcome;

    async fn from_context(_ctx: &mut Context<'_, C, Depot>) -> Result<Self, HandlerOutcome> {
        Err(HandlerOutcome::drop())
    }
}

#[subscriber("parcels")]
async fn never(_ids: &[u32], _never: Never) {
    unreachable!("it was refused")
}

// RUN-368, RUN-367
#[tokio::test]
async fn a_batch_is_extracted_for_once_and_refused_as_a_whole() {
    let letters = || vec![Letter::new(7).with("refuses", "1"), Letter::new(8)];
    // A batch shows no headers, so nothing here refuses.
    let (_, told) = run(letters(), |b| {
        drop(b.include(staged_batch.batch(nonzero!(8))))
    })
    .await;
    assert_eq!(
        lines(&told),
        ["stage 1", "stage 2", "body [7, 8]", "ack 7", "ack 8"]
    );

    let (_, told) = run(letters(), |b| drop(b.include(never.batch(nonzero!(8))))).await;
    assert_eq!(lines(&told), ["drop 7", "drop 8"]);
}

#[subscriber("parcels")]
async fn batch_context(ids: &[u32], ctx: &mut Context<'_, Stamp, Depot>) {
    let headers = ctx.headers().len();
    let line = format!(
        "{ids:?} on {}: {} {} {headers}",
        ctx.name(),
        ctx.context(Count),
        ctx.context(Note)
    );
    ctx.state().journal.note(line);
}

// RUN-367, trap 29
#[tokio::test]
async fn the_context_of_a_batch_is_that_of_its_first_delivery_though_it_does_not_decode() {
    let letters = vec![
        Letter::new("torn").with("note", "first").delivered(3),
        Letter::new(8)
            .with("note", "second")
            .with("tenant", "north"),
    ];

    let (_, told) = run(letters, |b| {
        drop(b.include(batch_context.batch(nonzero!(8))))
    })
    .await;

    assert_eq!(
        lines(&told),
        ["drop torn", "[8] on parcels: 3 first 0", "ack 8"]
    );
}

/// Writes over what the delivery says.
#[derive(Clone)]
struct Customs;

struct Cleared<H>(H);

impl<H> Layer<H> for Customs {
    type Handler = Cleared<H>;

    fn layer(&self, inner: H) -> Cleared<H> {
        Cleared(inner)
    }
}

impl<M: Sync, S: Send + Sync, H: Handler<M, Stamp, S>> Handler<M, Stamp, S> for Cleared<H> {
    async fn handle(&self, message: &M, ctx: &mut Context<'_, Stamp, S>) -> HandlerOutcome {
        ctx.set(Note, format!("{} and cleared", ctx.context(Note)));
        ctx.headers_mut().insert("tenant", "customs");
        self.0.handle(message, ctx).await
    }
}

#[derive(Debug, Deserialize)]
struct Tenant {
    tenant: String,
}

#[derive(Serialize, Outgoing)]
struct Label(String);

#[subscriber("parcels", reply("labels"))]
async fn cleared(
    parcel: &Message<Tenant, u32>,
    ctx: &mut Context<'_, Stamp, Depot>,
    Headers(tenant): Headers<Tenant>,
    Out(out): Out<impl Publisher>,
) -> Label {
    let line = format!(
        "{} typed {}, working {}",
        ctx.context(Note),
        parcel.headers.tenant,
        tenant.tenant
    );
    ctx.state().journal.note(line);
    ctx.headers_mut().insert("seen", "by the body");
    let _ = out
        .message(&Label(parcel.body.to_string()))
        .to("slots")
        .publish()
        .await;
    Label(parcel.body.to_string())
}

/// Puts what it sees of the delivery into the reply.
struct Witness;

impl<Options> PublishTransform<ForReply<Stamp>, Options> for Witness {
    type Destination = Reads;

    fn apply(
        &self,
        out: &mut Outgoing<'_>,
        _: &mut Option<Options>,
        cx: &PublishContext<'_, Stamp>,
    ) {
        let header = |name| cx.headers().get_str(name).unwrap_or("none");
        let seen = format!(
            "{} {} {}",
            header("tenant"),
            header("seen"),
            cx.context(Note)
        );
        out.headers_mut().insert("witness", seen);
    }
}

// RUN-380, RUN-381, RUN-388, RUN-390, RUN-191, trap 27
#[tokio::test]
async fn what_a_layer_writes_is_seen_by_later_readers_and_leaves_with_nothing() {
    let letter = Letter::new(7)
        .with("tenant", "north")
        .with("note", "fragile");

    let (yard, told) = run(vec![letter], |b| {
        // `Customs` wraps handlers under that context alone, so it goes around a route.
        let routes = Router::new()
            .include(cleared)
            .out(DefaultSlot, ToYard::default())
            .out_reply(ToYard::default())
            .transform(Witness)
            .build();
        b.include_router(routes);
    })
    .await;
    assert_eq!(told[0], "fragile typed north, working north");
    let reply = &yard.waiting("labels")[0].headers;
    assert_eq!(reply.get_str("witness"), Some("north by the body fragile"));
    assert!(
        !reply.contains("tenant") && !reply.contains("seen"),
        "{reply:?}"
    );
    assert!(yard.waiting("slots")[0].headers.is_empty());

    let letter = Letter::new(7)
        .with("tenant", "north")
        .with("note", "fragile");
    let (_, told) = run(vec![letter], |b| {
        b.include_router(Router::new().include(declared).layer(Customs));
    })
    .await;
    assert_eq!(told[0], "fragile and cleared typed north, working customs");
}

#[subscriber("parcels")]
async fn declared(
    parcel: &Message<Tenant, u32>,
    ctx: &mut Context<'_, Stamp, Depot>,
    Headers(tenant): Headers<Tenant>,
) {
    let line = format!(
        "{} typed {}, working {}",
        ctx.context(Note),
        parcel.headers.tenant,
        tenant.tenant
    );
    ctx.state().journal.note(line);
}

/// Asks for nothing.
#[derive(Clone)]
struct Blind;

struct Blinded<H>(H);

impl<M: Sync, C: Send, S: Send + Sync, H: Handler<M, C, S>> Handler<M, C, S> for Blinded<H> {
    async fn handle(&self, message: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        self.0.handle(message, ctx).await
    }
}

impl BlanketLayer for Blind {
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        Blinded(handler)
    }
}

#[subscriber("parcels", reply("labels"))]
async fn blind(id: &u32) -> Label {
    Label(id.to_string())
}

#[subscriber("parcels")]
async fn curious(id: &u32, ctx: &mut Context<'_, (), Depot>, Headers(tenant): Headers<Tenant>) {
    let again = ctx.headers().get_str("tenant").map(ToOwned::to_owned);
    ctx.headers_mut().insert("seen", "yes");
    ctx.state()
        .journal
        .note(format!("{id} of {} and {again:?}", tenant.tenant));
}

#[subscriber("parcels")]
async fn stubborn(_id: &u32) -> HandlerOutcome {
    HandlerOutcome::retry()
}

// RUN-262, RUN-352, trap 26
#[tokio::test]
async fn the_headers_of_a_delivery_are_asked_for_once_at_most_and_not_without_a_reader() {
    let letter = || Letter::new(7).with("tenant", "north");
    let (yard, _) = run(vec![letter()], |b| {
        b.include_router(Router::new().layer(Blind).include(blind).build());
    })
    .await;
    assert_eq!(yard.headers_asked(), 0, "nobody reads them");

    let (yard, _) = run(vec![letter()], |b| drop(b.include(curious))).await;
    assert_eq!(yard.headers_asked(), 1, "however many read them");

    let (yard, _) = run(vec![letter()], |b| {
        drop(b.include(stubborn).max_attempts(nonzero!(1u32)))
    })
    .await;
    assert_eq!(yard.headers_asked(), 1, "a declared cap is one reader");
}

#[subscriber("parcels", threads(1))]
async fn on_a_thread(id: &u32, ctx: &mut Context<'_, (), Depot>, Ctx(main): Ctx<MainRuntime>) {
    let here = || std::thread::current().name().unwrap_or("none").to_owned();
    let (body, journal) = (here(), ctx.state().journal.clone());
    let ran = main.run(async move { here() }).await.expect("runs");
    let spawned = ctx
        .main_runtime()
        .spawn(async move { here() })
        .await
        .expect("runs");
    journal.note(format!(
        "{id} on {body}, run on {ran}, spawned on {spawned}"
    ));
    // Nobody polls it, and it runs nevertheless.
    drop(main.run(async move { journal.note("started at the call") }));
}

// RUN-226, RUN-229
#[tokio::test]
async fn a_body_on_a_thread_reaches_the_runtime_that_started_the_service() {
    let here = std::thread::current().name().unwrap_or("none").to_owned();

    let (yard, told) = run(vec![Letter::new(7)], |b| drop(b.include(on_a_thread))).await;

    let line = format!("7 on parcels/0, run on {here}, spawned on {here}");
    assert!(told.contains(&line), "{told:?}");
    if !told.iter().any(|line| line == "started at the call") {
        yard.journal().until_line("started at the call").await;
    }
}

/// A message on a memory broker, with a key and nothing else.
async fn send<Log: ruststream::memory::LogMode>(broker: &MemoryBroker<Log>, number: u32) {
    let headers = HeaderMap::from_iter([(PARTITION_KEY_HEADER, "same")]);
    let payload = BytesMut::from(number.to_string().as_bytes());
    let message = OutgoingMessage::produced("parcels", payload).with_headers(headers);
    broker
        .publisher()
        .publish(message, None)
        .await
        .expect("publishes");
}

#[subscriber(MemorySource)]
async fn positioned(
    id: &u32,
    ctx: &mut Context<'_, MemoryContext, Journal>,
    Ctx(position): Ctx<Position>,
) {
    ctx.state().note(format!("{id} at {position:?}"));
    // Once, it goes back by one.
    if *id == 12 && ctx.state().beginning("12").len() == 1 {
        ctx.context(SeekHandle)
            .seek(MemoryPosition::sequence(1))
            .await
            .expect("seeks");
    }
}

#[subscriber(MemorySource)]
async fn positioned_batch(ids: &[u32], ctx: &mut Context<'_, MemoryBatchContext, Journal>) {
    ctx.state().note(format!("batch {ids:?}"));
    if ctx.state().beginning("batch").len() == 1 {
        ctx.context(SeekHandle)
            .seek(MemoryPosition::start())
            .await
            .expect("seeks");
    }
}

// RUN-155, RUN-360, RUN-370, RUN-380, RUN-387
#[tokio::test]
async fn contexts_of_a_broker_with_a_log_read_positions_and_go_back() {
    let start = MemoryPosition::sequence(1);
    let journal = Journal::default();
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(16)));
    for number in 10..13 {
        send(&broker, number).await;
    }
    let app = service_with(journal.clone()).with_broker(broker.clone(), |b| {
        b.include(positioned.name("parcels").start_at(start));
    });
    let running = app.start().await.expect("starts");
    journal.until_count(4, "1").await;
    running.shutdown().await.expect("stops");
    let (eleven, twelve) = ("11 at Sequence(1)", "12 at Sequence(2)");
    assert_eq!(lines(&journal.take()), [eleven, twelve, eleven, twelve]);

    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(16)));
    for number in 10..13 {
        send(&broker, number).await;
    }
    let app = service_with(journal.clone()).with_broker(broker.clone(), |b| {
        b.include(
            positioned_batch
                .name("parcels")
                .start_at(start)
                .batch(nonzero!(8)),
        );
    });
    let running = app.start().await.expect("starts");
    journal.until_count(2, "batch").await;
    running.shutdown().await.expect("stops");
    assert_eq!(
        lines(&journal.take()),
        ["batch [11, 12]", "batch [10, 11, 12]"]
    );
}

// RUN-013, RUN-014, RUN-386
#[tokio::test]
async fn the_state_is_made_once_and_shared_by_bodies_and_hooks() {
    #[subscriber("parcels")]
    async fn adds(id: &u32, ctx: &mut Context<'_, (), Arc<std::sync::Mutex<Vec<u32>>>>) {
        ctx.state().lock().unwrap().push(*id);
    }
    let yard = Yard::new(Transport::PLAIN);
    yard.send_all("parcels", [7, 8]);
    let app = service()
        .on_startup(async |()| Ok::<_, std::convert::Infallible>(vec![1]))
        .on_startup(async |first| {
            Ok::<_, std::convert::Infallible>(Arc::new(std::sync::Mutex::new(first)))
        })
        .after_shutdown({
            let journal = yard.journal().clone();
            async move |state: Arc<Arc<std::sync::Mutex<Vec<u32>>>>| {
                journal.note(format!("{:?}", state.lock().unwrap()));
                Ok::<_, std::convert::Infallible>(())
            }
        })
        .with_broker(yard.clone(), |b| {
            b.include(adds);
        });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("ack 8").await;

    running.shutdown().await.expect("stops");

    assert_eq!(yard.journal().take().pop().as_deref(), Some("[1, 7, 8]"));
}
