//! Whole services, while something goes wrong around them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream;
use ruststream::runtime::{BrokerScope, RunningApp};
use ruststream_nats::prelude::*;
use serde::{Deserialize, Serialize};

use crate::support::{SOON, Server, Tap, on_every_server, raw, stream, until, within};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ruststream::Outgoing)]
pub(crate) struct Entry {
    id: u32,
}

pub(crate) async fn started(
    server: &Server,
    mount: impl FnOnce(&mut BrokerScope<NatsBroker>),
) -> RunningApp {
    let app = RustStream::new(AppInfo::new("books", "1.0.0"))
        .with_broker(NatsBroker::new(server.url()), mount);
    app.start().await.expect("starts")
}

pub(crate) async fn store(server: &Server, id: u32) {
    let context = jetstream::new(raw(server).await);
    let payload = format!(r#"{{"id":{id}}}"#);
    let sent = context
        .publish("ledger.a", payload.into())
        .await
        .expect("sent");
    sent.await.expect("stored");
}

pub(crate) async fn last_of(server: &Server, name: &str) -> (u64, usize) {
    let context = jetstream::new(raw(server).await);
    let stream = context.get_stream("LEDGER").await.expect("the stream");
    let info = stream.consumer_info(name).await.expect("the consumer");
    (info.ack_floor.stream_sequence, info.num_ack_pending)
}

mod slow {
    use super::*;

    static RUNS: AtomicU32 = AtomicU32::new(0);

    #[subscriber(JetStreamSubject::new("ledger.*", "LEDGER").durable("slow"), workers(2))]
    async fn slow(_entry: &Entry, Ctx(delivered): Ctx<Delivered>) {
        RUNS.fetch_add(1, Ordering::Relaxed);
        if delivered == Some(1) {
            tokio::time::sleep(Duration::from_millis(1500)).await;
        }
    }

    // NATS-76, NATS-G4, NATS-T12
    #[tokio::test]
    async fn a_handler_that_takes_longer_than_the_window_runs_again() {
        on_every_server(async |server| {
            RUNS.store(0, Ordering::Relaxed);
            stream(&server, "LEDGER", &["ledger.*"]).await;
            let window = NonZeroDuration::from_secs(nonzero!(1));
            let app = started(&server, |b| {
                b.include(slow.ack_wait(window));
            })
            .await;

            store(&server, 1).await;
            until("the second run", async || RUNS.load(Ordering::Relaxed) == 2).await;

            until("its acknowledgement", async || {
                last_of(&server, "slow").await == (1, 0)
            })
            .await;
            app.shutdown().await.expect("stops");
            assert_eq!(RUNS.load(Ordering::Relaxed), 2);
        })
        .await;
    }
}

mod spent {
    use super::*;

    static RUNS: AtomicU32 = AtomicU32::new(0);

    #[subscriber(JetStreamSubject::new("ledger.*", "LEDGER").durable("book"))]
    async fn never_done(_entry: &Entry) -> HandlerOutcome {
        RUNS.fetch_add(1, Ordering::Relaxed);
        HandlerOutcome::retry()
    }

    // RUN-351, NATS-44, NATS-86, NATS-T37
    #[tokio::test]
    async fn a_delivery_past_its_cap_is_carried_away_without_a_run() {
        on_every_server(async |server| {
            RUNS.store(0, Ordering::Relaxed);
            let stored = stream(&server, "LEDGER", &["ledger.*"]).await;
            store(&server, 1).await;
            let config = jetstream::consumer::pull::Config {
                durable_name: Some("book".to_owned()),
                ack_wait: Duration::from_millis(300),
                filter_subject: "ledger.*".to_owned(),
                ..Default::default()
            };
            let consumer = stored.create_consumer(config).await.expect("created");
            for _ in 0..2 {
                let mut taken = consumer
                    .fetch()
                    .max_messages(1)
                    .messages()
                    .await
                    .expect("pulled");
                until("a delivery that nobody settles", async || {
                    futures_util::StreamExt::next(&mut taken).await.is_some()
                })
                .await;
                tokio::time::sleep(Duration::from_millis(400)).await;
            }
            let mut tap = Tap::on(&server, "LEDGER", "book").await;
            let letters = raw(&server).await;
            let mut letters = letters.subscribe("spent.ledger").await.expect("subscribed");

            let app = started(&server, |b| {
                b.include(never_done)
                    .max_attempts(nonzero!(2u32))
                    .dead_letter("spent.ledger");
            })
            .await;

            let letter = within(
                SOON,
                "the dead letter",
                futures_util::StreamExt::next(&mut letters),
            );
            let letter = letter.await.expect("received");
            assert_eq!(&letter.payload[..], br#"{"id":1}"#);
            assert!(letter.headers.is_none());
            let said = tap.next().await;
            assert_eq!((said.bytes.as_str(), said.delivered), ("+TERM", 3));
            // The cap is the runtime's, and no concern of the server's.
            let info = stored.consumer_info("book").await.expect("the consumer");
            assert_eq!(info.config.max_deliver, -1);
            app.shutdown().await.expect("stops");
            assert_eq!(RUNS.load(Ordering::Relaxed), 0);
        })
        .await;
    }

    // NATS-82, NATS-87, NATS-89, NATS-T38
    #[tokio::test]
    async fn a_dead_letter_that_is_refused_hands_the_delivery_back_until_there_is_room() {
        on_every_server(async |server| {
            stream(&server, "LEDGER", &["ledger.*"]).await;
            let context = jetstream::new(raw(&server).await);
            let full = jetstream::stream::Config {
                name: "DLQ".to_owned(),
                subjects: vec!["spent.*".to_owned()],
                max_messages: 1,
                discard: jetstream::stream::DiscardPolicy::New,
                ..Default::default()
            };
            let letters = context.create_stream(full).await.expect("created");
            context
                .publish("spent.other", "full".into())
                .await
                .expect("sent")
                .await
                .expect("stored");
            let mut tap = Tap::on(&server, "LEDGER", "refused").await;

            let app = started(&server, |b| {
                b.include(never_done_either)
                    .max_attempts(nonzero!(1u32))
                    .dead_letter("spent.ledger")
                    .out_retry(JetStreamPublish::default())
                    .expect_stream("DLQ");
            })
            .await;
            store(&server, 1).await;

            let said = tap.next().await;
            assert!(said.bytes.starts_with("-NAK"), "{said:?}");
            letters.purge().await.expect("purged");
            let said = loop {
                let said = tap.next().await;
                if !said.bytes.starts_with("-NAK") {
                    break said;
                }
            };
            assert_eq!(said.bytes, "+TERM");
            let letter = letters
                .get_last_raw_message_by_subject("spent.ledger")
                .await;
            assert_eq!(&letter.expect("stored").payload[..], br#"{"id":1}"#);
            app.shutdown().await.expect("stops");
            assert_eq!(REFUSED_RUNS.load(Ordering::Relaxed), 1);
            REFUSED_RUNS.store(0, Ordering::Relaxed);
        })
        .await;
    }

    static REFUSED_RUNS: AtomicU32 = AtomicU32::new(0);

    #[subscriber(JetStreamSubject::new("ledger.*", "LEDGER").durable("refused"))]
    async fn never_done_either(_entry: &Entry) -> HandlerOutcome {
        REFUSED_RUNS.fetch_add(1, Ordering::Relaxed);
        HandlerOutcome::retry()
    }
}

mod killed {
    use super::*;

    static RUNS: AtomicU32 = AtomicU32::new(0);

    #[subscriber(JetStreamSubject::new("ledger.*", "LEDGER").durable("book"))]
    async fn book(_entry: &Entry) {
        if RUNS.fetch_add(1, Ordering::Relaxed) == 0 {
            // The server is gone when this ends.
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    // NATS-30, NATS-86, NATS-T49
    #[tokio::test]
    async fn a_server_killed_between_a_delivery_and_its_acknowledgement_delivers_again() {
        on_every_server(async |mut server| {
            RUNS.store(0, Ordering::Relaxed);
            stream(&server, "LEDGER", &["ledger.*"]).await;
            let window = NonZeroDuration::from_secs(nonzero!(2));
            let app = started(&server, |b| {
                b.include(book.ack_wait(window));
            })
            .await;
            store(&server, 1).await;
            until("the first run", async || RUNS.load(Ordering::Relaxed) == 1).await;

            server.kill();
            tokio::time::sleep(Duration::from_millis(1200)).await;
            server.again();

            // What was said to the dead server is said again once it is back, or the message comes
            // again and is settled then.
            until("the acknowledgement", async || {
                last_of(&server, "book").await == (1, 0)
            })
            .await;
            store(&server, 2).await;
            until("the next message", async || {
                last_of(&server, "book").await == (2, 0)
            })
            .await;
            assert!((2..=3).contains(&RUNS.load(Ordering::Relaxed)));
            app.shutdown().await.expect("stops");
        })
        .await;
    }
}

mod restart {
    use super::*;

    /// Which dispatch form has finished which entry, and when.
    static DONE: Mutex<Vec<(&str, u32, Instant)>> = Mutex::new(Vec::new());

    const LONG: Duration = Duration::from_secs(12);

    fn done(form: &'static str, id: u32) {
        DONE.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((form, id, Instant::now()));
    }

    fn finished(form: &str, id: u32) -> Option<Instant> {
        let done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
        done.iter()
            .find(|(of, entry, _)| (*of, *entry) == (form, id))
            .map(|(_, _, at)| *at)
    }

    async fn work(form: &'static str, entry: &Entry) {
        if entry.id == 1 {
            tokio::time::sleep(LONG).await;
        }
        done(form, entry.id);
    }

    macro_rules! forms {
        ($($name:ident = $text:literal, $durable:literal $(, $clause:ident($($arg:tt)*))?;)+) => {$(
            #[subscriber(
                JetStreamSubject::new("ledger.*", "LEDGER").durable($durable)
                $(, $clause($($arg)*))?
            )]
            async fn $name(entry: &Entry) {
                work($text, entry).await;
            }
        )+};
    }

    forms! {
        sequential = "sequential", "sequential";
        pooled = "pooled", "pooled", workers(2);
        keyed = "keyed", "keyed", workers(2, by_key);
        threaded = "threaded", "threaded", threads(2);
    }

    #[subscriber(JetStreamSubject::new("ledger.*", "LEDGER").durable("batched"))]
    async fn batched(entries: &[Entry]) {
        for entry in entries {
            work("batched", entry).await;
        }
    }

    // Issue 6: restart while a handler sleeps 12 s, in every dispatch form
    #[tokio::test(flavor = "multi_thread")]
    async fn every_dispatch_form_goes_on_after_a_restart_under_a_long_handler() {
        const FORMS: [&str; 5] = ["sequential", "pooled", "keyed", "threaded", "batched"];
        on_every_server(async |mut server| {
            DONE.lock().unwrap_or_else(PoisonError::into_inner).clear();
            stream(&server, "LEDGER", &["ledger.*"]).await;
            let app = started(&server, |b| {
                b.include(sequential);
                b.include(pooled);
                b.include(keyed);
                b.include(threaded);
                b.include(batched.batch(nonzero!(4)));
            })
            .await;
            store(&server, 1).await;
            let began = Instant::now();
            tokio::time::sleep(Duration::from_millis(500)).await;

            server.kill();
            tokio::time::sleep(Duration::from_millis(500)).await;
            server.again();
            store(&server, 2).await;
            let published = Instant::now();

            within(Duration::from_secs(30), "all forms", async {
                while !FORMS.iter().all(|form| finished(form, 2).is_some()) {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            })
            .await;
            for form in FORMS {
                let second = finished(form, 2).expect("finished");
                // A batch of one waits for its pull to end before it is handed over.
                let slack = if form == "batched" { 5 } else { 0 };
                let place = match form {
                    "sequential" | "batched" => began + LONG,
                    _ => published,
                };
                let free = place.max(published) + Duration::from_secs(slack);
                let late = second.saturating_duration_since(free);
                assert!(late < Duration::from_secs(2), "{form} was {late:?} late");
            }
            app.shutdown().await.expect("stops");
        })
        .await;
    }
}
