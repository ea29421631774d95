//! What a batch registration needs and hands over.

use std::sync::{Arc, Mutex};

use ruststream_core::nonzero;
use ruststream_runtime::{
    AppInfo, BlanketLayer, Context, FailurePolicies, FailurePolicy, Handle, Handler,
    HandlerOutcome, Layer, Message, RustStream, SubscriberSettings, subscriber,
};

use crate::depot::{Depot, Hub, Over, each, lines, parcel, parcels, ran, run};

// RUN-360, RUN-361
#[tokio::test]
async fn the_broker_is_asked_for_the_size_of_the_mount_and_its_batches_arrive_whole() {
    let hub = Hub::with(vec![parcels(0..3), parcels(3..4)]);
    let seen: Arc<Mutex<Vec<Vec<u32>>>> = Arc::default();
    let noted = Arc::clone(&seen);
    let body = Over(move |input: &[u32], _: &mut Context<'_>| {
        noted.lock().unwrap().push(input.to_vec());
        async { Ok(()) }
    });
    let ran = run(&hub, |scope| {
        scope.include(
            subscriber("parcels", body)
                .batch(nonzero!(64))
                .undocumented()
                .build(),
        );
    })
    .await;

    assert_eq!(*hub.asked.lock().unwrap(), Some(64));
    assert_eq!(*seen.lock().unwrap(), [vec![0, 1, 2], vec![3]]);
    assert_eq!(lines(&ran.journal), ["ack 0", "ack 1", "ack 2", "ack 3"]);
    ran.result.unwrap();
}

/// Lets nothing through.
#[derive(Debug, Clone)]
struct Wall;

impl BlanketLayer for Wall {
    fn apply<M, C, S, H>(&self, _: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        |_: &M, _: &mut Context<'_, C, S>| async { HandlerOutcome::drop() }
    }
}

impl<H> Layer<H> for Wall {
    type Handler = ();
    fn layer(&self, _: H) {}
}

// RUN-369, trap 30
#[tokio::test]
async fn no_layer_wraps_a_batch() {
    let hub = Hub::with(vec![parcels(0..2)]);
    let service = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(Wall)
        .with_broker(Depot(Arc::clone(&hub)), |scope| {
            let body = each(HandlerOutcome::ack);
            scope.include(
                subscriber("parcels", body)
                    .batch(nonzero!(8))
                    .undocumented()
                    .build(),
            );
        });
    let ran = ran(&hub, service).await;

    assert_eq!(lines(&ran.journal), ["ack 0", "ack 1"]);
}

struct Labelled(Arc<Mutex<Vec<(u8, u32)>>>);

#[derive(serde::Deserialize)]
struct Gate {
    gate: u8,
}

impl Handle<[Message<Gate, u32>]> for Labelled {
    async fn handle(
        &self,
        input: &[Message<Gate, u32>],
        (): &(),
        ctx: &mut Context<'_>,
    ) -> Result<(), Vec<HandlerOutcome>> {
        assert!(ctx.headers().is_empty());
        let mut seen = self.0.lock().unwrap();
        seen.extend(
            input
                .iter()
                .map(|message| (message.headers.gate, message.body)),
        );
        Ok(())
    }
}

// RUN-362, RUN-367
#[tokio::test]
async fn elements_read_their_own_headers() {
    let batch = vec![
        parcel(0).with_header("gate", "4"),
        parcel(1).with_header("gate", "west"),
        parcel(2).with_header("gate", "5").holding("no number"),
        parcel(3).with_header("gate", "6"),
    ];
    let hub = Hub::with(vec![batch]);
    let body = Labelled(Arc::default());
    let seen = Arc::clone(&body.0);
    let ran = run(&hub, |scope| {
        scope.include(
            subscriber("parcels", body)
                .batch(nonzero!(8))
                .undocumented()
                .build(),
        );
    })
    .await;

    assert_eq!(*seen.lock().unwrap(), [(4, 0), (6, 3)]);
    assert_eq!(lines(&ran.journal), ["drop 1", "drop 2", "ack 0", "ack 3"]);
}

// RUN-303
#[tokio::test]
async fn a_failure_that_stops_the_service_is_its_result() {
    let hub = Hub::with(vec![vec![parcel(0).holding("one")]]);
    let ran = run(&hub, |scope| {
        let policies = FailurePolicies::default().with_decode(FailurePolicy::FailFast);
        let body = each(HandlerOutcome::ack);
        scope.include(
            subscriber("parcels", body)
                .batch(nonzero!(8))
                .on_failure(policies)
                .undocumented()
                .build(),
        );
    })
    .await;

    assert_eq!(lines(&ran.journal), ["drop 0"]);
    let reason = ran.failure().expect("failed");
    assert!(
        reason.starts_with("parcels: batch decode failed: "),
        "{reason}"
    );
    assert_eq!(
        ran.result.unwrap_err().to_string(),
        format!("dispatch failed: {reason}")
    );
}

// RUN-230
#[tokio::test]
async fn workers_and_threads_handle_batches() {
    for threads in [false, true] {
        let hub = Hub::with((0..20).map(|n| parcels(3 * n..3 * n + 3)).collect());
        let ran = run(&hub, |scope| {
            let body = each(HandlerOutcome::ack);
            let named = subscriber("parcels", body).batch(nonzero!(3));
            if threads {
                scope.include(named.threads_by_key(nonzero!(2)).undocumented().build());
            } else {
                scope.include(named.workers_by_key(nonzero!(2)).undocumented().build());
            }
        })
        .await;

        let mut journal = ran.journal;
        journal.sort_by_key(|line| line[4..].parse::<u32>().unwrap());
        assert!(
            journal
                .into_iter()
                .eq((0..60).map(|id| format!("ack {id}")))
        );
    }
}
