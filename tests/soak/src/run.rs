//! One run against one server.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream;
use ruststream::{Broker, ConnectedBroker};
use ruststream_nats::{ConnectedNatsBroker, NatsBroker};
use ruststream_nats_servers::Server;
use tokio::time::{interval, sleep};

use crate::books::Books;
use crate::core_load::{self, Heard};
use crate::memory::Memory;
use crate::outages::{Killer, Outages, version};
use crate::requests::{self, Answers};
use crate::service::{self, Desk, STORED, STREAM};
use crate::stored;
use crate::summary::Summary;

/// How long what is under way at the end may take.
const REST: Duration = Duration::from_mins(1);
/// How long a message stays in the stream: longer than it is under way, and than a repeated publish
/// has to be known.
const KEPT: Duration = Duration::from_mins(2);

/// Whether it passed; says so on standard output.
pub(crate) fn run(binary: &Path, length: Duration) -> bool {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let summary = runtime.block_on(soak(binary, length));
    let failures = summary.failures();
    println!("{summary}");
    for failure in &failures {
        println!("soak failed: {failure}");
    }
    failures.is_empty()
}

async fn soak(binary: &Path, length: Duration) -> Summary {
    let began = Instant::now();
    let server = Server::start(binary);
    let address = server.url();
    let desk = Desk {
        books: Arc::new(Books::new()),
        heard: Arc::new(Heard::new()),
        outages: Arc::new(Outages::default()),
    };
    let load = connected(&address).await;
    make_stream(&load).await;
    let app = service::started(NatsBroker::new(address.as_str()), desk.clone()).await;
    // A kill every 20 s, and three in a short run.
    let every = (length / 4).min(Duration::from_secs(20));
    let killer = Killer::of(server, every, Arc::clone(&desk.outages));

    let answers = Arc::new(Answers::default());
    let memory = under_load(&load, &desk, &answers, length).await;

    let server = tokio::task::spawn_blocking(move || killer.stop())
        .await
        .expect("joined");
    let is_even = rested(&desk.books).await;
    app.shutdown().await.expect("stops");
    load.shutdown().await.expect("closes");
    drop(server);
    Summary {
        server: version(binary),
        took: began.elapsed(),
        kills: desk.outages.kills(),
        stored: desk.books.tally(),
        heard: desk.heard.tally(),
        answered: answers.answered.load(Ordering::Relaxed),
        unanswered: answers.unanswered.load(Ordering::Relaxed),
        wrong_answers: answers.unexplained.load(Ordering::Relaxed),
        memory: memory.trend(),
        is_even,
    }
}

async fn connected(address: &str) -> ConnectedNatsBroker {
    NatsBroker::new(address).connect().await.expect("connects")
}

async fn make_stream(broker: &ConnectedNatsBroker) {
    let config = jetstream::stream::Config {
        name: STREAM.to_owned(),
        subjects: vec![STORED.to_owned()],
        max_age: KEPT,
        duplicate_window: KEPT,
        ..Default::default()
    };
    broker
        .jetstream()
        .create_stream(config)
        .await
        .expect("created");
}

/// Everything at once for `length`; returns when what was begun is done.
async fn under_load(
    load: &ConnectedNatsBroker,
    desk: &Desk,
    answers: &Arc<Answers>,
    length: Duration,
) -> Memory {
    let stop = Arc::new(AtomicBool::new(false));
    let watching = async {
        let seconds = length.as_secs();
        let mut memory = Memory::with_room(usize::try_from(seconds).unwrap_or_default() + 1);
        let mut ticks = interval(Duration::from_secs(1));
        for _ in 0..=seconds {
            ticks.tick().await;
            memory.sample();
        }
        stop.store(true, Ordering::Relaxed);
        memory
    };
    let (memory, (), _, ()) = tokio::join!(
        watching,
        stored::publish(load, &desk.books, &stop),
        core_load::publish(load, &desk.heard, &stop),
        requests::ask(load, answers, &desk.outages, &stop),
    );
    memory
}

/// Waits until all that was stored is handled.
async fn rested(books: &Books) -> bool {
    let since = Instant::now();
    while !books.are_even() {
        if since.elapsed() > REST {
            return false;
        }
        sleep(Duration::from_millis(50)).await;
    }
    true
}
