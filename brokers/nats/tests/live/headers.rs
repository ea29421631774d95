//! Headers on the wire, in both directions and on both models.

use async_nats::HeaderMap as WireHeaders;
use ruststream::{HeaderMap, IncomingMessage, Partitioned, Publisher};
use ruststream_nats::{JetStreamSubject, NatsError, NatsPublish, PARTITION_KEY_HEADER};

use crate::support::{
    assert_quiet, connect, message, next, on_every_server, publish_with, raw, stream,
};

// NATS-150, NATS-T06
#[tokio::test]
async fn a_header_goes_out_as_the_map_holds_it() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let mut wire = raw(&server)
            .await
            .subscribe("scans")
            .await
            .expect("subscribed");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        let headers: HeaderMap = [("X-Trace", "7"), ("empty", "")].into_iter().collect();

        publish_with(&broker, "scans", "1", headers).await;

        let received = futures_util::StreamExt::next(&mut wire)
            .await
            .expect("received");
        let sent = received.headers.expect("headers");
        let values = |name: &str| sent.get(name).map(|value| value.as_str().to_owned());
        assert_eq!(
            (values("x-trace"), values("empty")),
            (Some("7".into()), Some(String::new()))
        );
        assert_eq!(sent.len(), 2);
    })
    .await;
}

// NATS-104, NATS-150, NATS-T06
#[tokio::test]
async fn a_header_that_cannot_be_carried_fails_the_publish_and_nothing_is_sent() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let mut subscriber = ruststream::Subscribe::subscribe(&broker, "scans")
            .await
            .expect("opened");
        let publisher = broker.publisher(NatsPublish);
        let bad: [(&str, &[u8]); 5] = [
            ("a:b", b"1"),
            ("a b", b"1"),
            ("trace", b"1\r\n2"),
            ("trace", b"\xff"),
            ("", b"1"),
        ];
        for (name, value) in bad {
            let headers: HeaderMap = [(name.to_owned(), value.to_vec())].into_iter().collect();
            let refused = message("scans", "1").with_headers(headers);
            let error = publisher.publish(refused, None).await.expect_err("refused");
            assert!(matches!(error, NatsError::Publish(_)) && error.to_string().contains(name));
        }
        assert_quiet(&mut subscriber).await;
    })
    .await;
}

// NATS-151, NATS-T06
#[tokio::test]
async fn of_several_values_the_first_is_kept_and_names_lose_their_case() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let mut subscriber = ruststream::Subscribe::subscribe(&broker, "scans")
            .await
            .expect("opened");
        let mut headers = WireHeaders::new();
        headers.append("X-Trace", "first");
        headers.append("X-Trace", "second");
        headers.append("Nats-Msg-Id", "a-1");

        let beside = raw(&server).await;
        beside
            .publish_with_headers("scans", headers, "1".into())
            .await
            .expect("sent");

        let delivery = next(&mut subscriber).await;
        assert_eq!(delivery.headers().get_str("x-trace"), Some("first"));
        assert_eq!(delivery.headers().get_str("nats-msg-id"), Some("a-1"));
        assert_eq!(delivery.headers().len(), 2);
    })
    .await;
}

// NATS-152, NATS-T06
#[tokio::test]
async fn a_reply_subject_is_a_header_on_core_and_none_in_a_stream() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut core = ruststream::Subscribe::subscribe(&broker, "scans")
            .await
            .expect("opened");
        let source = JetStreamSubject::new("ledger.*", "LEDGER");
        let mut stored = broker.subscribe_with(source).await.expect("opened");
        let mut headers = WireHeaders::new();
        headers.insert("reply-to", "written");
        let beside = raw(&server).await;

        for subject in ["scans", "ledger.a"] {
            let sent = beside.publish_with_reply_and_headers(
                subject,
                "wire.inbox",
                headers.clone(),
                "1".into(),
            );
            sent.await.expect("sent");
        }

        let heard = next(&mut core).await;
        assert_eq!(heard.headers().reply_to(), Some("wire.inbox"));
        let read = next(&mut stored).await;
        assert_eq!(read.headers().reply_to(), Some("written"));
    })
    .await;
}

// NATS-154
#[tokio::test]
async fn the_partition_key_is_the_senders_header() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let mut subscriber = ruststream::Subscribe::subscribe(&broker, "scans")
            .await
            .expect("opened");
        let headers: HeaderMap = [(PARTITION_KEY_HEADER, "belt-7")].into_iter().collect();
        publish_with(&broker, "scans", "1", headers).await;
        publish_with(&broker, "scans", "2", HeaderMap::new()).await;

        let (keyed, plain) = (next(&mut subscriber).await, next(&mut subscriber).await);

        assert_eq!(IncomingMessage::partition_key(&keyed), Some(&b"belt-7"[..]));
        assert_eq!(Partitioned::partition_key(&keyed), Some(&b"belt-7"[..]));
        assert_eq!(IncomingMessage::partition_key(&plain), None);
    })
    .await;
}
