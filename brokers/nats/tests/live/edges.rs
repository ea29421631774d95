//! The limits of servers, exactly at them and one beyond.

use std::collections::HashSet;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::ConnectOptions;
use async_nats::connection::State;
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::select_all;
use ruststream::{
    Broker, BytesMut, ConnectedBroker, HeaderMap, IncomingMessage, OutgoingMessage, Publisher,
    RequestReply, Subscribe, Subscriber, nonzero,
};
use ruststream_nats::{
    ConnectedNatsBroker, CoreWildcard, JetStreamOptions, JetStreamPublish, JetStreamSubject,
    NatsBroker, NatsError, NatsPublish, NonZeroDuration,
};

use crate::support::{
    SOON, assert_quiet, connect, message, next, on_every_server, on_every_server_with, publish,
    raw, settled_up_to, stream, text, until, within,
};

const LIMIT: usize = 8192;

/// A message whose payload and header block are so long together.
fn sized(subject: &str, length: usize) -> OutgoingMessage<'_, BytesMut> {
    let headers: HeaderMap = [("trace", "7")].into_iter().collect();
    let block = "NATS/1.0\r\ntrace: 7\r\n\r\n".len();
    OutgoingMessage::produced(subject, BytesMut::zeroed(length - block)).with_headers(headers)
}

fn refused_by_size(sent: Result<(), NatsError>) {
    let error = sent.expect_err("one above the limit");
    assert!(matches!(error, NatsError::Publish(_)), "{error:?}");
    let (said, limit) = (error.to_string(), LIMIT.to_string());
    assert!(said.contains(&limit), "no `{limit}` in `{said}`");
}

fn connects(broker: &ConnectedNatsBroker) -> u64 {
    let client = broker.client();
    client.statistics().connects.load(Ordering::Relaxed)
}

// NATS-103
#[tokio::test]
async fn payload_and_headers_pass_at_the_limit_and_not_one_above_it_on_both_models() {
    on_every_server_with(&format!("max_payload: {LIMIT}"), async |server| {
        let ledger = stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut scans = broker.subscribe("scans").await.expect("opened");
        let core = broker.publisher(NatsPublish);
        let stored = broker.publisher(JetStreamPublish::default());
        let id = |length: usize| {
            let options = JetStreamOptions {
                message_id: Some("x".repeat(length)),
                ..JetStreamOptions::default()
            };
            Some(options)
        };
        let named = "Nats-Msg-Id: \r\n".len();

        let at = core.publish(sized("scans", LIMIT), None).await;
        at.expect("the limit");
        refused_by_size(core.publish(sized("scans", LIMIT + 1), None).await);
        let at = stored.publish(sized("ledger.a", LIMIT), None).await;
        at.expect("the limit");
        refused_by_size(stored.publish(sized("ledger.a", LIMIT + 1), None).await);
        // What an option writes counts.
        let with_id = sized("ledger.a", LIMIT - named - 10);
        let at = stored.publish(with_id, id(10).as_ref()).await;
        at.expect("the limit");
        let with_id = sized("ledger.a", LIMIT - named - 10);
        refused_by_size(stored.publish(with_id, id(11).as_ref()).await);
        let asked = core.request(sized("scans", LIMIT + 1), SOON).await;
        refused_by_size(asked.map(drop));

        let heard = next(&mut scans).await;
        assert_eq!(heard.headers().get_str("trace"), Some("7"));
        assert_quiet(&mut scans).await;
        assert_eq!(ledger.get_info().await.expect("info").state.messages, 2);
        assert_eq!(connects(&broker), 1, "the connection was kept");
    })
    .await;
}

/// A message whose header block is so long.
fn headed(subject: &str, length: usize) -> OutgoingMessage<'_, BytesMut> {
    let beside = "NATS/1.0\r\ntrace: \r\n\r\n".len();
    let headers: HeaderMap = [("trace", "7".repeat(length - beside))]
        .into_iter()
        .collect();
    message(subject, "1").with_headers(headers)
}

const HEADER_LIMIT: usize = 65_535;

// NATS-103, NATS-105
#[tokio::test]
async fn a_stream_takes_headers_of_64_kib_less_one_and_core_takes_more() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let stored = broker.publisher(JetStreamPublish::default());
        let source = JetStreamSubject::new("ledger.*", "LEDGER").durable("book");
        let mut ledger = broker.subscribe_with(source).await.expect("opened");

        let at = stored.publish(headed("ledger.a", HEADER_LIMIT), None).await;
        at.expect("the limit");
        let beyond = stored
            .publish(headed("ledger.a", HEADER_LIMIT + 1), None)
            .await;

        let error = beyond.expect_err("one above the limit");
        assert!(matches!(error, NatsError::JetStream(_)), "{error:?}");
        let cause = std::error::Error::source(&error).expect("a cause");
        let kind = cause.downcast_ref::<PublishError>().map(PublishError::kind);
        assert_eq!(kind, Some(PublishErrorKind::Other), "{error}");
        let long = next(&mut ledger).await;
        assert!(
            long.headers()
                .get("trace")
                .is_some_and(|value| value.len() > 65_000)
        );
        long.ack().await.expect("acknowledged");
        assert_quiet(&mut ledger).await;

        let mut scans = broker.subscribe("scans").await.expect("opened");
        let core = broker.publisher(NatsPublish);
        let at = core.publish(headed("scans", 500_000), None).await;
        at.expect("below the limit of payloads");
        let long = next(&mut scans).await;
        assert!(
            long.headers()
                .get("trace")
                .is_some_and(|value| value.len() > 499_000)
        );
        assert_eq!(connects(&broker), 1, "the connection was kept");
    })
    .await;
}

/// What a server reads of a line's arguments.
const LINE: usize = 4096;

// NATS-102: what the limit of subjects keeps away
#[tokio::test]
async fn a_line_that_is_too_long_costs_a_raw_client_its_connection() {
    on_every_server(async |server| {
        let client = raw(&server).await;
        let connects = || client.statistics().connects.load(Ordering::Relaxed);
        let mut heard = client.subscribe("*").await.expect("subscribed");
        // The line is the subject, a space and the length of the payload.
        let longest = "x".repeat(LINE - " 1".len());

        let sent = client.publish(longest.clone(), "1".into()).await;
        sent.expect("taken");
        let whole = within(SOON, "the longest", heard.next()).await;
        assert_eq!(whole.map(|heard| heard.subject.len()), Some(longest.len()));
        assert_eq!(connects(), 1);

        let sent = client.publish(format!("{longest}x"), "2".into()).await;
        sent.expect("taken");
        until("another connection", async || connects() == 2).await;
    })
    .await;
}

const LONGEST: usize = 4000;

// NATS-41, NATS-102
#[tokio::test]
async fn a_subject_of_4000_bytes_is_heard_and_a_longer_one_never_leaves() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let longest = "x".repeat(LONGEST);
        let beyond = format!("{longest}x");
        let mut heard = Vec::new();
        let (subject, group) = longest.split_at(LONGEST - 8);
        for source in [
            CoreWildcard::new(longest.as_str()),
            CoreWildcard::new(subject).queue_group(group),
        ] {
            heard.push(broker.subscribe_with(source).await.expect("opened"));
        }
        stream(&server, "LEDGER", &[&longest]).await;
        let stored = broker.publisher(JetStreamPublish::default());

        publish(&broker, &longest, "1").await;
        assert_eq!(text(&next(&mut heard[0]).await), "1");
        publish(&broker, subject, "2").await;
        assert_eq!(text(&next(&mut heard[1]).await), "2");
        let sent = stored.publish_ack(message(&longest, "3"), None).await;
        assert_eq!(sent.expect("stored").sequence, 2);

        let refused = |error: NatsError| {
            let said = error.to_string();
            assert!(said.contains("4000 bytes") && said.len() < 600, "{said}");
            error
        };
        for source in [
            CoreWildcard::new(beyond.as_str()),
            CoreWildcard::new(subject).queue_group(format!("{group}x")),
        ] {
            let opened = broker.subscribe_with(source).await;
            let error = refused(opened.expect_err("a line too long"));
            assert!(matches!(error, NatsError::Subscribe(_)), "{error:?}");
        }
        let source = JetStreamSubject::new("ledger.*", "LEDGER").filter_subject(beyond.as_str());
        let error = refused(broker.subscribe_with(source).await.expect_err("too long"));
        assert!(matches!(error, NatsError::JetStream(_)), "{error:?}");
        let core = broker.publisher(NatsPublish);
        for sent in [
            core.publish(message(&beyond, "1"), None).await,
            core.request(message(&beyond, "1"), SOON).await.map(drop),
            stored.publish(message(&beyond, "1"), None).await,
        ] {
            let error = refused(sent.expect_err("too long"));
            assert!(matches!(error, NatsError::Publish(_)), "{error:?}");
        }
        assert_eq!(connects(&broker), 1, "the connection was kept");
    })
    .await;
}

// NATS-906
#[tokio::test]
async fn a_name_of_255_bytes_is_taken_and_a_longer_one_is_refused() {
    on_every_server(async |server| {
        let (longest, beyond) = ("x".repeat(255), "x".repeat(256));
        stream(&server, &longest, &["ledger.*"]).await;
        let broker = connect(&server).await;
        let source = |stream: &str, durable: &str| {
            let source = JetStreamSubject::new("ledger.*", stream);
            broker.subscribe_with(source.durable(durable))
        };

        let at = source(&longest, &longest).await;

        at.expect("opened");
        for (stream, durable) in [(&beyond, &longest), (&longest, &beyond)] {
            let error = source(stream, durable).await.expect_err("too long");
            assert!(matches!(error, NatsError::JetStream(_)), "{error:?}");
            assert!(error.to_string().contains("255 bytes"), "{error}");
        }
        assert_eq!(connects(&broker), 1, "the connection was kept");
    })
    .await;
}

const MANY: u64 = 5_000;

// NATS-75, NATS-105: more than the client queues, and than an ack window
#[tokio::test]
async fn thousands_of_publishes_and_of_settlements_at_once_all_arrive() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let stored = broker.publisher(JetStreamPublish::default());

        let all = (0..MANY).map(|_| stored.publish_ack(message("ledger.a", "1"), None));
        let all = within(SOON, "the acknowledgements", join_all(all)).await;

        let sequences: HashSet<u64> = all
            .into_iter()
            .map(|ack| ack.expect("stored").sequence)
            .collect();
        assert_eq!(sequences, (1..=MANY).collect());
        let source = JetStreamSubject::new("ledger.*", "LEDGER").durable("book");
        let source = source.max_ack_pending(i64::try_from(MANY).expect("in range"));
        let mut ledger = broker.subscribe_with(source).await.expect("opened");
        let mut held = Vec::new();
        {
            let mut deliveries = pin!(ledger.stream());
            while held.len() < usize::try_from(MANY).expect("in range") {
                let next = within(SOON, "a delivery", deliveries.next()).await;
                held.push(next.expect("goes on").expect("delivered"));
            }
        }
        let settled = join_all(held.into_iter().map(IncomingMessage::ack)).await;
        assert!(settled.iter().all(Result::is_ok));
        settled_up_to(&server, "LEDGER", "book", MANY).await;
        assert_quiet(&mut ledger).await;
    })
    .await;
}

/// How many pulls of a consumer wait at once.
const PULLS: usize = 512;

// NATS-32, NATS-47: the server keeps so many pulls of a consumer
#[tokio::test]
async fn more_readers_than_a_consumer_keeps_pulls_of_are_told_so_and_nothing_is_lost() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let source = || JetStreamSubject::new("ledger.*", "LEDGER").durable("book");
        let mut readers = Vec::new();
        for _ in 0..=PULLS {
            readers.push(broker.subscribe_with(source()).await.expect("opened"));
        }
        let mut all = select_all(readers.iter_mut().map(|reader| Box::pin(reader.stream())));
        // A server that is busy leaves the pull unanswered; that is noticed after 10 s.
        let refusal = within(SOON * 2, "a refusal", all.next()).await;
        let refusal = refusal.expect("goes on").expect_err("one too many");
        let said = refusal.to_string();
        let told = ["Exceeded MaxWaiting", "nothing came of a pull"];
        assert!(told.iter().any(|told| said.contains(told)), "{said}");

        for number in 0..50 {
            publish(&broker, "ledger.a", &number.to_string()).await;
        }

        let mut heard = HashSet::new();
        while heard.len() < 50 {
            let delivery = within(SOON, "all of them", all.next()).await;
            if let Ok(delivery) = delivery.expect("goes on") {
                heard.insert(text(&delivery));
                delivery.ack().await.expect("acknowledged");
            }
        }
        drop(all);
        drop(readers);
        broker.shutdown().await.expect("closed");
    })
    .await;
}

// NATS-161: a batch asks for no more than its size, whatever that is
#[tokio::test]
async fn a_batch_of_any_size_is_one_pull() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let source = JetStreamSubject::new("ledger.*", "LEDGER").durable("book");
        let source = source
            .max_ack_pending(-1)
            .pull_expires(NonZeroDuration::from_secs(nonzero!(1)));
        let mut ledger = broker.subscribe_with(source).await.expect("opened");
        for number in 0..3 {
            publish(&broker, "ledger.a", &number.to_string()).await;
        }

        let mut batches = pin!(ruststream::BatchSubscriber::batches(
            &mut ledger,
            nonzero!(1_000_000)
        ));
        let batch = within(SOON, "a batch", batches.next()).await;

        let batch = batch.expect("goes on").expect("no error");
        assert_eq!(batch.iter().map(text).collect::<Vec<_>>(), ["0", "1", "2"]);
    })
    .await;
}

// NATS-30, NATS-14
#[tokio::test]
async fn a_publish_waits_once_the_client_holds_all_that_it_may() {
    on_every_server(async |mut server| {
        let options = ConnectOptions::new().client_capacity(8);
        let broker = NatsBroker::new(server.url()).with_options(options);
        let broker = broker.connect().await.expect("connects");
        let listener = connect(&server).await;
        server.kill();
        until("the outage", async || {
            broker.client().connection_state() == State::Disconnected
        })
        .await;
        let publisher = broker.publisher(NatsPublish);

        for _ in 0..8 {
            let sent = publisher.publish(message("scans", "1"), None);
            within(SOON, "room", sent).await.expect("taken");
        }
        let mut ninth = pin!(publisher.publish(message("scans", "9"), None));

        let waits = tokio::time::timeout(Duration::from_millis(300), &mut ninth).await;
        assert!(waits.is_err(), "there is no room");
        server.again();
        within(SOON, "room", ninth).await.expect("taken");
        drop(listener);
    })
    .await;
}

// NATS-59
#[tokio::test]
async fn no_more_than_300_are_fetched_ahead_of_who_reads() {
    on_every_server(async |server| {
        let ledger = stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        for _ in 0..1000 {
            publish(&broker, "ledger.a", "1").await;
        }
        let source = JetStreamSubject::new("ledger.*", "LEDGER").durable("book");
        let mut subscriber = broker.subscribe_with(source).await.expect("opened");
        let mut held = Vec::new();
        let mut ahead = HashSet::new();
        let mut deliveries = pin!(subscriber.stream());

        for read in 1..=400 {
            let next = within(SOON, "a delivery", deliveries.next()).await;
            held.push(next.expect("goes on").expect("delivered"));
            if read % 25 == 0 {
                let info = ledger.consumer_info("book").await.expect("the consumer");
                ahead.insert(info.num_ack_pending - read);
            }
        }

        let most = ahead.into_iter().max();
        assert!(
            most.is_some_and(|most| (200..=300).contains(&most)),
            "{most:?}"
        );
    })
    .await;
}
