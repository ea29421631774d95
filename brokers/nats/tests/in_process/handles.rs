//! Connecting, requests, and handles that outlive the bus.

use std::time::Duration;

use ruststream::testing::{InProcess, TestableBroker};
use ruststream::{
    AckError, ConnectedBroker, DescribeServer, IncomingMessage, Publisher, RequestReply,
    ServerSpec, Subscribe,
};
use ruststream_nats::{
    CoreSubject, JetStreamPublish, JetStreamSubject, NatsBroker, NatsError, NatsPublish,
};

use crate::support::{connect, connect_as, message, next, production, publish, text, waiting};

// NATS-12, NATS-900
#[tokio::test]
async fn what_connect_refuses_is_refused_here() {
    for bad in ["http://one:4222", "nats://", "", " , ,"] {
        let error = NatsBroker::new(bad)
            .connect_in_process()
            .await
            .expect_err("refused");
        assert!(matches!(error, NatsError::Connect(_)), "{bad}: {error}");
        assert!(error.to_string().starts_with("nats"), "{error}");
    }
}

// NATS-20, NATS-21
#[tokio::test]
async fn the_server_is_described_without_credentials() {
    let broker = NatsBroker::new("nats://a:s3cret@one:4222, nats://tok@two:4223");
    assert_eq!(
        broker.describe_server(),
        ServerSpec::new("one:4222,two:4223", "nats")
    );

    let connected = connect_as(broker).await;

    assert_eq!(connected.server_spec(), ServerSpec::in_process("nats"));
}

// NATS-910, NATS-72, NATS-73, TEST-76
#[tokio::test]
async fn a_core_delivery_settles_nothing() {
    let broker = connect().await;
    let mut subscriber = broker.subscribe("scans").await.expect("opened");
    for _ in 0..4 {
        publish(&broker, "scans", "1").await;
    }
    let mut delivery = || waiting(&mut subscriber).expect("delivered");
    let (one, two, three, four) = (delivery(), delivery(), delivery(), delivery());
    assert!(!one.supports_nack_after() && one.redelivery_count().is_none());

    let answers = [
        one.ack().await,
        two.nack(true).await,
        three.nack(false).await,
        four.nack_after(Duration::from_secs(1)).await,
    ];

    for answer in answers {
        assert!(matches!(answer, Err(AckError::Unsupported)), "{answer:?}");
    }
    assert!(waiting(&mut subscriber).is_none());
}

// NATS-911, TEST-76
#[tokio::test(start_paused = true)]
async fn a_stream_settles_as_a_server_answers() {
    let broker = connect().await;
    let source = JetStreamSubject::new("ledger.*", "LEDGER");
    let mut subscriber = broker.subscribe_with(source).await.expect("opened");
    publish(&broker, "ledger.a", "1").await;

    next(&mut subscriber)
        .await
        .nack_after(Duration::from_secs(5))
        .await
        .expect("held");
    tokio::time::sleep(Duration::from_millis(4999)).await;
    assert!(waiting(&mut subscriber).is_none());
    let again = next(&mut subscriber).await;
    assert_eq!(
        (text(&again), again.redelivery_count()),
        ("1".into(), Some(2))
    );
    again.nack(false).await.expect("dropped");
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert!(waiting(&mut subscriber).is_none());
}

// NATS-26, NATS-912, TEST-81
#[tokio::test]
async fn after_shutdown_every_handle_answers_with_an_error() {
    let broker = connect().await;
    let core = broker.publisher(NatsPublish);
    let stored = broker.publisher(JetStreamPublish::default());
    let source = JetStreamSubject::new("ledger.*", "LEDGER");
    let mut subscriber = broker.subscribe_with(source).await.expect("opened");
    publish(&broker, "ledger.a", "1").await;
    let held = next(&mut subscriber).await;

    broker.shutdown().await.expect("closed");

    let closed = |result: Result<(), NatsError>| match result.expect_err("closed") {
        NatsError::Closed { subject } => subject,
        other => panic!("{other}"),
    };
    assert_eq!(
        closed(core.publish(message("scans", "1"), None).await),
        "scans"
    );
    assert_eq!(
        closed(stored.publish(message("ledger.a", "1"), None).await),
        "ledger.a"
    );
    let asked = core
        .request(message("echo", "1"), Duration::from_secs(30))
        .await;
    assert_eq!(closed(asked.map(drop)), "echo");
    assert!(matches!(held.nack(true).await, Err(AckError::Broker(_))));
    let mut stream = std::pin::pin!(ruststream::Subscriber::stream(&mut subscriber));
    assert!(futures_util::StreamExt::next(&mut stream).await.is_none());
}

// NATS-920
#[tokio::test(start_paused = true)]
async fn a_request_is_answered_by_the_first_to_publish_to_its_inbox() {
    let options = async_nats::ConnectOptions::new().custom_inbox_prefix("desk");
    let broker = connect_as(production().with_options(options)).await;
    let mut echo = broker.subscribe("echo").await.expect("opened");
    let requester = broker.publisher(NatsPublish);
    let answering = async {
        let request = next(&mut echo).await;
        let to = request.headers().reply_to().expect("an inbox").to_owned();
        publish(&broker, &to, "first").await;
        publish(&broker, &to, "second").await;
        to
    };

    let asked = requester.request(message("echo", "1"), Duration::from_secs(5));
    let (answer, inbox) = tokio::join!(asked, answering);

    assert_eq!(text(&answer.expect("answered")), "first");
    assert!(inbox.starts_with("desk."), "{inbox}");
    assert!(
        broker.published(&inbox).is_empty(),
        "forgotten with the inbox"
    );
}

// NATS-131, NATS-132, NATS-134, NATS-920
#[tokio::test(start_paused = true)]
async fn a_request_to_nobody_fails_at_once_and_one_without_an_answer_in_time() {
    let broker = connect().await;
    let requester = broker.publisher(NatsPublish);
    let limit = Duration::from_secs(30);

    let nobody = requester
        .request(message("nobody", "1"), limit)
        .await
        .expect_err("nobody");
    assert!(matches!(nobody, NatsError::Publish(_)), "{nobody}");
    assert!(nobody.to_string().contains("no responders"), "{nobody}");

    let _silent = broker.subscribe("silent").await.expect("opened");
    let since = tokio::time::Instant::now();
    let late = requester.request(message("silent", "1"), limit).await;
    assert!(matches!(late, Err(NatsError::RequestTimeout)), "{late:?}");
    assert_eq!(since.elapsed(), limit);

    let source = JetStreamSubject::new("ledger.*", "LEDGER");
    let _stream = broker.subscribe_with(source).await.expect("opened");
    let answer = requester
        .request(message("ledger.a", "1"), limit)
        .await
        .expect("answered");
    assert_eq!(text(&answer), r#"{"seq":1,"stream":"LEDGER"}"#);
}

// NATS-931
#[tokio::test]
async fn a_publish_that_no_stream_or_another_one_stores_is_refused() {
    let broker = connect().await;
    let anywhere = broker.publisher(JetStreamPublish::default());
    let ledger = broker.publisher(JetStreamPublish::default().expect_stream("LEDGER"));
    let other = broker.publisher(JetStreamPublish::default().expect_stream("OTHER"));

    let nowhere = anywhere.publish(message("ledger.a", "1"), None).await;
    assert!(
        matches!(nowhere, Err(NatsError::JetStream(_))),
        "{nowhere:?}"
    );
    // A stream that nothing reads stores what is said to be its.
    other
        .publish(message("elsewhere", "1"), None)
        .await
        .expect("stored");

    let source = JetStreamSubject::new("ledger.*", "LEDGER");
    let _reads = broker.subscribe_with(source).await.expect("opened");
    ledger
        .publish(message("ledger.a", "1"), None)
        .await
        .expect("stored");
    for (publisher, subject) in [(&other, "ledger.a"), (&ledger, "outside")] {
        let refused = publisher.publish(message(subject, "1"), None).await;
        assert!(
            matches!(refused, Err(NatsError::JetStream(_))),
            "{refused:?}"
        );
    }
    assert_eq!(broker.published("ledger.a").len(), 1);
    assert!(broker.published("outside").is_empty());
}

// NATS-915
#[tokio::test(flavor = "multi_thread")]
async fn a_publish_beside_a_shutdown_is_counted_or_refused() {
    for _ in 0..50 {
        let broker = connect().await;
        let publishers = [(); 4].map(|()| broker.publisher(NatsPublish));
        let publishing = publishers.map(|publisher| {
            tokio::spawn(async move {
                let mut taken = 0;
                while publisher.publish(message("scans", "1"), None).await.is_ok() {
                    taken += 1;
                    tokio::task::yield_now().await;
                }
                taken
            })
        });
        tokio::task::yield_now().await;

        let closed = broker.shutdown().await.expect("closed");

        let mut taken = 0;
        for publishing in publishing {
            taken += publishing.await.expect("published");
        }
        assert_eq!(closed.messages_sent(), taken);
    }
}

// NATS-F27
#[tokio::test]
async fn a_core_subscription_hears_what_a_stream_stores_with_the_inbox_of_its_acknowledgement() {
    let broker = connect().await;
    let source = JetStreamSubject::new("ledger.*", "LEDGER");
    let _reads = broker.subscribe_with(source).await.expect("opened");
    let mut core = broker
        .subscribe_with(CoreSubject::new("ledger.a"))
        .await
        .expect("opened");

    let stored = broker.publisher(JetStreamPublish::default());
    stored
        .publish(message("ledger.a", "1"), None)
        .await
        .expect("stored");

    let heard = next(&mut core).await;
    assert!(
        heard
            .headers()
            .reply_to()
            .is_some_and(|to| to.starts_with("_INBOX."))
    );
}

// CORE-291, NATS-60
#[tokio::test]
async fn what_is_printed_names_subjects_and_no_payload() {
    let broker = connect().await;
    let mut subscriber = broker.subscribe("scans").await.expect("opened");
    publish(&broker, "scans", "s3cret").await;
    let delivery = next(&mut subscriber).await;

    let printed = format!("{delivery:?}{subscriber:?}{broker:?}");

    assert!(
        printed.contains("scans") && printed.contains("payload_len: 6"),
        "{printed}"
    );
    assert!(!printed.contains("s3cret"), "{printed}");
}
