//! Retry copies and dead letters, seen from a test (TEST-33, TEST-43, TEST-49a, RUN-344, RUN-351).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ruststream::memory::{ConnectedMemoryBroker, MemoryBroker, MemoryError, MemoryPublisher};
use ruststream::prelude::*;
use ruststream::runtime::RETRY_COUNT_HEADER;
use ruststream::testing::{Outcome, TestApp};
use ruststream::{OutgoingMessage, PairError, Take};

use crate::support::station::{Ground, Station};
use crate::support::{Parcel, SECOND, in_both_modes, info, parcel, send};

#[subscriber("parcels")]
async fn fail(_parcel: &Parcel) -> HandlerOutcome {
    HandlerOutcome::retry()
}

fn station(ground: &Ground) -> impl App<State = ()> + use<> {
    RustStream::new(info()).with_broker(Station::new("a", ground), |b| {
        b.include(fail)
            .max_attempts(nonzero!(2))
            .dead_letter("dead");
    })
}

// RUN-344, TEST-33, TEST-43
#[tokio::test]
async fn copies_are_published_before_their_originals_are_settled() {
    let ground = Ground::default();
    in_both_modes(
        || station(&ground),
        async |tb: &TestApp<()>| {
            ground.journal.take();
            let station = tb.broker::<Station>();
            send(&station, "parcels", 1).await;
            let lines = ground.journal.take();
            let copies = [
                "publish parcels urgency 0",
                "nack false",
                "publish dead urgency 0",
                "nack false",
            ];
            assert!(lines.ends_with(&copies.map(String::from)), "{lines:?}");

            let calls = station.subscriber("parcels").assert_called(2);
            assert_eq!(calls.outcomes(), [Outcome::Nack, Outcome::Nack]);
            station
                .published::<Parcel>("dead")
                .assert_called_once()
                .with(&parcel(1));
        },
    )
    .await;
}

/// Publishes to the in-process broker, unless that is refused.
#[derive(Clone)]
struct Gated(Arc<AtomicBool>);

struct GatedPublisher {
    publisher: MemoryPublisher,
    refused: Arc<AtomicBool>,
}

impl PublishPolicy<ConnectedMemoryBroker> for Gated {
    type Live = GatedPublisher;

    async fn pair(self, connected: &ConnectedMemoryBroker) -> Result<GatedPublisher, PairError> {
        Ok(GatedPublisher {
            publisher: connected.publisher(),
            refused: self.0,
        })
    }
}

impl Publisher for GatedPublisher {
    type Payload = Take;
    type Error = MemoryError;
    type Options = ();

    async fn publish(
        &self,
        msg: OutgoingMessage<'_, BytesMut>,
        options: Option<&()>,
    ) -> Result<(), MemoryError> {
        if self.refused.load(Ordering::SeqCst) {
            return Err(MemoryError::ShutDown);
        }
        self.publisher.publish(msg, options).await
    }
}

// RUN-344, RUN-351, TEST-49a
#[tokio::test(start_paused = true)]
async fn a_refused_dead_letter_goes_back_and_is_carried_away_without_a_call() {
    let refused = Arc::new(AtomicBool::new(true));
    let gated = Gated(Arc::clone(&refused));
    let app = RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
        b.include(fail)
            .max_attempts(nonzero!(1))
            .dead_letter("dead")
            .out_retry(gated);
    });
    let tb = TestApp::start(app).await.unwrap();
    let broker = tb.broker::<MemoryBroker>();
    send(&broker, "parcels", 1).await;
    broker.subscriber("parcels").assert_called_once();
    broker.published::<Parcel>("dead").assert_not_called();

    tb.advance(SECOND).await.unwrap();
    broker.published::<Parcel>("dead").assert_not_called();
    refused.store(false, Ordering::SeqCst);
    tb.advance(SECOND * 2).await.unwrap();
    broker
        .subscriber("parcels")
        .assert_called_once()
        .assert_outcome(Outcome::Nack);
    broker
        .published::<Parcel>("dead")
        .assert_called_once()
        .with(&parcel(1));
}

// RUN-351, TEST-49a
#[tokio::test]
async fn a_delivery_past_its_cap_is_no_call_and_its_dead_letter_is_recorded() {
    let ground = Ground::default();
    in_both_modes(
        || station(&ground),
        async |tb: &TestApp<()>| {
            let station = tb.broker::<Station>();
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_COUNT_HEADER, "2");
            let value = parcel(1);
            let spent = station.message(&value).to("parcels").with_headers(headers);
            spent.publish().await.unwrap();
            station.subscriber("parcels").assert_not_called();
            station
                .published::<Parcel>("dead")
                .assert_called_once()
                .with(&parcel(1));
        },
    )
    .await;
}

// TEST-43, RUN-342: with a native count, on the in-process broker.
#[tokio::test]
async fn what_the_handler_answered_is_recorded_also_at_the_cap() {
    let app = || {
        RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
            b.include(fail)
                .max_attempts(nonzero!(3))
                .dead_letter("dead");
        })
    };
    in_both_modes(app, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        send(&broker, "parcels", 1).await;
        let calls = broker.subscriber("parcels").assert_called(3);
        assert_eq!(calls.outcomes(), [Outcome::Nack; 3]);
        broker
            .published::<Parcel>("dead")
            .assert_called_once()
            .with(&parcel(1));
        broker.published::<Parcel>("dead").assert_options_default();
    })
    .await;
}
