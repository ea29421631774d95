//! Publishing over both models: what is accepted, and what is refused and how.

use std::error::Error;
use std::time::Duration;

use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy};
use ruststream::{BytesMut, HeaderMap, OutgoingMessage, Publisher};
use ruststream_nats::{
    JetStreamOptions, JetStreamPublish, JetStreamPublisher, NatsError, NatsPublish,
};

use crate::support::{
    Server, assert_quiet, connect, message, next, on_every_server, raw, stream, text,
};

fn with_id(id: &str) -> JetStreamOptions {
    JetStreamOptions {
        message_id: Some(id.to_owned()),
        ..JetStreamOptions::default()
    }
}

/// The client's kind of a stream's refusal.
fn kind(error: &NatsError) -> PublishErrorKind {
    assert!(matches!(error, NatsError::JetStream(_)), "{error}");
    let source = error.source().expect("the client's error");
    source
        .downcast_ref::<PublishError>()
        .expect("the client's type")
        .kind()
}

async fn publisher(server: &Server) -> JetStreamPublisher {
    connect(server).await.publisher(JetStreamPublish::default())
}

// NATS-105, NATS-F20, NATS-F26, NATS-T23
#[tokio::test]
async fn a_repeated_message_id_is_acknowledged_and_stored_once() {
    on_every_server(async |server| {
        let stored = stream(&server, "LEDGER", &["ledger.*"]).await;
        let publisher = publisher(&server).await;
        let id = with_id("a-1");

        let first = publisher
            .publish_ack(message("ledger.a", "1"), Some(&id))
            .await
            .expect("stored");
        let again = publisher
            .publish_ack(message("ledger.b", "2"), Some(&id))
            .await
            .expect("known");

        assert_eq!(
            (first.stream.as_str(), first.sequence, first.duplicate),
            ("LEDGER", 1, false)
        );
        assert_eq!((again.sequence, again.duplicate), (1, true));
        assert_eq!(stored.get_info().await.expect("info").state.messages, 1);
    })
    .await;
}

// NATS-105, NATS-106, NATS-F21, NATS-F22, NATS-F23, NATS-T23
#[tokio::test]
async fn an_expectation_that_is_not_met_is_refused() {
    on_every_server(async |server| {
        let stored = stream(&server, "LEDGER", &["ledger.*"]).await;
        let publisher = publisher(&server).await;
        let first = with_id("a-1");
        publisher
            .publish(message("ledger.a", "1"), Some(&first))
            .await
            .expect("stored");
        let none = JetStreamOptions::default;
        let met = [
            JetStreamOptions {
                expect_last_sequence: Some(1),
                ..none()
            },
            JetStreamOptions {
                expect_last_subject_sequence: Some(2),
                ..none()
            },
            JetStreamOptions {
                expect_last_subject_sequence: Some(3),
                ..with_id("a-2")
            },
            JetStreamOptions {
                expect_last_message_id: Some("a-2".into()),
                ..none()
            },
        ];
        for options in &met {
            publisher
                .publish(message("ledger.a", "2"), Some(options))
                .await
                .expect("met");
        }
        let violated = [
            (
                JetStreamOptions {
                    expect_last_sequence: Some(1),
                    ..none()
                },
                PublishErrorKind::WrongLastSequence,
            ),
            (
                JetStreamOptions {
                    expect_last_subject_sequence: Some(1),
                    ..none()
                },
                PublishErrorKind::WrongLastSequence,
            ),
            (
                JetStreamOptions {
                    expect_last_message_id: Some("a-1".into()),
                    ..none()
                },
                PublishErrorKind::WrongLastMessageId,
            ),
        ];

        for (options, expected) in &violated {
            let refused = publisher
                .publish(message("ledger.a", "3"), Some(options))
                .await;
            assert_eq!(
                kind(&refused.expect_err("refused")),
                *expected,
                "{options:?}"
            );
        }

        let wrong = connect(&server)
            .await
            .publisher(JetStreamPublish::default().expect_stream("OTHER"));
        let refused = wrong
            .publish(message("ledger.a", "3"), None)
            .await
            .expect_err("refused");
        assert_eq!(kind(&refused), PublishErrorKind::Other);
        assert_eq!(stored.get_info().await.expect("info").state.messages, 5);
    })
    .await;
}

// NATS-105, NATS-F23, NATS-T24
#[tokio::test]
async fn what_a_stream_refuses_is_told_by_the_variant_and_its_kind() {
    on_every_server(async |server| {
        let context = async_nats::jetstream::new(raw(&server).await);
        let config = Config {
            name: "LEDGER".into(),
            subjects: vec!["ledger.*".into()],
            max_messages: 1,
            max_message_size: 1000,
            discard: DiscardPolicy::New,
            ..Config::default()
        };
        context.create_stream(config).await.expect("created");
        let publisher = publisher(&server).await;

        let nowhere = publisher
            .publish(message("nowhere", "1"), None)
            .await
            .expect_err("no stream");
        let large = publisher
            .publish(message("ledger.a", &"x".repeat(2000)), None)
            .await;
        publisher
            .publish(message("ledger.a", "1"), None)
            .await
            .expect("stored");
        let full = publisher
            .publish(message("ledger.a", "2"), None)
            .await
            .expect_err("full");

        assert_eq!(kind(&nowhere), PublishErrorKind::StreamNotFound);
        assert_eq!(
            kind(&large.expect_err("above the stream's limit")),
            PublishErrorKind::Other
        );
        assert_eq!(kind(&full), PublishErrorKind::Other);
    })
    .await;
}

// NATS-107: what a cancelled publish came to is unknown; a message id makes it repeatable
#[tokio::test]
async fn a_cancelled_publish_is_repeated_by_its_message_id_and_stored_once() {
    on_every_server(async |server| {
        let stored = stream(&server, "LEDGER", &["ledger.*"]).await;
        let publisher = publisher(&server).await;
        for number in 0..100 {
            let id = with_id(&format!("a-{number}"));
            let publish = || publisher.publish_ack(message("ledger.a", "1"), Some(&id));

            // Given up before, while or after the stream has answered.
            let patience = Duration::from_micros(number * 20);
            let _unknown = tokio::time::timeout(patience, publish()).await;

            publish().await.expect("stored, once");
        }
        assert_eq!(stored.get_info().await.expect("info").state.messages, 100);
    })
    .await;
}

// NATS-103, NATS-T24
#[tokio::test]
async fn the_servers_limit_of_a_payload_is_kept_by_the_client() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = ruststream::Subscribe::subscribe(&broker, "scans")
            .await
            .expect("opened");
        let core = broker.publisher(NatsPublish);
        let stored = broker.publisher(JetStreamPublish::default());
        let of = |length: usize| BytesMut::zeroed(length);
        let limit = 1024 * 1024;

        core.publish(OutgoingMessage::produced("scans", of(limit)), None)
            .await
            .expect("the limit");
        let over = core
            .publish(OutgoingMessage::produced("scans", of(limit + 1)), None)
            .await;
        let headers: HeaderMap = [("trace", "7")].into_iter().collect();
        let with_headers = OutgoingMessage::produced("scans", of(limit)).with_headers(headers);
        let over_by_headers = core.publish(with_headers, None).await;
        let over_in_stream = stored
            .publish(OutgoingMessage::produced("ledger.a", of(limit + 1)), None)
            .await;

        for refused in [over, over_by_headers, over_in_stream] {
            let error = refused.expect_err("above the limit");
            assert!(matches!(error, NatsError::Publish(_)), "{error}");
            let text = error.to_string();
            assert!(text.contains("1048576"), "the limit is stated: {text}");
        }
        assert_eq!(
            ruststream::IncomingMessage::payload(&next(&mut subscriber).await).len(),
            limit
        );
        assert_quiet(&mut subscriber).await;
        core.publish(message("scans", "after"), None)
            .await
            .expect("the connection is kept");
        assert_eq!(text(&next(&mut subscriber).await), "after");
    })
    .await;
}

// NATS-102, NATS-F28
#[tokio::test]
async fn a_destination_is_any_subject_without_whitespace() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let mut subscriber = broker
            .subscribe_with(ruststream_nats::CoreWildcard::new("bays.*"))
            .await
            .expect("opened");
        let core = broker.publisher(NatsPublish);
        for bad in ["", "a b", "a\tb", "a\r\nb"] {
            let error = core
                .publish(message(bad, "1"), None)
                .await
                .expect_err("refused");
            assert!(matches!(error, NatsError::Publish(_)), "{bad:?}: {error}");
        }

        core.publish(message("bays.*", "literal"), None)
            .await
            .expect("taken literally");
        core.publish(message("a..b", "nobody"), None)
            .await
            .expect("reaches nobody");

        assert_eq!(text(&next(&mut subscriber).await), "literal");
    })
    .await;
}

// NATS-108, NATS-109, NATS-F25, NATS-T25
#[tokio::test]
async fn an_applications_header_never_means_anything_to_the_server() {
    on_every_server(async |server| {
        let stored = stream(&server, "LEDGER", &["ledger.*"]).await;
        let publisher = publisher(&server).await;
        for _ in 0..2 {
            let headers: HeaderMap = [
                ("nats-msg-id", "a-1"),
                ("nats-expected-stream", "OTHER"),
                ("trace", "7"),
            ]
            .into_iter()
            .collect();
            let message = message("ledger.a", "1").with_headers(headers);
            publisher.publish(message, None).await.expect("stored");
        }
        assert_eq!(stored.get_info().await.expect("info").state.messages, 2);

        let headers: HeaderMap = [("trace", "7")].into_iter().collect();
        let with_both = message("ledger.a", "2").with_headers(headers);
        publisher
            .publish(with_both, Some(&with_id("b-1")))
            .await
            .expect("stored");
        let read = stored.get_raw_message(3).await.expect("the message");
        assert_eq!(
            read.headers
                .get("trace")
                .map(async_nats::HeaderValue::as_str),
            Some("7")
        );
        assert_eq!(
            read.headers
                .get("Nats-Msg-Id")
                .map(async_nats::HeaderValue::as_str),
            Some("b-1")
        );
    })
    .await;
}
