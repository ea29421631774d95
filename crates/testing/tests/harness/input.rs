//! A test's own messages (TEST-17 to TEST-21).

use ruststream::codec::{Codec, CodecError, JsonCodec};
use ruststream::memory::MemoryBroker;
use ruststream::prelude::*;
use ruststream::runtime::{Message, PublishError};
use ruststream::testing::{TestApp, TestError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::support::station::{Ground, Station};
use crate::support::{
    Parcel, assert_contains, async_failure, in_both_modes, info, parcel, try_send,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Tenant {
    tenant: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
#[outgoing(name = "labels", headers = Tenant)]
struct Label {
    parcel: u32,
}

#[subscriber("labels")]
async fn label(_label: &Message<Tenant, Label>) {}

#[subscriber("parcels")]
async fn receive(_parcel: &Parcel) {}

/// A codec of the service's own: JSON behind one mark.
#[derive(Debug, Clone, Copy, Default)]
struct Marked;

impl Codec for Marked {
    fn encode<T: Serialize>(&self, value: &T) -> Result<BytesMut, CodecError> {
        let mut buf = BytesMut::new();
        self.encode_into(value, &mut buf)?;
        Ok(buf)
    }

    fn encode_into<T: Serialize>(&self, value: &T, buf: &mut BytesMut) -> Result<(), CodecError> {
        buf.extend_from_slice(b"!");
        JsonCodec.encode_into(value, buf)
    }

    fn decode<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, CodecError> {
        JsonCodec.decode(bytes.strip_prefix(b"!").unwrap_or(b""))
    }
}

fn depot() -> impl App<State = ()> {
    RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
        b.include(label);
        b.include(receive);
    })
}

// TEST-17
#[tokio::test]
async fn the_builder_is_the_one_that_services_use() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let tenant = Tenant {
            tenant: "north".into(),
        };
        let value = Label { parcel: 7 };
        // Of a handle that is gone already: the builder borrows the harness.
        let builder = tb.broker::<MemoryBroker>().message(&value);
        builder.with_headers(&tenant).publish().await.unwrap();
        tb.broker::<MemoryBroker>()
            .subscriber("labels")
            .assert_called_once()
            .with(&value);
        let published = tb.broker::<MemoryBroker>().published::<Label>("labels");
        published.with_header("tenant", "north");
    })
    .await;
}

// TEST-17, TEST-07
#[tokio::test]
async fn a_service_with_a_codec_of_its_own_is_spoken_to_in_it() {
    let app = || {
        RustStream::new(info()).with_broker_codec(MemoryBroker::new(), Marked, |b| {
            b.include(receive);
        })
    };
    in_both_modes(app, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        let value = parcel(7);
        let sent = broker.message(&value).to("parcels").with_codec(Marked);
        sent.publish().await.unwrap();
        let calls = broker.subscriber("parcels").with_codec(&Marked, &parcel(7));
        assert_eq!(calls.received_with::<Parcel, _>(&Marked), [parcel(7)]);
        assert_eq!(calls.batches_with::<Parcel, _>(&Marked), [[parcel(7)]]);
        calls
            .with_raw(br#"!{"id":7}"#)
            .settled(HandlerOutcome::ack());
        broker
            .published::<Parcel>("parcels")
            .with_codec(&Marked, &parcel(7));

        broker.publish("parcels", &parcel(7)).await.unwrap();
        broker.subscriber("parcels").assert_last_failed_to_decode();
    })
    .await;
}

// TEST-18
#[tokio::test]
async fn any_serializable_value_is_sent_by_name_with_headers() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        #[derive(Serialize)]
        struct Undeclared {
            parcel: u32,
        }
        let broker = tb.broker::<MemoryBroker>();
        let tenant = Tenant {
            tenant: "north".into(),
        };
        let value = Undeclared { parcel: 7 };
        broker
            .publish_with_headers("labels", &value, &tenant)
            .await
            .unwrap();
        broker
            .subscriber("labels")
            .with(&Label { parcel: 7 })
            .settled(HandlerOutcome::ack());
    })
    .await;
}

// TEST-18
#[tokio::test]
async fn what_does_not_encode_is_an_error_with_the_codec_s_text() {
    struct Broken;
    impl Serialize for Broken {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("the scale is broken"))
        }
    }
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        let Err(TestError::Encode(text)) = broker.publish("parcels", &Broken).await else {
            panic!("must not encode");
        };
        assert_contains(&text, &["the scale is broken"]);
        let refused = broker
            .publish_with_headers("parcels", &parcel(1), &[1])
            .await;
        assert!(matches!(refused, Err(TestError::Encode(_))), "{refused:?}");
        broker.subscriber("parcels").assert_not_called();
    })
    .await;
}

// TEST-20, TEST-21
#[tokio::test]
async fn live_a_refusal_is_an_error_and_is_not_recorded() {
    let ground = Ground::default();
    let app = RustStream::new(info()).with_broker_labeled("hub", Station::new("a", &ground), |b| {
        b.include(receive);
    });
    let tb = TestApp::start_live(app).await.unwrap();
    ground.refuse("publish parcels");
    for station in [tb.broker::<Station>(), tb.broker_named("hub")] {
        let Err(TestError::Publish { broker, source }) = try_send(&station, "parcels", 1).await
        else {
            panic!("must be refused");
        };
        assert_eq!(broker, "hub");
        assert_contains(&source.to_string(), &["refuses to publish parcels"]);
        station.published::<Parcel>("parcels").assert_not_called();
    }
}

// TEST-67, TEST-20
#[tokio::test]
async fn in_process_a_message_the_transport_refuses_panics_with_its_destination() {
    let bus = MemoryBroker::new();
    let app = RustStream::new(info()).with_broker(bus.clone(), |b| {
        b.include(receive);
    });
    let tb = TestApp::start(app).await.unwrap();
    let connected = Broker::connect(bus).await.unwrap();
    ruststream::ConnectedBroker::shutdown(connected)
        .await
        .unwrap();
    let panic = async_failure(try_send(&tb.broker::<MemoryBroker>(), "parcels", 1)).await;
    assert_contains(&panic, &["`parcels`"]);
}

// TEST-20: the stop is told before anything is handed over, and after the ambiguity.
#[tokio::test]
async fn a_stopped_service_takes_no_message() {
    #[subscriber("break")]
    async fn breaks(_parcel: &Parcel) {
        panic!("torn");
    }
    let app = || {
        RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
            b.include(breaks);
        })
    };
    in_both_modes(app, async |tb: &TestApp<()>| {
        tb.publish("break", &parcel(1)).await.unwrap();
        let refused = tb.publish("break", &parcel(2)).await;
        assert!(matches!(refused, Err(TestError::ShutDown)));
        let refused = tb.message(&parcel(2)).to("break").publish().await;
        assert!(matches!(
            refused,
            Err(PublishError::Publish(TestError::ShutDown))
        ));
        let published = tb.broker::<MemoryBroker>().published::<Parcel>("break");
        published.assert_called_once().with(&parcel(1));
    })
    .await;
}
