//! Who hears what on the bus, and what it keeps of it.

use ruststream::testing::{Coordinator, TestableBroker};
use ruststream::{HeaderMap, IncomingMessage, OutgoingMessage, Publisher, Subscribe, nonzero};
use ruststream_nats::{
    CoreSubject, CoreWildcard, JetStreamPublish, JetStreamSubject, NatsError, NatsPublish,
};

use crate::support::{
    connect, connect_as, drain, message, next, production, publish, text, waiting,
};

// NATS-905
#[tokio::test]
async fn a_pattern_reads_its_own_level_only() {
    let broker = connect().await;
    let mut one = broker
        .subscribe_with(CoreWildcard::new("bays.*"))
        .await
        .expect("opened");
    let mut rest = broker
        .subscribe_with(CoreWildcard::new("bays.>"))
        .await
        .expect("opened");

    for subject in ["bays", "bays.7", "bays.7.door", "bays.*", "Bays.7", "a..b"] {
        publish(&broker, subject, subject).await;
    }

    assert_eq!(drain(&mut one), ["bays.7", "bays.*"]);
    assert_eq!(drain(&mut rest), ["bays.7", "bays.7.door", "bays.*"]);
}

// NATS-907, NATS-F32, TEST-77, CORE-285
#[tokio::test]
async fn a_group_is_its_name_across_subjects_and_its_members_take_turns() {
    let broker = connect().await;
    let member = |pattern: &str| CoreWildcard::new(pattern).queue_group("w");
    let mut one = broker
        .subscribe_with(member("rooms.*"))
        .await
        .expect("opened");
    let mut two = broker
        .subscribe_with(member("rooms.>"))
        .await
        .expect("opened");
    let mut observer = broker
        .subscribe_with(CoreWildcard::new("rooms.*"))
        .await
        .expect("opened");

    for number in 0..4 {
        publish(&broker, "rooms.7", &number.to_string()).await;
    }

    assert_eq!(
        (drain(&mut one), drain(&mut two)),
        (vec!["0".into(), "2".into()], vec!["1".into(), "3".into()])
    );
    assert_eq!(drain(&mut observer).len(), 4);
}

// NATS-908, TEST-67
#[tokio::test]
async fn routes_tells_the_next_turn_and_takes_none() {
    let broker = connect().await;
    let member = || CoreSubject::new("scans").queue_group("w");
    let _members = [
        broker.subscribe_with(member()).await.expect("opened"),
        broker.subscribe_with(member()).await.expect("opened"),
    ];
    let names = ["scans", "scans", "scan.*"];

    assert_eq!(broker.routes("scans", &names), [0]);
    assert_eq!(broker.routes("scans", &names), [0]);
    publish(&broker, "scans", "1").await;
    assert_eq!(broker.routes("scans", &names), [1]);
    assert_eq!(broker.routes("scan.7", &names), [2]);
    assert_eq!(broker.routes("a b", &names), [0; 0]);
}

// NATS-902, NATS-908, TEST-74, CORE-281, CORE-322
#[tokio::test]
async fn without_echo_a_connection_does_not_hear_itself_but_others() {
    let options = async_nats::ConnectOptions::new().no_echo();
    let broker = connect_as(production().with_options(options)).await;
    let mut core = broker.subscribe("scans").await.expect("opened");
    let source = JetStreamSubject::new("scans", "SCANS");
    let mut stored = broker.subscribe_with(source).await.expect("opened");

    publish(&broker, "scans", "own").await;
    assert_eq!(broker.routes("scans", &["scans", "scans"]), [1]);
    broker.inject(OutgoingMessage::new("scans", b"external"));

    assert_eq!(drain(&mut core), ["external"]);
    assert_eq!(text(&waiting(&mut stored).expect("read")), "own");
}

// NATS-906, CORE-282, TEST-75
#[tokio::test]
async fn what_the_server_refuses_is_refused() {
    let broker = connect().await;
    let core = broker.publisher(NatsPublish);
    for bad in ["", "a b", "a\tb", "a\r\nb"] {
        let error = core
            .publish(message(bad, "1"), None)
            .await
            .expect_err("refused");
        assert!(matches!(error, NatsError::Publish(_)), "{bad:?}: {error}");
        assert!(broker.published(bad).is_empty(), "{bad:?}");
    }
    let headers: HeaderMap = [("trace", "1\r\n2")].into_iter().collect();
    let error = core
        .publish(message("scans", "1").with_headers(headers), None)
        .await;
    assert!(matches!(error, Err(NatsError::Publish(_))), "{error:?}");
    for subject in ["a..b", ".a", "a.", "a.>.b", "a b"] {
        let error = broker
            .subscribe_with(CoreWildcard::new(subject))
            .await
            .expect_err("refused");
        assert!(
            matches!(error, NatsError::Subscribe(_)),
            "{subject}: {error}"
        );
    }
    for name in ["", "a b", "a.b", "a*", "a/b"] {
        let source = JetStreamSubject::new("ledger.*", "LEDGER").durable(name);
        let error = broker.subscribe_with(source).await.expect_err("refused");
        assert!(matches!(error, NatsError::JetStream(_)), "{name}: {error}");
    }
    let error = broker.subscribe("parcels.*").await.expect_err("refused");
    assert!(matches!(error, NatsError::InvalidOptions(_)), "{error}");
}

// NATS-906
#[tokio::test]
async fn the_limit_counts_the_headers_as_the_protocol_writes_them() {
    let broker = connect().await;
    let core = broker.publisher(NatsPublish);
    let headers = || -> HeaderMap { [("trace", "7")].into_iter().collect() };
    let block = "NATS/1.0\r\n".len() + "trace: 7\r\n".len() + "\r\n".len();
    let of = |length| OutgoingMessage::produced("scans", ruststream::BytesMut::zeroed(length));
    let limit = 1024 * 1024;

    core.publish(of(limit), None).await.expect("the limit");
    core.publish(of(limit - block).with_headers(headers()), None)
        .await
        .expect("the limit");
    let over = core
        .publish(of(limit - block + 1).with_headers(headers()), None)
        .await;

    let error = over.expect_err("above").to_string();
    assert!(
        error.contains("1048576") && error.contains("1048577"),
        "{error}"
    );
    assert_eq!(broker.published("scans").len(), 2);
}

// NATS-914
#[tokio::test]
async fn everything_published_is_logged_in_order_with_the_buffer_that_was_handed_over() {
    let broker = connect().await;
    let first = message("scans", "first");
    let address = first.payload().as_ptr();
    broker
        .publisher(NatsPublish)
        .publish(first, None)
        .await
        .expect("published");
    broker.inject(OutgoingMessage::new("scans", b"second"));
    let stored = broker.publisher(JetStreamPublish::default());
    stored
        .publish(message("scans", "refused"), None)
        .await
        .expect_err("no stream");

    let log = broker.published("scans");

    let payloads: Vec<_> = log.iter().map(|raw| raw.payload().to_vec()).collect();
    assert_eq!(payloads, [b"first".to_vec(), b"second".to_vec()]);
    assert_eq!(log[0].payload().as_ptr(), address);
}

// NATS-930, NATS-933
#[tokio::test]
async fn a_stream_hands_a_message_to_each_consumer_and_to_one_subscription_of_it() {
    let broker = connect().await;
    let source = |durable: &str| JetStreamSubject::new("ledger.*", "LEDGER").durable(durable);
    let mut book = broker.subscribe_with(source("book")).await.expect("opened");
    let mut book_too = broker.subscribe_with(source("book")).await.expect("opened");
    let mut audit = broker
        .subscribe_with(source("audit"))
        .await
        .expect("opened");
    let narrow = source("narrow").filter_subject("ledger.b");
    let mut narrow = broker.subscribe_with(narrow).await.expect("opened");

    for number in 0..4 {
        publish(&broker, "ledger.a", &number.to_string()).await;
    }

    assert_eq!((drain(&mut book).len(), drain(&mut book_too).len()), (2, 2));
    assert_eq!(drain(&mut audit), ["0", "1", "2", "3"]);
    assert_eq!(drain(&mut narrow), [""; 0]);
}

// NATS-932
#[tokio::test]
async fn the_context_is_read_as_from_a_server() {
    use ruststream::{BuildContext, Field};
    use ruststream_nats::context::{JetStreamContext, keys};

    let broker = connect().await;
    let source = JetStreamSubject::new("ledger.*", "LEDGER").durable("book");
    let mut subscriber = broker.subscribe_with(source).await.expect("opened");
    publish(&broker, "ledger.a", "1").await;
    publish(&broker, "ledger.a", "2").await;

    let first = waiting(&mut subscriber).expect("delivered");

    let context = JetStreamContext::build(&first);
    assert_eq!(
        Field::<JetStreamContext>::get(keys::STREAM, &context),
        Some("LEDGER")
    );
    assert_eq!(
        Field::<JetStreamContext>::get(keys::CONSUMER, &context),
        Some("book")
    );
    assert_eq!(keys::PENDING.get(&context), Some(1));
    first.nack(true).await.expect("handed back");
    let second = waiting(&mut subscriber).expect("delivered");
    let again = waiting(&mut subscriber).expect("back");
    let context = JetStreamContext::build(&again);
    assert_eq!(keys::STREAM_SEQUENCE.get(&context), Some(1));
    assert_eq!(keys::CONSUMER_SEQUENCE.get(&context), Some(3));
    assert_eq!(
        (keys::DELIVERED.get(&context), again.redelivery_count()),
        (Some(2), Some(2))
    );
    assert_eq!((text(&second), text(&again)), ("2".into(), "1".into()));
}

// NATS-913, CORE-288
#[tokio::test]
async fn a_queued_delivery_is_counted_until_it_is_gone() {
    let coordinator = Coordinator::new(usize::MAX);
    let broker = connect().await;
    let mut early = broker.subscribe("scans").await.expect("opened");
    broker.install_coordinator(coordinator.clone());
    let late = broker.subscribe("scans").await.expect("opened");
    let counted =
        |number: usize| format!("{coordinator:?}").contains(&format!("in_flight: {number}"));

    publish(&broker, "scans", "1").await;
    publish(&broker, "nobody", "1").await;
    assert!(counted(2), "{coordinator:?}");

    drop(late);
    assert!(
        counted(1),
        "a dropped subscription gives up what it has queued: {coordinator:?}"
    );
    let held = next(&mut early).await;
    assert!(counted(1), "{coordinator:?}");
    drop(held);
    assert!(counted(0), "{coordinator:?}");
}

// NATS-161, NATS-162
#[tokio::test]
async fn both_models_batch() {
    use futures_util::{FutureExt, StreamExt};
    use ruststream::BatchSubscriber;

    let broker = connect().await;
    let core = CoreSubject::new("ledger.a").max_wait(std::time::Duration::ZERO);
    let mut core = broker.subscribe_with(core).await.expect("opened");
    let stored = JetStreamSubject::new("ledger.*", "LEDGER");
    let mut stored = broker.subscribe_with(stored).await.expect("opened");
    for number in 0..3 {
        publish(&broker, "ledger.a", &number.to_string()).await;
    }

    for subscriber in [&mut core, &mut stored] {
        let mut batches = std::pin::pin!(subscriber.batches(nonzero!(2)));
        let mut sizes = Vec::new();
        while let Some(Some(batch)) = batches.next().now_or_never() {
            sizes.push(batch.expect("a batch").len());
        }
        assert_eq!(sizes, [2, 1]);
    }
}
