//! What stands between a delivery and its body.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ruststream::prelude::*;
use ruststream::runtime::layers::TracingLayer;
use ruststream::runtime::{
    BlanketLayer, DynMiddleware, DynStack, Handler, HandlerExt, HandlerMetadata, Layer, Next,
};
use ruststream::{ConnectedBroker, Subscribe};

use crate::support::{
    Delivery, Journal, Letter, Logs, Transport, Yard, answers, lines, serve, service, service_with,
};

/// What it does with a delivery, by what the delivery's header asks for.
#[derive(Clone)]
struct Guard;

struct Guarded<H>(H);

impl<H> Layer<H> for Guard {
    type Handler = Guarded<H>;

    fn layer(&self, inner: H) -> Guarded<H> {
        Guarded(inner)
    }
}

impl BlanketLayer for Guard {
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        Guarded(handler)
    }
}

impl<M: Sync, C: Send, S: Send + Sync, H: Handler<M, C, S>> Handler<M, C, S> for Guarded<H> {
    async fn handle(&self, message: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        match ctx.headers().get_str("asks") {
            Some("refuse") => HandlerOutcome::drop(),
            Some("twice") => {
                let _ = self.0.handle(message, ctx).await;
                self.0.handle(message, ctx).await
            }
            Some("replace") => {
                let _ = self.0.handle(message, ctx).await;
                HandlerOutcome::drop()
            }
            _ => self.0.handle(message, ctx).await,
        }
    }
}

#[subscriber("parcels", reply("labels"))]
async fn labels(id: &u32, ctx: &mut Context<'_, (), Journal>) -> String {
    ctx.state().note(format!("body {id}"));
    id.to_string()
}

#[subscriber("scans")]
async fn scans(ids: &[u32], ctx: &mut Context<'_, (), Journal>) {
    ctx.state().note(format!("batch {ids:?}"));
}

// RUN-440, RUN-442, RUN-369
#[tokio::test]
async fn a_layer_may_answer_by_itself_call_again_or_replace_the_outcome_but_not_of_batches() {
    let yard = Yard::new(Transport::PLAIN);
    for (id, asks) in [(1, "nothing"), (2, "refuse"), (3, "twice"), (4, "replace")] {
        yard.send("parcels", Letter::new(id).with("asks", asks));
    }
    yard.send("scans", Letter::new(5).with("asks", "refuse"));
    let app = service()
        .layer(Guard)
        .on_startup({
            let journal = yard.journal().clone();
            async move |()| Ok::<_, std::convert::Infallible>(journal)
        })
        .with_broker(yard.clone(), |b| {
            b.include(labels);
            b.include(scans.batch(nonzero!(4)));
        });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("drop 4").await;
    yard.journal().until_line("ack 5").await;
    running.shutdown().await.expect("stops");

    let told = yard.journal().take();
    let of = |id: u32| -> Vec<&str> {
        let marks = [
            format!("body {id}"),
            format!("\"{id}\""),
            format!("ack {id}"),
            format!("drop {id}"),
        ];
        let about = told
            .iter()
            .filter(|line| marks.iter().any(|mark| line.contains(mark.as_str())));
        about.map(String::as_str).collect()
    };
    assert_eq!(of(1), ["body 1", "publish labels \"1\"", "ack 1"]);
    assert_eq!(of(2), ["drop 2"]);
    let (body, reply) = ("body 3", "publish labels \"3\"");
    assert_eq!(of(3), [body, reply, body, reply, "ack 3"]);
    assert_eq!(of(4), ["body 4", "publish labels \"4\"", "drop 4"]);
    assert!(told.contains(&"batch [5]".to_owned()));
}

// RUN-443
#[tokio::test(start_paused = true)]
async fn the_tracing_layer_tells_what_comes_of_each_delivery() {
    let yard = Yard::new(Transport::FULL);
    yard.send_all("parcels", 1..=4);
    let (logs, once) = (Logs::start(), AtomicU32::new(0));
    let app = service()
        .layer(TracingLayer::default())
        .with_broker(yard.clone(), |b| {
            let body = answers(move |number, _| match number {
                2 => HandlerOutcome::drop(),
                3 if once.fetch_add(1, Ordering::SeqCst) == 0 => HandlerOutcome::retry(),
                4 => HandlerOutcome::retry_after(Duration::from_secs(5)),
                _ => HandlerOutcome::ack(),
            });
            b.include(subscriber("parcels", body).build());
        });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("after 5s 4").await;
    yard.journal().until_line("ack 3").await;
    running.shutdown().await.expect("stops");

    let dispatch = "ruststream::dispatch: ";
    assert_eq!(logs.with("delivery received").len(), 5);
    assert!(logs.with("delivery received")[0].starts_with(&format!("DEBUG {dispatch}")));
    assert_eq!(logs.with("handler ack").len(), 2);
    assert!(logs.with("handler ack")[0].starts_with(&format!("INFO {dispatch}")));
    let nacks = logs.with("handler nack");
    assert!(
        nacks[0].starts_with(&format!("WARN {dispatch}")) && nacks[0].contains("requeue=false")
    );
    assert!(nacks[1].contains("requeue=true"), "{nacks:?}");
    let delayed = logs.line("handler delayed nack");
    assert!(delayed.contains("delay=5s"), "{delayed}");
}

/// A link that notes its number, and goes no further where the delivery's header names it.
struct Link {
    number: usize,
    journal: Journal,
}

impl DynMiddleware<Delivery> for Link {
    fn handle<'a>(
        &'a self,
        delivery: &'a Delivery,
        ctx: &'a mut Context<'_>,
        next: Next<'a, Delivery>,
    ) -> Pin<Box<dyn Future<Output = HandlerOutcome> + Send + 'a>> {
        Box::pin(async move {
            self.journal.note(format!("link {}", self.number));
            if ctx.headers().get_str("stops at") == Some(&self.number.to_string()) {
                return HandlerOutcome::drop();
            }
            ctx.headers_mut().insert("passed", self.number.to_string());
            next.run(delivery, ctx).await
        })
    }
}

fn chain(journal: &Journal, links: usize) -> DynStack<Delivery> {
    DynStack::new((0..links).map(|number| {
        Arc::new(Link {
            number,
            journal: journal.clone(),
        }) as Arc<dyn DynMiddleware<Delivery>>
    }))
}

fn passed(journal: &Journal) -> impl Handle<u32> + use<> {
    let journal = journal.clone();
    answers(move |number, ctx| {
        let last = ctx.headers().get_str("passed").unwrap_or("none");
        journal.note(format!("body {number} after {last}"));
        HandlerOutcome::ack()
    })
}

// RUN-444, RUN-440
#[tokio::test]
async fn a_stack_put_together_at_run_time_is_as_long_as_it_is() {
    for links in [0, 1, 20] {
        let yard = Yard::new(Transport::PLAIN);
        yard.send("parcels", Letter::new(7));
        yard.send("parcels", Letter::new(8).with("stops at", "5"));
        let journal = yard.journal().clone();

        let end = if links > 5 { "drop 8" } else { "ack 8" };
        let served = serve(&yard, 1, end, |b| {
            let routes = Router::new()
                .include(subscriber("parcels", passed(&journal)).build())
                .layer(chain(&journal, links));
            b.include_router(routes);
        })
        .await;

        let line = |number| format!("link {number}");
        let last = links
            .checked_sub(1)
            .map_or("none".to_owned(), |last| last.to_string());
        let mut expected: Vec<_> = (0..links).map(line).collect();
        expected.extend([format!("body 7 after {last}"), "ack 7".into()]);
        if links > 5 {
            expected.extend((0..=5).map(line));
        } else {
            expected.extend((0..links).map(line));
            expected.push(format!("body 8 after {last}"));
        }
        expected.push(end.into());
        assert_eq!(served.dealings, expected);
    }
}

// RUN-440, RUN-104, RUN-181
#[tokio::test]
async fn a_raw_handler_is_wrapped_by_hand_and_by_the_app() {
    let yard = Yard::new(Transport::PLAIN);
    let connected = yard.clone().connect().await.expect("connects");
    let parcels = Subscribe::subscribe(&connected, "parcels")
        .await
        .expect("opens");
    yard.send("parcels", Letter::new(7));
    yard.send("parcels", Letter::new(8).with("asks", "refuse"));
    let journal = yard.journal().clone();
    let (links, body) = (chain(&journal, 2), journal.clone());
    let handler = move |delivery: &Delivery, _: &mut Context<'_>| {
        body.note(format!(
            "body {}",
            String::from_utf8_lossy(delivery.payload())
        ));
        async { HandlerOutcome::ack() }
    };
    let app = service().layer(Guard).with_broker(yard.clone(), |b| {
        // A shared handler is one too.
        b.handle(
            parcels,
            Arc::new(handler.with(links)),
            HandlerMetadata::raw("parcels"),
        );
    });
    let running = app.start().await.expect("starts");

    journal.until_line("drop 8").await;

    running.shutdown().await.expect("stops");
    let mut told = journal.take();
    told.retain(|line| {
        ["link", "body", "ack", "drop"]
            .iter()
            .any(|start| line.starts_with(start))
    });
    assert_eq!(
        lines(&told),
        ["link 0", "link 1", "body 7", "ack 7", "drop 8"]
    );
    connected.shutdown().await.expect("closes");
    drop(service_with(()));
}
