//! Against a server: what is waited for, and for how long (TEST-37 to TEST-41).

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use ruststream::memory::{MemoryBroker, MemoryPattern, MemoryPublish, Routing};
use ruststream::prelude::*;
use ruststream::runtime::Bindable;
use ruststream::testing::{TestApp, TestError};
use tokio::sync::Semaphore;

use crate::support::station::{Dispatch, Ground, Station};
use crate::support::{Of, Parcel, assert_contains, info, parcel, send, try_send};

const SHORT: Duration = Duration::from_millis(50);

#[subscriber("parcels")]
async fn receive(_parcel: &Parcel) {}

#[subscriber("stuck")]
async fn stuck(_parcel: &Parcel) {
    pending::<()>().await;
}

// TEST-37: a subscription that is owed more than it handled.
#[tokio::test]
async fn the_subscription_that_is_behind_is_named_at_the_deadline() {
    let app = RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
        b.include(stuck);
    });
    let tb = TestApp::start_live_within(app, SHORT).await.unwrap();
    let Err(TestError::NotSettled {
        subscription,
        handled,
        expected,
        deadline,
    }) = try_send(&tb.broker::<MemoryBroker>(), "stuck", 1).await
    else {
        panic!("must not settle");
    };
    assert_eq!(subscription.as_deref(), Some("stuck"));
    assert_eq!((handled, expected, deadline), (0, 1, SHORT));
    let error = TestError::NotSettled {
        subscription,
        handled,
        expected,
        deadline,
    };
    assert_contains(
        &error.to_string(),
        &[
            "did not settle within 50ms",
            "subscription \"stuck\" handled 0 of 1 deliveries",
        ],
    );
}

// TEST-37, TEST-40: a handler that runs for a message nobody recorded.
#[tokio::test]
async fn a_handler_that_still_runs_is_waited_for_without_a_name() {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(info()).with_broker(bus, |b| {
        b.include(stuck);
    });
    let tb = TestApp::start_live_within(app, SHORT).await.unwrap();
    publisher
        .message(&parcel(1))
        .to("stuck")
        .publish()
        .await
        .unwrap();
    tokio::task::yield_now().await;
    let unsettled = tb.settle().await.unwrap_err();
    assert!(matches!(
        unsettled,
        TestError::NotSettled {
            subscription: None,
            ..
        }
    ));
    assert_contains(&unsettled.to_string(), &["a handler was still running"]);
}

// TEST-40: it is neither recorded nor owed, although a subscription reads that name.
#[tokio::test]
async fn what_startup_hooks_publish_is_not_waited_for() {
    let ground = Ground::default();
    let app = RustStream::new(info()).with_broker(Station::new("a", &ground), |b| {
        b.include(receive);
        b.after_startup(Dispatch, |publisher| async move {
            publisher
                .message(&parcel(1))
                .to("parcels")
                .publish()
                .await
                .unwrap();
            Ok::<_, std::io::Error>(())
        });
    });
    let tb = TestApp::start_live(app).await.unwrap();
    let station = tb.broker::<Station>();
    station.published::<Parcel>("parcels").assert_not_called();
    send(&station, "parcels", 2).await;
    station
        .published::<Parcel>("parcels")
        .assert_called_once()
        .with(&parcel(2));
}

// TEST-38: what the broker says of its routes decides who is owed.
#[tokio::test]
async fn a_publish_is_owed_by_those_that_the_broker_routes_it_to() {
    #[subscriber(MemoryPattern::new("depot.*"))]
    async fn any_depot(_parcel: &Parcel) {}
    #[subscriber(MemoryPattern::new("depot.>"))]
    async fn any_below(_parcel: &Parcel) {}
    let app = |routing| {
        RustStream::new(info()).with_broker(MemoryBroker::new().routing(routing), |b| {
            b.include(any_depot);
            b.include(any_below);
        })
    };
    for (routing, below) in [(Routing::EveryMatch, 1), (Routing::MostSpecific, 0)] {
        let tb = TestApp::start_live(app(routing)).await.unwrap();
        let broker = tb.broker::<MemoryBroker>();
        send(&broker, "depot.north", 1).await;
        broker.subscriber("depot.*").assert_called_once();
        broker.subscriber("depot.>").assert_called(below);
        send(&broker, "elsewhere", 1).await;
    }
}

// TEST-39: a publish through a token is owed on the token's broker, and only there.
#[tokio::test]
async fn a_publish_through_a_token_is_owed_on_the_token_s_broker() {
    #[subscriber("relay")]
    async fn relay(parcel: &Parcel, Out(out): Out<impl Publisher>) {
        out.message(parcel).to("parcels").publish().await.unwrap();
    }
    let south = Bindable::new(MemoryBroker::new());
    let to_south = south.bind(MemoryPublish);
    let app = RustStream::new(info())
        .with_broker_labeled("north", MemoryBroker::new(), |b| {
            b.include(relay).out(DefaultSlot, to_south).build();
            b.include(receive);
        })
        .with_broker_labeled("south", south, |b| {
            b.include(receive);
        });
    let tb = TestApp::start_live(app).await.unwrap();
    send(&tb.broker_named("north"), "relay", 1).await;
    tb.broker_named("south")
        .subscriber("parcels")
        .assert_called_once();
    tb.broker_named("north")
        .subscriber("parcels")
        .assert_not_called();
}

// O-3: an immediate redelivery is owed too.
#[tokio::test]
async fn an_immediate_requeue_is_waited_for() {
    #[subscriber("twice")]
    async fn twice(_parcel: &Parcel, State(tries): State<Arc<Semaphore>>) -> HandlerOutcome {
        if let Ok(first) = tries.try_acquire() {
            first.forget();
            return HandlerOutcome::retry();
        }
        for _ in 0..16 {
            tokio::task::yield_now().await;
        }
        HandlerOutcome::ack()
    }
    let app = RustStream::new(info())
        .on_startup(async |()| Ok::<_, std::io::Error>(Of::new(Semaphore::new(1))))
        .with_broker(MemoryBroker::new(), |b| {
            b.include(twice);
        });
    let tb = TestApp::start_live(app).await.unwrap();
    send(&tb.broker::<MemoryBroker>(), "twice", 1).await;
    tb.broker::<MemoryBroker>()
        .subscriber("twice")
        .assert_called(2);
}
