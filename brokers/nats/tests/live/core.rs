//! Core subjects: who hears what.

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead, BufReader};
use std::pin::pin;
use std::process::{Command, Stdio};
use std::time::Duration;

use futures_util::StreamExt;
use ruststream::{Broker, IncomingMessage, Subscribe, Subscriber};
use ruststream_nats::{CoreSubject, CoreWildcard, NatsBroker, NatsError, NatsSubscriber};

use crate::support::{QUIET, assert_quiet, connect, next, on_every_server, publish, raw, text};

/// Everything that is delivered until nothing has been for a while.
async fn drain(subscriber: &mut NatsSubscriber) -> Vec<String> {
    let mut stream = pin!(subscriber.stream());
    let mut seen = Vec::new();
    while let Ok(Some(Ok(message))) = tokio::time::timeout(QUIET, stream.next()).await {
        seen.push(text(&message));
    }
    seen
}

// NATS-55, NATS-T02
#[tokio::test]
async fn a_subscription_hears_what_is_published_as_soon_as_it_is_open() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let beside = raw(&server).await;
        for number in 0..200 {
            let subject = format!("scans.{number}");
            let source = CoreSubject::new(&subject);
            let mut subscriber = broker.subscribe_with(source).await.expect("opened");

            beside.publish(subject, "1".into()).await.expect("sent");
            beside.flush().await.expect("flushed");

            assert_eq!(text(&next(&mut subscriber).await), "1");
        }
    })
    .await;
}

// NATS-45, NATS-F32, NATS-T03
#[tokio::test]
async fn a_queue_group_shares_and_an_observer_sees_all() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let member = |pattern: &str| CoreWildcard::new(pattern).queue_group("w");
        let mut one = broker
            .subscribe_with(member("rooms.*"))
            .await
            .expect("opened");
        let mut two = broker
            .subscribe_with(member("rooms.>"))
            .await
            .expect("opened");
        let all = CoreWildcard::new("rooms.*");
        let mut observer = broker.subscribe_with(all).await.expect("opened");

        for number in 0..20 {
            publish(&broker, "rooms.7", &number.to_string()).await;
        }

        let mut shared = drain(&mut one).await;
        shared.extend(drain(&mut two).await);
        shared.sort_by_key(|number| number.parse::<u32>().expect("a number"));
        let expected: Vec<_> = (0..20).map(|number| number.to_string()).collect();
        assert_eq!(shared, expected);
        assert_eq!(drain(&mut observer).await, expected);
    })
    .await;
}

// NATS-905, NATS-T04
#[tokio::test]
async fn a_pattern_reads_its_own_level_only() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let mut one = broker
            .subscribe_with(CoreWildcard::new("bays.*"))
            .await
            .expect("opened");
        let mut rest = broker
            .subscribe_with(CoreWildcard::new("bays.>"))
            .await
            .expect("opened");

        for subject in ["bays", "bays.7", "bays.7.door", "bays.*", "Bays.7"] {
            publish(&broker, subject, subject).await;
        }

        assert_eq!(drain(&mut one).await, ["bays.7", "bays.*"]);
        assert_eq!(drain(&mut rest).await, ["bays.7", "bays.7.door", "bays.*"]);
    })
    .await;
}

// NATS-42
#[tokio::test]
async fn a_wildcard_takes_a_literal_too() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let mut one = broker
            .subscribe_with(CoreWildcard::new("bays.7"))
            .await
            .expect("opened");

        publish(&broker, "bays.8", "no").await;
        publish(&broker, "bays.7", "yes").await;

        assert_eq!(drain(&mut one).await, ["yes"]);
    })
    .await;
}

// Issue 6: overlapping subscriptions
#[tokio::test]
async fn overlapping_subscriptions_each_hear_a_message_once() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let mut open = Vec::new();
        for pattern in ["a.>", "a.*.b", "a.1.b"] {
            open.push(
                broker
                    .subscribe_with(CoreWildcard::new(pattern))
                    .await
                    .expect("opened"),
            );
        }

        publish(&broker, "a.1.b", "once").await;

        for subscriber in &mut open {
            assert_eq!(drain(subscriber).await, ["once"]);
        }
    })
    .await;
}

// NATS-41, NATS-180
#[tokio::test]
async fn what_is_no_subscription_is_refused_before_anything_is_sent() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        for subject in ["", "parcels.*", "parcels.>"] {
            let error = broker.subscribe(subject).await.expect_err("refused");
            assert!(
                matches!(error, NatsError::InvalidOptions(_)),
                "{subject}: {error}"
            );
            assert!(error.to_string().contains("subject"), "{error}");
        }
        let error = broker
            .subscribe_with(CoreWildcard::new(""))
            .await
            .expect_err("refused");
        assert!(matches!(error, NatsError::InvalidOptions(_)), "{error}");
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
        for group in ["", "a b"] {
            let source = CoreSubject::new("scans").queue_group(group);
            let error = broker.subscribe_with(source).await.expect_err("refused");
            assert!(matches!(error, NatsError::Subscribe(_)), "{group}: {error}");
        }
        // A star within a token is a letter like any other.
        let mut literal = broker.subscribe("foo*").await.expect("opened");
        publish(&broker, "foo*", "1").await;
        publish(&broker, "food", "2").await;
        assert_eq!(drain(&mut literal).await, ["1"]);
    })
    .await;
}

const WORKER: &str = "RUSTSTREAM_NATS_WORKER";

/// A member of the group in a process of its own; started by the test below.
#[tokio::test]
#[ignore = "a part of the test below"]
async fn group_worker() {
    let Ok(url) = env::var(WORKER) else {
        return;
    };
    let broker = NatsBroker::new(url).connect().await.expect("connects");
    let source = CoreSubject::new("work").queue_group("workers");
    let mut work = broker.subscribe_with(source).await.expect("opened");
    let mut stop = broker.subscribe("stop").await.expect("opened");
    let (mut work, mut stop) = (pin!(work.stream()), pin!(stop.stream()));
    println!("ready");
    loop {
        tokio::select! {
            message = work.next() => {
                let message = message.expect("goes on").expect("delivered");
                println!("did {}", text(&message));
            }
            _ = stop.next() => return,
        }
    }
}

// Issue 6: a queue group in one and in three processes
#[tokio::test]
async fn a_thousand_messages_are_shared_exactly_in_one_process_and_in_three() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let member = || CoreSubject::new("local").queue_group("workers");
        let mut one = broker.subscribe_with(member()).await.expect("opened");
        let mut two = broker.subscribe_with(member()).await.expect("opened");
        for number in 0..1000 {
            publish(&broker, "local", &number.to_string()).await;
        }
        let (first, second) = (drain(&mut one).await, drain(&mut two).await);
        assert!(!first.is_empty() && !second.is_empty());
        assert_once_each(first.into_iter().chain(second));

        let this = env::current_exe().expect("this test");
        let workers: Vec<_> = (0..3)
            .map(|_| {
                Command::new(&this)
                    .args(["core::group_worker", "--exact", "--ignored", "--nocapture"])
                    .env(WORKER, server.url())
                    .stdout(Stdio::piped())
                    .spawn()
                    .expect("a process")
            })
            .collect();
        let mut reading = Vec::new();
        for mut worker in workers {
            let mut lines = BufReader::new(worker.stdout.take().expect("piped")).lines();
            while !lines
                .next()
                .expect("a line")
                .expect("text")
                .contains("ready")
            {}
            let did = tokio::task::spawn_blocking(move || {
                let lines = lines.map_while(Result::ok);
                let did: Vec<_> = lines
                    .filter_map(|line| line.strip_prefix("did ").map(str::to_owned))
                    .collect();
                worker.wait().expect("ends");
                did
            });
            reading.push(did);
        }
        for number in 0..1000 {
            publish(&broker, "work", &number.to_string()).await;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        publish(&broker, "stop", "").await;

        let mut done = Vec::new();
        for did in reading {
            let did = did.await.expect("read");
            assert!(!did.is_empty());
            done.extend(did);
        }
        assert_once_each(done.into_iter());
    })
    .await;
}

fn assert_once_each(seen: impl Iterator<Item = String>) {
    let mut times = BTreeMap::new();
    for number in seen {
        *times.entry(number).or_insert(0) += 1;
    }
    assert_eq!(times.len(), 1000);
    assert!(times.values().all(|times| *times == 1));
}

// NATS-58
#[tokio::test]
async fn a_stream_dropped_between_deliveries_loses_nothing() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe("scans").await.expect("opened");
        for number in 0..5 {
            publish(&broker, "scans", &number.to_string()).await;
        }
        for number in 0..5 {
            // `next` makes a stream of its own each time.
            assert_eq!(text(&next(&mut subscriber).await), number.to_string());
        }
        assert_quiet(&mut subscriber).await;
    })
    .await;
}

// NATS-60
#[tokio::test]
async fn deliveries_without_headers_share_one_empty_map() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe("scans").await.expect("opened");
        publish(&broker, "scans", "1").await;
        publish(&broker, "scans", "2").await;

        let (one, two) = (next(&mut subscriber).await, next(&mut subscriber).await);

        assert!(one.headers().is_empty());
        assert!(std::ptr::eq(one.headers(), two.headers()));
    })
    .await;
}
