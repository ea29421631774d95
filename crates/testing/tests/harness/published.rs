//! Every assertion on what was published, where it holds and where it does not.

use ruststream::OutgoingMessage;
use ruststream::codec::JsonCodec;
use ruststream::memory::MemoryBroker;
use ruststream::prelude::*;
use ruststream::testing::{PublishedAssertions, TestApp};

use crate::support::station::{Dispatch, Ground, Station};
use crate::support::{
    MS, Parcel, SECOND, assert_contains, failure, in_both_modes, info, parcel, send,
};

#[derive(OutSlot)]
#[publishes(Parcel)]
struct Onward;

#[subscriber("inward")]
async fn relay(parcel: &Parcel, Out(onward): Out<impl Publisher, Onward>) -> HandlerOutcome {
    let mut headers = HeaderMap::new();
    headers.insert("tenant", "north");
    let sent = onward
        .message(parcel)
        .to("onward")
        .with_headers(headers)
        .publish()
        .await;
    match sent {
        Ok(()) => HandlerOutcome::ack(),
        Err(_) => HandlerOutcome::drop(),
    }
}

fn depot() -> impl App<State = ()> {
    RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
        b.include(relay)
            .out(Onward, ruststream::memory::MemoryPublish)
            .build();
    })
}

fn onward<T>(tb: &TestApp<()>) -> PublishedAssertions<T> {
    tb.broker::<MemoryBroker>().published("onward")
}

// TEST-50, TEST-56
#[tokio::test]
async fn counting_messages() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        onward::<Parcel>(tb).assert_not_called();
        let broker = tb.broker::<MemoryBroker>();
        send(&broker, "inward", 1).await;
        onward::<Parcel>(tb).assert_called_once();
        send(&broker, "inward", 2).await;
        onward::<Parcel>(tb).assert_called(2);
        assert_contains(
            &failure(|| onward::<Parcel>(tb).assert_called_once()),
            &[
                "channel \"onward\" was published to 2 times, expected exactly once",
                "\n  1. {\"id\":1}\n  2. {\"id\":2}",
            ],
        );
        assert_contains(
            &failure(|| onward::<()>(tb).assert_called(3)),
            &["expected 3"],
        );
        let never = failure(|| onward::<()>(tb).assert_not_called());
        assert_contains(&never, &["expected never"]);
        broker.published::<Parcel>("a typo").assert_not_called();
        for failed in [
            failure(|| broker.published::<Parcel>("a typo").assert_called_once()),
            failure(|| broker.published("a typo").with(&parcel(1))),
        ] {
            assert_contains(
                &failed,
                &["published on this broker: \"inward\", \"onward\""],
            );
        }
    })
    .await;
}

// TEST-50, TEST-54: whatever fails, before a publish and after two.
#[tokio::test]
async fn every_failure_names_its_destination() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let wrong: [fn(&TestApp<()>); 9] = [
            |tb| drop(onward::<()>(tb).assert_called_once()),
            |tb| drop(onward::<()>(tb).assert_called(1)),
            |tb| drop(onward(tb).with(&parcel(8))),
            |tb| drop(onward(tb).with_codec(&JsonCodec, &parcel(8))),
            |tb| drop(onward::<()>(tb).with_raw(b"")),
            |tb| drop(onward::<()>(tb).with_header("lane", "3")),
            |tb| drop(onward::<()>(tb).with_options(&8_u32)),
            |tb| drop(tb.out::<Onward>().with_raw(b"")),
            |tb| onward::<()>(tb).assert_not_called(),
        ];
        let named = |wrong: &fn(&TestApp<()>)| {
            let told = failure(|| wrong(tb));
            let named = told.contains("\"onward\"") || told.contains("Out slot `Onward`");
            assert!(named, "{told}");
        };
        wrong[..8].iter().for_each(named);
        let broker = tb.broker::<MemoryBroker>();
        send(&broker, "inward", 1).await;
        send(&broker, "inward", 2).await;
        wrong.iter().for_each(named);
    })
    .await;
}

// TEST-54
#[tokio::test]
async fn the_last_message() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        send(&broker, "inward", 1).await;
        send(&broker, "inward", 2).await;

        onward(tb)
            .with(&parcel(2))
            .with_codec(&JsonCodec, &parcel(2))
            .with_raw(br#"{"id":2}"#);
        let failed = failure(|| onward(tb).with(&parcel(1)));
        assert_contains(
            &failed,
            &[
                "published an unexpected value",
                "Parcel { id: 1 }",
                "Parcel { id: 2 }",
            ],
        );
        assert_contains(
            &failure(|| onward(tb).with(&"text".to_owned())),
            &["published a payload that did not decode as alloc::string::String: "],
        );
        assert_contains(
            &failure(|| onward::<()>(tb).with_raw(b"{}")),
            &[
                "channel \"onward\" published unexpected raw bytes",
                "expected: {}",
                "published: {\"id\":2}",
            ],
        );
    })
    .await;
}

// TEST-54
#[tokio::test]
async fn a_header_of_the_last_message() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        send(&tb.broker::<MemoryBroker>(), "inward", 1).await;
        onward::<()>(tb)
            .with_header("Tenant", "north")
            .with_header("tenant", b"north");
        assert_contains(
            &failure(|| onward::<()>(tb).with_header("tenant", "south")),
            &["published an unexpected \"tenant\" header"],
        );
        assert_contains(
            &failure(|| onward::<()>(tb).with_header("Lane", "3")),
            &["without the \"Lane\" header"],
        );
    })
    .await;
}

// TEST-50
#[tokio::test]
async fn all_messages() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        for id in [1, 2, 3] {
            send(&broker, "inward", id).await;
        }
        let all = onward::<Parcel>(tb);
        assert_eq!(all.decoded(), [parcel(1), parcel(2), parcel(3)]);
        assert_eq!(all.decoded_with(&JsonCodec).len(), 3);
        let first = &all.messages()[0];
        assert_eq!(
            (first.name(), first.payload()),
            ("onward", &br#"{"id":1}"#[..])
        );
        assert_eq!(first.headers().get_str("tenant"), Some("north"));
        let retyped = all.decoded_as::<String>();
        assert_contains(&failure(|| retyped.decoded()), &["did not decode as"]);
    })
    .await;
}

// TEST-54
#[tokio::test]
async fn nothing_to_look_at() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        for (failed, what) in [
            (failure(|| onward(tb).with(&parcel(1))), "a value"),
            (failure(|| onward::<()>(tb).with_raw(b"")), "raw bytes"),
            (
                failure(|| onward::<()>(tb).with_header("a", "b")),
                "a header",
            ),
            (
                failure(|| onward::<()>(tb).with_options(&())),
                "per-message options",
            ),
            (
                failure(|| onward::<()>(tb).assert_options_default()),
                "default options",
            ),
        ] {
            let expected = format!("nothing was published to \"onward\", cannot assert {what}");
            assert_contains(&failed, &[&expected]);
        }
        assert!(onward::<Parcel>(tb).decoded().is_empty());
    })
    .await;
}

// TEST-50: a view is what it was when it was taken.
#[tokio::test]
async fn a_view_of_messages_is_a_snapshot() {
    let tb = TestApp::start(depot()).await.unwrap();
    let before = onward::<Parcel>(&tb);
    send(&tb.broker::<MemoryBroker>(), "inward", 1).await;
    before.assert_not_called();
}

// TEST-47, TEST-54
#[tokio::test]
async fn a_slot_s_view_is_named_for_the_slot_and_holds_what_was_attempted() {
    let ground = Ground::default();
    let app = || {
        RustStream::new(info()).with_broker(Station::new("a", &ground), |b| {
            b.include(relay).out(Onward, Dispatch).build();
        })
    };
    in_both_modes(app, async |tb: &TestApp<()>| {
        let slot = || tb.out::<Onward>();
        slot().assert_not_called();
        let nothing = failure(|| slot().with_raw(b""));
        assert_contains(
            &nothing,
            &["nothing was published to Out slot `Onward`, cannot assert"],
        );

        send(&tb.broker::<Station>(), "inward", 1).await;
        slot()
            .assert_called_once()
            .decoded_as::<Parcel>()
            .with(&parcel(1));
        slot().with_header("tenant", "north");

        ground.refuse("publish onward");
        send(&tb.broker::<Station>(), "inward", 2).await;
        ground.allow();
        slot()
            .assert_called(2)
            .decoded_as::<Parcel>()
            .with(&parcel(2));
        tb.broker::<Station>()
            .published::<Parcel>("onward")
            .assert_called_once();
        let twice = failure(|| slot().assert_called_once());
        assert_contains(&twice, &["Out slot `Onward` was published to 2 times"]);
    })
    .await;
}

// TEST-48
#[tokio::test]
async fn a_spawned_task_s_publish_is_no_slot_s() {
    #[subscriber("inward")]
    async fn spawns(parcel: &Parcel, Out(onward): Out<impl Publisher + Clone, Onward>) {
        let (publisher, parcel) = ((**onward).clone(), parcel.clone());
        let task = tokio::spawn(async move {
            publisher
                .message(&parcel)
                .to("onward")
                .publish()
                .await
                .is_ok()
        });
        assert!(task.await.unwrap());
    }
    let app = RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
        b.include(spawns)
            .out(Onward, ruststream::memory::MemoryPublish)
            .build();
    });
    let tb = TestApp::start(app).await.unwrap();
    send(&tb.broker::<MemoryBroker>(), "inward", 1).await;
    tb.out::<Onward>().assert_not_called();
    onward::<Parcel>(&tb).assert_called_once();
}

// TEST-48, TEST-40, PUB-713
#[tokio::test]
async fn a_borrowed_transaction_is_the_slot_s_and_an_owned_one_is_not() {
    #[subscriber("inward")]
    async fn transacts(
        parcel: &Parcel,
        Out(onward): Out<impl TransactionalPublisher + OwnedTransactions, Onward>,
    ) {
        let borrowed = onward.begin().await.unwrap();
        borrowed
            .message(parcel)
            .to("onward")
            .publish()
            .await
            .unwrap();
        borrowed.commit().await.unwrap();
        let mut owned = onward.transaction().await.unwrap();
        owned.message(parcel).to("onward").publish().await.unwrap();
        owned.commit().await.unwrap();
    }
    let app = RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
        b.include(transacts)
            .out(Onward, ruststream::memory::MemoryPublish)
            .build();
    });
    let tb = TestApp::start(app).await.unwrap();
    send(&tb.broker::<MemoryBroker>(), "inward", 1).await;
    tb.out::<Onward>().assert_called_once();
    onward::<Parcel>(&tb).assert_called(2);
}

// PUB-724, TEST-40
#[tokio::test]
async fn a_request_is_the_slot_s_and_once_it_is_answered_the_channel_s() {
    #[subscriber("inward")]
    async fn asks(parcel: &Parcel, Out(onward): Out<impl RequestReply, Onward>) {
        let bytes = parcel.id.to_string();
        let ask = OutgoingMessage::new("onward", bytes.as_bytes());
        let (answered, patience) = if parcel.id == 1 {
            (true, SECOND)
        } else {
            (false, MS)
        };
        let reply = RequestReply::request(onward, ask, patience).await;
        assert_eq!(reply.is_ok(), answered);
        let told = onward.message(parcel).to("notices").publish().await;
        told.expect("publishes");
    }
    #[subscriber("onward")]
    async fn answers(
        id: &u32,
        ctx: &mut Context<'_>,
        Out(out): Out<impl Publisher>,
    ) -> HandlerOutcome {
        let Some(inbox) = ctx.headers().reply_to() else {
            return HandlerOutcome::drop();
        };
        if *id == 1 {
            let sent = out.message(&parcel(*id)).to(inbox).publish().await;
            sent.expect("publishes");
        }
        HandlerOutcome::ack()
    }
    let app = || {
        RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
            b.include(asks)
                .out(Onward, ruststream::memory::MemoryRequest)
                .build();
            b.include(answers)
                .out(DefaultSlot, ruststream::memory::MemoryPublish)
                .build();
        })
    };
    let tb = TestApp::start_live(app()).await.unwrap();
    let broker = tb.broker::<MemoryBroker>();
    send(&broker, "inward", 1).await;
    tb.out::<Onward>().assert_called(2);
    onward::<u32>(&tb).assert_called_once().with(&1);
    broker.published::<Parcel>("notices").assert_called_once();
    send(&broker, "inward", 2).await;
    tb.out::<Onward>().assert_called(4);
    // Live, the record tells: what failed is the slot's alone.
    onward::<u32>(&tb).assert_called_once();
    broker.published::<Parcel>("notices").assert_called(2);
}

// TEST-56, TEST-23: in process, whoever published.
#[tokio::test]
async fn the_broker_s_log_holds_other_publishers_too() {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(info()).with_broker(bus, |b| {
        b.include(relay)
            .out(Onward, ruststream::memory::MemoryPublish)
            .build();
    });
    let tb = TestApp::start(app).await.unwrap();
    publisher
        .message(&parcel(1))
        .to("onward")
        .publish()
        .await
        .unwrap();
    onward(&tb).assert_called_once().with(&parcel(1));
}

// TEST-56: in process with what the broker's publisher adds, live as it was handed over.
#[tokio::test]
async fn the_broker_s_own_headers_are_in_its_log_and_not_in_the_record() {
    let app = || {
        RustStream::new(info()).with_broker(Station::new("a", &Ground::default()), |b| {
            b.include(relay).out(Onward, Dispatch).build();
        })
    };
    let tb = TestApp::start(app()).await.unwrap();
    let station = tb.broker::<Station>();
    send(&station, "inward", 1).await;
    station
        .published::<Parcel>("onward")
        .with_header("station-stamp", "1");

    let tb = TestApp::start_live(app()).await.unwrap();
    let station = tb.broker::<Station>();
    send(&station, "inward", 1).await;
    let onward = station
        .published::<Parcel>("onward")
        .with_header("tenant", "north");
    assert!(!onward.messages()[0].headers().contains("station-stamp"));
}
