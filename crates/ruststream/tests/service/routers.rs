//! Routers, and the layers around what they mount.

use ruststream::prelude::*;
use ruststream::runtime::{
    BlanketLayer, Handler, HandlerMetadata, Layer, Outgoing, PublishLayer, PublishNext,
    PublishPipeline,
};
use ruststream::{ConnectedBroker, Subscribe};

use crate::support::{
    Backwards, Delivery, Journal, Letter, Publish, Transport, Yard, answers, lines, serve, service,
    service_with,
};

/// Notes when a delivery passes, in both directions.
#[derive(Clone)]
struct Passes {
    name: &'static str,
    journal: Journal,
}

struct Passing<H> {
    inner: H,
    layer: Passes,
}

impl<M: Sync, C: Send, S: Send + Sync, H: Handler<M, C, S>> Handler<M, C, S> for Passing<H> {
    async fn handle(&self, message: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        let Passes { name, journal } = &self.layer;
        journal.note(format!("into {name}"));
        let outcome = self.inner.handle(message, ctx).await;
        journal.note(format!("out of {name}"));
        outcome
    }
}

impl<H> Layer<H> for Passes {
    type Handler = Passing<H>;

    fn layer(&self, inner: H) -> Passing<H> {
        Passing {
            inner,
            layer: self.clone(),
        }
    }
}

impl BlanketLayer for Passes {
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        self.layer(handler)
    }
}

fn body(journal: &Journal) -> impl Handle<u32> + use<> {
    let journal = journal.clone();
    answers(move |number, _| {
        journal.note(format!("body {number}"));
        HandlerOutcome::ack()
    })
}

// RUN-012, RUN-130, RUN-132, trap 1
#[tokio::test]
async fn a_delivery_passes_the_layers_of_app_routers_and_route_in_their_order() {
    let yard = Yard::new(Transport::PLAIN);
    let journal = yard.journal().clone();
    let layer = |name| Passes {
        name,
        journal: journal.clone(),
    };
    let inner = Router::new()
        .layer(layer("inner 1"))
        .layer(layer("inner 2"))
        .include(subscriber("parcels", body(&journal)).build())
        .layer(layer("route 1"))
        .layer(layer("route 2"));
    let outer = Router::new()
        .layer(layer("outer 1"))
        .layer(layer("outer 2"))
        .merge(inner);
    let app = service()
        .layer(layer("app 1"))
        .layer(layer("app 2"))
        .with_broker(yard.clone(), |b| b.include_router(outer));
    yard.send("parcels", Letter::new(7));
    let running = app.start().await.expect("starts");

    journal.until_line("ack 7").await;

    running.shutdown().await.expect("stops");
    let order = [
        "app 1", "app 2", "outer 1", "outer 2", "inner 1", "inner 2", "route 2", "route 1",
    ];
    let into: Vec<_> = order.iter().map(|name| format!("into {name}")).collect();
    let out: Vec<_> = order
        .iter()
        .rev()
        .map(|name| format!("out of {name}"))
        .collect();
    let told = journal.take();
    let passed = told
        .iter()
        .position(|line| line == "into app 1")
        .expect("it passed");
    let expected = [into, vec!["body 7".into()], out].concat();
    assert_eq!(told[passed..passed + expected.len()], expected);
}

// RUN-130, RUN-261, RUN-442
#[tokio::test]
async fn layers_wrap_what_follows_them_and_see_deliveries_that_do_not_decode() {
    let yard = Yard::new(Transport::PLAIN);
    let journal = yard.journal().clone();
    let layer = |name| Passes {
        name,
        journal: journal.clone(),
    };
    yard.send("parcels", Letter::new("torn"));
    yard.send("labels", Letter::new(8));
    let routes = Router::new()
        .include(subscriber("parcels", body(&journal)).build())
        .layer(layer("route"))
        .include(subscriber("labels", body(&journal)).build());

    let served = serve(&yard, 1, "ack 8", |b| b.include_router(routes)).await;

    let mut told = served.dealings;
    told.sort();
    let expected = ["ack 8", "body 8", "drop torn", "into route", "out of route"];
    assert_eq!(lines(&told), expected);
}

/// Writes its name into a header of what leaves.
#[derive(Clone)]
struct Mark(&'static str);

impl PublishLayer for Mark {
    async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
        &'a self,
        out: &'a mut Outgoing<'a>,
        next: PublishNext<'a, N, P>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let before = out
            .headers()
            .get_str("via")
            .map_or(String::new(), |via| format!("{via},"));
        out.headers_mut()
            .insert("via", format!("{before}{}", self.0));
        next.run(out).await
    }
}

mod bodies {
    use super::*;

    /// Publishes through its slot and replies; a second delivery retries.
    #[subscriber("parcels", reply("replies"))]
    pub(super) async fn talks(
        id: &u32,
        Out(out): Out<impl Publisher>,
    ) -> Result<String, HandlerOutcome> {
        if *id == 8 {
            return Err(HandlerOutcome::retry());
        }
        let sent = out.message(&id.to_string()).to("slots").publish().await;
        sent.map_err(|_| HandlerOutcome::drop())?;
        Ok(id.to_string())
    }

    #[subscriber("batches", reply("batch replies"))]
    pub(super) async fn talks_of_many(ids: &[u32]) -> Vec<String> {
        ids.iter().map(ToString::to_string).collect()
    }

    #[derive(Serialized, Outgoing)]
    #[outgoing(name = "bytes")]
    pub(super) struct Bytes(Vec<u8>);

    /// Its one attempt is its last: what is published of it is a dead letter.
    #[subscriber("stubborn")]
    pub(super) async fn stubborn(_id: &u32) -> HandlerOutcome {
        HandlerOutcome::retry()
    }

    #[subscriber("frames", reply)]
    pub(super) async fn frames(id: &u32) -> Bytes {
        Bytes(id.to_string().into_bytes())
    }
}

async fn marks(through_a_router: bool) -> Vec<(&'static str, Option<String>)> {
    let yard = Yard::new(Transport::PLAIN);
    yard.send_all("parcels", [7, 8]);
    yard.send("batches", Letter::new(9));
    yard.send("frames", Letter::new(10));
    yard.send("stubborn", Letter::new(11));
    let app = service()
        .publish_layer(Mark("first"))
        .publish_layer(Mark("last"))
        .with_broker(yard.clone(), |b| {
            let (slot, cap, size) = (Publish::default(), nonzero!(2u32), nonzero!(4));
            if through_a_router {
                let routes = Router::new()
                    .include(bodies::talks)
                    .out(DefaultSlot, slot)
                    .max_attempts(cap)
                    .out_retry(Publish::default())
                    .to("copies")
                    .build()
                    .include(bodies::talks_of_many.batch(size))
                    .build()
                    .include(bodies::frames)
                    .build()
                    .include(bodies::stubborn)
                    .max_attempts(nonzero!(1u32))
                    .dead_letter("dead letters")
                    .build();
                b.include_router(routes);
            } else {
                b.include(bodies::talks)
                    .out(DefaultSlot, slot)
                    .max_attempts(cap)
                    .out_retry(Publish::default())
                    .to("copies")
                    .build();
                b.include(bodies::talks_of_many.batch(size));
                b.include(bodies::frames);
                b.include(bodies::stubborn)
                    .max_attempts(nonzero!(1u32))
                    .dead_letter("dead letters");
            }
        });
    let running = app.start().await.expect("starts");
    for line in ["ack 7", "drop 8", "ack 9", "ack 10", "drop 11"] {
        yard.journal().until_line(line).await;
    }
    running.shutdown().await.expect("stops");
    let via = |name| {
        let [letter] = &yard.waiting(name)[..] else {
            panic!("not one message in {name}");
        };
        (name, letter.headers.get_str("via").map(ToOwned::to_owned))
    };
    let names = [
        "replies",
        "batch replies",
        "bytes",
        "slots",
        "copies",
        "dead letters",
    ];
    names.map(via).into()
}

// RUN-012, RUN-133, PUB-125, PUB-410, PUB-652, traps 1 and 32
#[tokio::test]
async fn publish_layers_wrap_from_the_last_and_reach_what_leaves_the_scope() {
    let both = || Some("last,first".to_owned());

    let of_the_scope = marks(false).await;
    let of_a_router = marks(true).await;

    let [replies, batches, bytes] = ["replies", "batch replies", "bytes"];
    // The position of the copies is bound, that of the dead letters is left to the default.
    let [slots, copies, dead] = ["slots", "copies", "dead letters"];
    let expected = [
        (replies, both()),
        (batches, both()),
        (bytes, None),
        (slots, both()),
        (copies, both()),
        (dead, both()),
    ];
    assert_eq!(of_the_scope, expected);
    // A router has a pipeline of its own, which is empty.
    let expected = [
        (replies, both()),
        (batches, both()),
        (bytes, None),
        (slots, None),
        (copies, None),
        (dead, None),
    ];
    assert_eq!(of_a_router, expected);
}

#[subscriber("parcels", workers(4))]
async fn pooled(_id: &u32) {
    tokio::task::yield_now().await;
}

#[subscriber("labels")]
async fn labels(_id: &u32) {}

// RUN-130, trap 33
#[tokio::test]
async fn the_workers_of_a_route_win_over_those_of_its_definition() {
    for (workers, most) in [(None, 4), (Some(Workers::sequential()), 1)] {
        let yard = Yard::new(Transport::PLAIN);
        yard.send_all("parcels", 0..20);

        serve(&yard, 20, "ack", |b| match workers {
            None => b.include_router(Router::new().include(pooled)),
            Some(workers) => b.include_router(Router::new().include(pooled).workers(workers)),
        })
        .await;

        assert_eq!(yard.most_out(), most);
    }
}

// RUN-130, RUN-161, RUN-104, PUB-409
#[tokio::test]
async fn a_codec_holds_for_the_routes_after_it_and_a_merged_router_keeps_its_own() {
    let yard = Yard::new(Transport::PLAIN);
    let journal = yard.journal().clone();
    for name in ["plain", "merged", "backwards"] {
        yard.send(name, Letter::new(12));
    }
    let connected = yard.clone().connect().await.expect("connects");
    let raw = Subscribe::subscribe(&connected, "raw")
        .await
        .expect("opens");
    yard.send("raw", Letter::new("anything"));
    let (told, tell) = (journal.clone(), journal.clone());
    let numbers = |name: &'static str| {
        let journal = tell.clone();
        answers(move |number, _| {
            journal.note(format!("{name} {number}"));
            HandlerOutcome::ack()
        })
    };
    let routes = Router::new()
        .include(subscriber("plain", numbers("plain")).build())
        .with_codec(Backwards)
        .include(subscriber("backwards", numbers("backwards")).build())
        .merge(Router::new().include(subscriber("merged", numbers("merged")).build()))
        .handle(
            raw,
            move |_: &Delivery, ctx: &mut Context<'_>| {
                told.note(format!("raw of {}", ctx.name()));
                async { HandlerOutcome::ack() }
            },
            HandlerMetadata::raw("raw"),
        );
    let names: Vec<_> = routes
        .handlers()
        .iter()
        .map(|meta| meta.name.to_string())
        .collect();
    assert_eq!(names, ["plain", "backwards", "merged", "raw"]);
    let types: Vec<_> = routes
        .handlers()
        .iter()
        .map(|meta| meta.content_type)
        .collect();
    let json = Some("application/json");
    assert_eq!(types, [json, Some("application/nosj"), json, None]);

    let served = serve(&yard, 4, "ack", |b| b.include_router(routes)).await;

    let mut told = served.dealings;
    told.retain(|line| !line.starts_with("ack"));
    told.sort();
    assert_eq!(
        lines(&told),
        ["backwards 21", "merged 12", "plain 12", "raw of raw"]
    );
    connected.shutdown().await.expect("closes");
}

#[subscriber("parcels")]
async fn tells(id: &u32, ctx: &mut Context<'_, (), Journal>) {
    ctx.state().note(format!("told of {id}"));
}

/// A library of handlers.
fn library() -> impl RouterDef<Yard, Journal> {
    Router::new().include(tells).include(labels)
}

// RUN-105, RUN-131, RUN-134
#[tokio::test]
async fn a_library_of_handlers_is_mounted_where_its_state_is() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    let app = service_with(yard.journal().clone()).with_broker(yard.clone(), |b| {
        b.include_router(library());
        b.include_router(());
    });
    let names: Vec<_> = app
        .handlers()
        .iter()
        .map(|meta| meta.name.to_string())
        .collect();
    assert_eq!(names, ["parcels", "labels"]);
    let running = app.start().await.expect("starts");

    yard.journal().until_line("told of 7").await;

    running.shutdown().await.expect("stops");
}
