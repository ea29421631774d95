//! The options of a publish (TEST-49, TEST-55, TEST-58).

use ruststream::memory::{MemoryBroker, MemoryPublish, Retaining, Retention};
use ruststream::prelude::*;
use ruststream::testing::{PublishedAssertions, TestApp};

use crate::support::station::{Dispatch, Ground, Station, Urgency};
use crate::support::{Parcel, assert_contains, failure, in_both_modes, info, parcel, send};

#[derive(OutSlot)]
#[publishes(Parcel)]
struct Express;

/// Publishes with the parcel's number as its urgency; none for zero.
#[subscriber("inward")]
async fn relay(parcel: &Parcel, Out(express): Out<impl Publisher<Options = Urgency>, Express>) {
    let payload = Parcel { id: 1 };
    let mut publish = express.message(&payload).to("onward");
    if let Ok(urgency @ 1..) = u8::try_from(parcel.id) {
        *publish.options_mut() = Some(Urgency(urgency));
    }
    publish.publish().await.unwrap();
}

/// Publishes two of one payload.
#[subscriber("twice")]
async fn twice(parcel: &Parcel, Out(express): Out<impl Publisher<Options = Urgency>, Express>) {
    for urgency in [1, 2] {
        let mut publish = express.message(parcel).to("onward");
        *publish.options_mut() = Some(Urgency(urgency));
        publish.publish().await.unwrap();
    }
}

#[subscriber("answered", reply("onward"))]
async fn answer(parcel: &Parcel) -> Parcel {
    parcel.clone()
}

#[subscriber("failing")]
async fn fail(_parcel: &Parcel) -> HandlerOutcome {
    HandlerOutcome::retry()
}

fn depot() -> impl App<State = ()> {
    RustStream::new(info()).with_broker(Station::new("a", &Ground::default()), |b| {
        b.include(relay).out(Express, Dispatch).build();
        b.include(twice).out(Express, Dispatch).build();
        b.include(answer);
        b.include(fail)
            .max_attempts(nonzero!(2))
            .dead_letter("dead");
    })
}

fn onward(tb: &TestApp<()>) -> PublishedAssertions<Parcel> {
    tb.broker::<Station>().published("onward")
}

// TEST-49, TEST-55, CORE-118, CORE-278, CORE-119
#[tokio::test]
async fn the_options_of_the_latest_publish() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let station = tb.broker::<Station>();
        for urgency in [3, 4] {
            send(&station, "inward", urgency).await;
        }
        for view in [
            |tb| onward(tb).decoded_as(),
            |tb: &TestApp<()>| tb.out::<Express>(),
        ] {
            view(tb).with_options(&Urgency(4));
            assert_contains(
                &failure(|| view(tb).with_options(&Urgency(3))),
                &["unexpected per-message options", "Urgency(3)", "Urgency(4)"],
            );
            assert_contains(
                &failure(|| view(tb).assert_options_default()),
                &["published with per-message options set", "station::Urgency"],
            );
            let other = failure(|| view(tb).with_options(&7_u8));
            assert_contains(&other, &["station::Urgency`, not `u8`"]);
        }
    })
    .await;
}

// TEST-55
#[tokio::test]
async fn options_that_are_not_set() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        send(&tb.broker::<Station>(), "inward", 0).await;
        for view in [
            |tb| onward(tb).decoded_as(),
            |tb: &TestApp<()>| tb.out::<Express>(),
        ] {
            view(tb).assert_options_default();
            assert_contains(
                &failure(|| view(tb).with_options(&Urgency(0))),
                &["published with the policy's default options"],
            );
        }
    })
    .await;
}

// TEST-49, CORE-116
#[tokio::test]
async fn replies_copies_and_dead_letters_carry_none() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let station = tb.broker::<Station>();
        send(&station, "answered", 7).await;
        onward(tb).assert_called_once().assert_options_default();
        send(&station, "failing", 7).await;
        station
            .published::<Parcel>("failing")
            .assert_called(2)
            .assert_options_default();
        station
            .published::<Parcel>("dead")
            .assert_called_once()
            .assert_options_default();
    })
    .await;
}

// TEST-55
#[tokio::test]
async fn the_test_s_own_message_has_none_recorded() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        send(&tb.broker::<Station>(), "onward", 7).await;
        for failed in [
            failure(|| onward(tb).assert_options_default()),
            failure(|| onward(tb).with_options(&Urgency(1))),
        ] {
            assert_contains(&failed, &["never recorded: the test published it itself"]);
        }
    })
    .await;
}

// TEST-58
#[tokio::test]
async fn messages_of_one_payload_pair_in_order_where_their_publishes_did_not_overlap() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        send(&tb.broker::<Station>(), "twice", 7).await;
        onward(tb).assert_called(2).with_options(&Urgency(2));
    })
    .await;
}

// TEST-58: the message of another publisher makes the answer uncertain.
#[tokio::test]
async fn a_further_copy_of_the_payload_makes_the_options_ambiguous() {
    let tb = TestApp::start(depot()).await.unwrap();
    let station = tb.broker::<Station>();
    send(&station, "inward", 3).await;
    send(&station, "onward", 1).await;
    send(&station, "inward", 4).await;
    // Three messages and three records, none at the same time: paired in order.
    onward(&tb).assert_called(3).with_options(&Urgency(4));
    send(&station, "onward", 1).await;
    assert_contains(
        &failure(|| onward(&tb).assert_options_default()),
        &["never recorded"],
    );
}

// TEST-58, TEST-39
#[tokio::test]
async fn options_are_of_one_broker() {
    let app = || {
        let ground = Ground::default();
        RustStream::new(info())
            .with_broker_labeled("a", Station::new("a", &ground), |b| {
                b.include(relay).out(Express, Dispatch).build();
            })
            .with_broker_labeled("b", Station::new("b", &ground), |b| {
                b.include(relay).out(Express, Dispatch).build();
            })
    };
    in_both_modes(app, async |tb: &TestApp<()>| {
        send(&tb.broker_named("a"), "inward", 3).await;
        send(&tb.broker_named("b"), "inward", 4).await;
        tb.broker_named("a")
            .published::<Parcel>("onward")
            .with_options(&Urgency(3));
        tb.broker_named("b")
            .published::<Parcel>("onward")
            .with_options(&Urgency(4));
    })
    .await;
}

/// A retaining broker that keeps two, with a handler that publishes to `onward`.
async fn retaining() -> (TestApp<()>, ruststream::memory::MemoryPublisher) {
    #[subscriber("inward", reply("onward"))]
    async fn forward(parcel: &Parcel) -> Parcel {
        parcel.clone()
    }
    let bus = MemoryBroker::retaining(Retention::Messages(nonzero!(2)));
    let publisher = bus.publisher();
    let app = RustStream::new(info()).with_broker(bus, |b| {
        b.include(forward);
    });
    (TestApp::start(app).await.unwrap(), publisher)
}

fn kept(tb: &TestApp<()>) -> PublishedAssertions<Parcel> {
    tb.broker::<MemoryBroker<Retaining>>().published("onward")
}

// TEST-57, TEST-58
#[tokio::test]
async fn what_the_log_no_longer_holds_is_left_out_of_the_join() {
    let (tb, _publisher) = retaining().await;
    for id in [1, 2, 3] {
        send(&tb.broker::<MemoryBroker<Retaining>>(), "inward", id).await;
    }
    assert_eq!(kept(&tb).decoded(), [parcel(2), parcel(3)]);
    kept(&tb).assert_options_default();
}

// TEST-58 step 1: a publish that the harness did not see, in a log that lost some.
#[tokio::test]
async fn a_log_that_lost_unseen_messages_is_not_guessed_about() {
    let (tb, publisher) = retaining().await;
    let broker = tb.broker::<MemoryBroker<Retaining>>();
    publisher
        .message(&parcel(9))
        .to("onward")
        .publish()
        .await
        .unwrap();
    for id in [1, 2] {
        send(&broker, "inward", id).await;
    }
    let ambiguous = failure(|| kept(&tb).assert_options_default());
    assert_contains(
        &ambiguous,
        &["the same payload was published more than once"],
    );
    publisher
        .message(&parcel(8))
        .to("onward")
        .publish()
        .await
        .unwrap();
    assert_contains(
        &failure(|| kept(&tb).assert_options_default()),
        &["never recorded"],
    );
}

// TEST-58: an owned transaction is not recorded.
#[tokio::test]
async fn an_owned_transaction_s_messages_have_none_recorded() {
    #[subscriber("inward")]
    async fn owns(parcel: &Parcel, Out(out): Out<impl OwnedTransactions>) {
        let mut owned = out.transaction().await.unwrap();
        owned.message(parcel).to("onward").publish().await.unwrap();
        owned.commit().await.unwrap();
    }
    let app = RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
        b.include(owns).out(DefaultSlot, MemoryPublish).build();
    });
    let tb = TestApp::start(app).await.unwrap();
    send(&tb.broker::<MemoryBroker>(), "inward", 1).await;
    let published = tb.broker::<MemoryBroker>().published::<Parcel>("onward");
    assert_contains(
        &failure(|| published.assert_options_default()),
        &["never recorded"],
    );
}
