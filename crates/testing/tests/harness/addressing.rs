//! Which broker, which subscription (TEST-13 to TEST-16, TEST-19).

use std::any::type_name;

use ruststream::memory::{MemoryBroker, MemoryPublish, Retaining, Retention};
use ruststream::prelude::*;
use ruststream::runtime::Bindable;
use ruststream::testing::{TestApp, TestError};

use crate::support::station::{Dispatch, Ground, Station};
use crate::support::{Parcel, assert_contains, failure, in_both_modes, info, parcel, send};

#[subscriber("parcels")]
async fn receive(_parcel: &Parcel) {}

fn two_brokers() -> impl App<State = ()> {
    RustStream::new(info())
        .with_broker_labeled("north", MemoryBroker::new(), |b| {
            b.include(receive);
        })
        .with_broker_labeled("south", MemoryBroker::new(), |b| {
            b.include(receive);
        })
}

// TEST-14, TEST-15
#[tokio::test]
async fn an_unknown_type_label_or_an_ambiguous_type_panics() {
    in_both_modes(two_brokers, async |tb: &TestApp<()>| {
        let type_of = type_name::<MemoryBroker>();
        let several = failure(|| tb.broker::<MemoryBroker>());
        assert_contains(
            &several,
            &["more than one broker of type", type_of, "label"],
        );
        let none = failure(|| tb.broker::<MemoryBroker<Retaining>>());
        let retaining = type_name::<MemoryBroker<Retaining>>();
        assert_contains(&none, &["no registered broker of type", retaining]);
        let unknown = failure(|| tb.broker_named("west"));
        assert_contains(&unknown, &["no broker labeled \"west\""]);
    })
    .await;
}

// TEST-14, TEST-69: a flavour is a type of its own, with a registration of its own.
#[tokio::test]
async fn two_flavours_of_one_broker_are_told_apart() {
    let app = || {
        RustStream::new(info())
            .with_broker(MemoryBroker::new(), |b| {
                b.include(receive);
            })
            .with_broker(
                MemoryBroker::retaining(Retention::Messages(nonzero!(2))),
                |b| {
                    b.include(receive);
                },
            )
    };
    in_both_modes(app, async |tb: &TestApp<()>| {
        send(&tb.broker::<MemoryBroker<Retaining>>(), "parcels", 1).await;
        tb.broker::<MemoryBroker>()
            .subscriber("parcels")
            .assert_not_called();
        tb.broker::<MemoryBroker<Retaining>>()
            .subscriber("parcels")
            .assert_called_once();
    })
    .await;
}

// TEST-19
#[tokio::test]
async fn the_shortcut_needs_exactly_one_broker() {
    in_both_modes(two_brokers, async |tb: &TestApp<()>| {
        struct Unencodable;
        impl serde::Serialize for Unencodable {
            fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                panic!("ambiguity is told before anything is encoded")
            }
        }
        let refused = tb.publish("parcels", &Unencodable).await;
        assert!(matches!(refused, Err(TestError::Ambiguous)), "{refused:?}");
        let text = refused.unwrap_err().to_string();
        assert_contains(&text, &["broker::<B>()", "broker_named("]);

        let refused = tb.message(&parcel(1)).to("parcels").publish().await;
        assert_contains(&format!("{refused:?}"), &["Ambiguous"]);
    })
    .await;

    let one = || {
        RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
            b.include(receive);
        })
    };
    in_both_modes(one, async |tb: &TestApp<()>| {
        tb.publish("parcels", &parcel(1)).await.unwrap();
        tb.message(&parcel(2))
            .to("parcels")
            .publish()
            .await
            .unwrap();
        let received = tb
            .broker::<MemoryBroker>()
            .subscriber("parcels")
            .received::<Parcel>();
        assert_eq!(received, [parcel(1), parcel(2)]);
    })
    .await;
}

// TEST-16, TEST-15
#[tokio::test]
async fn two_brokers_of_one_type_never_mix() {
    in_both_modes(two_brokers, async |tb: &TestApp<()>| {
        let (north, south) = (tb.broker_named("north"), tb.broker_named("south"));
        send(&north, "parcels", 1).await;
        north
            .subscriber("parcels")
            .assert_called_once()
            .with(&parcel(1));
        north.published::<Parcel>("parcels").assert_called_once();
        south.subscriber("parcels").assert_not_called();
        south.published::<Parcel>("parcels").assert_not_called();
    })
    .await;
}

// TEST-39, CORE-135: a publish belongs to the broker it was paired against.
#[tokio::test]
async fn two_brokers_of_one_type_relay_to_each_other() {
    #[subscriber("there")]
    async fn there(parcel: &Parcel, Out(out): Out<impl Publisher>) -> HandlerOutcome {
        match out.message(parcel).to("back").publish().await {
            Ok(()) => HandlerOutcome::ack(),
            Err(_) => HandlerOutcome::drop(),
        }
    }
    #[subscriber("back")]
    async fn back(_parcel: &Parcel) {}
    let ground = Ground::default();
    let app = || {
        let (north, south) = (
            Bindable::new(Station::new("north", &ground)),
            Bindable::new(Station::new("south", &ground)),
        );
        let (to_north, to_south) = (north.bind(Dispatch), south.bind(Dispatch));
        RustStream::new(info())
            .with_broker_labeled("north", north, |b| {
                b.include(there).out(DefaultSlot, to_south).build();
                b.include(back);
            })
            .with_broker_labeled("south", south, |b| {
                b.include(there).out(DefaultSlot, to_north).build();
                b.include(back);
            })
    };
    in_both_modes(app, async |tb: &TestApp<()>| {
        let (north, south) = (tb.broker_named("north"), tb.broker_named("south"));
        send(&north, "there", 1).await;
        send(&north, "there", 2).await;
        send(&south, "there", 3).await;
        assert_eq!(
            south.subscriber("back").received::<Parcel>(),
            [parcel(1), parcel(2)]
        );
        assert_eq!(north.subscriber("back").received::<Parcel>(), [parcel(3)]);
        south
            .published::<Parcel>("back")
            .assert_called(2)
            .assert_options_default();
        north
            .published::<Parcel>("back")
            .assert_called_once()
            .assert_options_default();
    })
    .await;
}

// TEST-39
#[tokio::test]
async fn two_subscriptions_of_one_name_are_each_waited_for() {
    let app = || {
        RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
            b.include(receive);
            b.include(receive);
        })
    };
    in_both_modes(app, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        send(&broker, "parcels", 1).await;
        broker.subscriber("parcels").assert_called(2);
    })
    .await;
}

// TEST-14: a broker that only publishes is addressed like any other.
#[tokio::test]
async fn a_broker_without_subscriptions_has_a_handle_too() {
    #[subscriber("parcels")]
    async fn forward(parcel: &Parcel, Out(out): Out<impl Publisher>) -> HandlerOutcome {
        match out.message(parcel).to("audit").publish().await {
            Ok(()) => HandlerOutcome::ack(),
            Err(_) => HandlerOutcome::drop(),
        }
    }
    let app = || {
        let audit = MemoryBroker::retaining(Retention::Messages(nonzero!(2))).bindable();
        let to_audit = audit.bind(MemoryPublish);
        RustStream::new(info())
            .register_broker(audit)
            .with_broker(MemoryBroker::new(), |b| {
                b.include(forward).out(DefaultSlot, to_audit).build();
            })
    };
    in_both_modes(app, async |tb: &TestApp<()>| {
        send(&tb.broker::<MemoryBroker>(), "parcels", 1).await;
        let audit = tb.broker::<MemoryBroker<Retaining>>();
        audit
            .published("audit")
            .assert_called_once()
            .with(&parcel(1));
        tb.broker::<MemoryBroker>()
            .published::<()>("audit")
            .assert_not_called();
    })
    .await;
}
