//! What a body learns beside its message: context, extractors, state.

use ruststream::prelude::*;
use ruststream::runtime::{BlanketLayer, Handler, Layer, Outgoing, PublishContext};
use serde::{Deserialize, Serialize};

use crate::support::{City, Count, Depot, Letter, Note, Publish, Stamp, lines, run_depot as run};

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
        drop(b.include(batch_context.batch(nonzero!(8))));
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
            .out(DefaultSlot, Publish::default())
            .out_reply(Publish::default())
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

// RUN-262, RUN-352, CORE-061, CORE-264, trap 26
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
        drop(b.include(stubborn).max_attempts(nonzero!(1u32)));
    })
    .await;
    assert_eq!(yard.headers_asked(), 1, "a declared cap is one reader");
}
