//! `in_process::{registered, publish_log, one_coordinator, routes}`: CORE-280, TEST-67.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ruststream_conformance::harness::InProcessBroker;
use ruststream_conformance::in_process;
use ruststream_core::testing::{Coordinator, InProcess};
use ruststream_core::{Broker, HeaderMap};

use super::support::*;

/// A toy whose author forgot to register it.
struct Forgotten(ToyBroker);

impl Broker for Forgotten {
    type Error = ToyError;
    type Connected = ConnectedToy;

    async fn connect(self) -> Result<ConnectedToy, ToyError> {
        self.0.connect().await
    }
}

impl InProcess for Forgotten {
    async fn connect_in_process(self) -> Result<ConnectedToy, ToyError> {
        self.0.connect_in_process().await
    }
}

// CORE-280
#[tokio::test]
async fn a_broker_that_is_not_registered() {
    in_process::registered::<ToyBroker>();
    let forgotten = async { in_process::registered::<Forgotten>() };
    let told = [
        "Forgotten: it is not registered, neither by this type nor by its connected form",
        "what to do: write `register_testable_broker!(Forgotten);`",
    ];
    rejected(forgotten, "registered: ", &told).await;
    let generic = async { in_process::registered::<InProcessBroker<ToyBroker>>() };
    let told = ["`register_testable_broker!(ruststream_conformance::harness::"];
    rejected(generic, "registered: ", &told).await;
}

// The log.

async fn logs(twist: impl Twist) {
    in_process::publish_log(toys(Kind::Each, twist)).await;
}

const PUBLISHED: &str = "publish_log: published: ";

#[tokio::test(start_paused = true)]
async fn a_log_that_holds_what_was_published_passes() {
    logs(Honest).await;
}

/// Shows another log than the one there is.
struct Logs(fn(&Link, &str) -> Vec<Arc<Letter>>);

impl Twist for Logs {
    fn published(&self, link: &Link, name: &str) -> Vec<Arc<Letter>> {
        (self.0)(link, name)
    }
}

fn changed(link: &Link, name: &str, change: fn(&mut Letter)) -> Vec<Arc<Letter>> {
    let mut logged = link.world().logged(name);
    for letter in &mut logged {
        change(Arc::make_mut(letter));
    }
    logged
}

#[tokio::test(start_paused = true)]
async fn a_log_under_another_name() {
    let twist = Logs(|link, name| changed(link, name, |letter| letter.name.clear()));
    let told = [
        "\"injected 1\" of \"\" is in the log of \"conformance.log.",
        "filter by name",
    ];
    rejected(logs(twist), PUBLISHED, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_log_out_of_order() {
    let twist = Logs(|link, name| link.world().logged(name).into_iter().rev().collect());
    let told = [
        "`published` holds [\"own 3",
        "where [\"injected 1\", \"own 1",
    ];
    rejected(logs(twist), PUBLISHED, &told).await;
}

/// Logs what it publishes itself after all that is injected.
#[derive(Default)]
struct LogsOwnLast(Mutex<Vec<Letter>>);

impl Twist for LogsOwnLast {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        self.0.lock().expect("not poisoned").push(letter.clone());
        sender.link.world().route(&Arc::new(letter));
        now(Ok(()))
    }

    fn published(&self, link: &Link, name: &str) -> Vec<Arc<Letter>> {
        let own = self.0.lock().expect("not poisoned").clone();
        let own = own.into_iter().filter(|letter| letter.name == name);
        let mut logged = link.world().logged(name);
        logged.extend(own.map(Arc::new));
        logged
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_of_own_publishes_at_the_end() {
    let told = [
        "`published` holds [\"injected 1\", \"injected 2\"",
        "where [\"injected 1\", \"own",
    ];
    rejected(logs(LogsOwnLast::default()), PUBLISHED, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_log_without_headers_or_with_text() {
    let twist = Logs(|link, name| changed(link, name, |letter| letter.headers = HeaderMap::new()));
    let told = ["the header `x-conformance-log` of \"injected 1\" was published as \"1\""];
    rejected(logs(twist), PUBLISHED, &told).await;
    let twist = Logs(|link, name| {
        changed(link, name, |letter| {
            letter.payload = String::from_utf8_lossy(&letter.payload).into_owned().into();
        })
    });
    let told = ["\"own 1\\x00\\xef\\xbf\\xbd"];
    rejected(logs(twist), PUBLISHED, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_log_of_refused_publishes() {
    struct LogsRefused;
    impl Twist for LogsRefused {
        fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
            sender.link.world().log(letter);
            now(Err(ToyError::Refused("publishes")))
        }
    }
    let told = ["where [\"injected 1\", \"injected 2\", \"injected 3\"] was published"];
    rejected(logs(LogsRefused), PUBLISHED, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_log_of_every_name() {
    let twist = Logs(|link, name| {
        // One log for all: under a name that nothing went to there is still the last message.
        let logged = link.world().logged(name);
        if !logged.is_empty() {
            return logged;
        }
        vec![Arc::new(Letter {
            name: name.to_owned(),
            ..Letter::default()
        })]
    });
    let told = ["`published` holds [\"\"] where [] was published"];
    rejected(logs(twist), PUBLISHED, &told).await;
}

// The coordinator.

async fn coordinates(twist: impl Twist) {
    in_process::one_coordinator(toys(Kind::Each, twist)).await;
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_keeps_its_coordinator_passes() {
    coordinates(Honest).await;
}

/// Tells every coordinator that it is given, or the last one, of what is published to it.
struct Tells {
    given: Mutex<Vec<Coordinator>>,
    every: bool,
}

impl Twist for Tells {
    fn install(&self, _: &Link, coordinator: Coordinator) {
        let mut given = self.given.lock().expect("not poisoned");
        if !self.every {
            given.clear();
        }
        given.push(coordinator);
    }

    fn inject(&self, link: &Link, letter: Letter) {
        for coordinator in &*self.given.lock().expect("not poisoned") {
            coordinator.enqueued();
        }
        Honest.inject(link, letter);
    }

    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        for coordinator in &*self.given.lock().expect("not poisoned") {
            coordinator.consumed();
        }
        Honest.ack(delivery)
    }
}

// TEST-67
#[tokio::test(start_paused = true)]
async fn a_second_coordinator_that_is_told_too() {
    let twist = Tells {
        given: Mutex::default(),
        every: true,
    };
    let told = [
        "it was told: Coordinator { in_flight: 1",
        "what to do: install with `OnceLock",
    ];
    rejected(coordinates(twist), "one_coordinator: second: ", &told).await;
}

// TEST-67
#[tokio::test(start_paused = true)]
async fn a_second_coordinator_in_the_place_of_the_first() {
    let twist = Tells {
        given: Mutex::default(),
        every: false,
    };
    let told = ["a message was injected and not counted"];
    rejected(coordinates(twist), "one_coordinator: first: ", &told).await;
}

/// Takes no coordinator once a subscription is open.
#[derive(Default)]
struct TooLate(AtomicUsize);

impl Twist for TooLate {
    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Honest.subscribe(link, slot)
    }

    fn install(&self, link: &Link, coordinator: Coordinator) {
        if self.0.load(Ordering::Relaxed) == 0 {
            Honest.install(link, coordinator);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_misses_the_subscriptions_before_it() {
    let told = [
        "a message was injected and not counted",
        "look it up when a stream is opened",
    ];
    rejected(
        coordinates(TooLate::default()),
        "one_coordinator: first: ",
        &told,
    )
    .await;
}

/// Forgets to count what was settled.
struct NeverReleases;

impl Twist for NeverReleases {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        std::mem::forget(delivery);
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_never_comes_to_rest() {
    let told = [" after the only message was settled"];
    rejected(
        coordinates(NeverReleases),
        "one_coordinator: first: ",
        &told,
    )
    .await;
}

// Routes.

async fn routes(kind: Kind, twist: impl Twist) {
    in_process::routes(toys(kind, twist)).await;
}

const ASK: &str = "routes: ask: ";

#[tokio::test(start_paused = true)]
async fn routes_that_change_nothing_pass() {
    routes(Kind::Each, Honest).await;
    routes(Kind::Shared, Honest).await;
}

/// Answers so.
struct Routes(fn(Vec<usize>, &str, &[&str]) -> Vec<usize>);

impl Twist for Routes {
    fn routes(&self, link: &Link, destination: &str, subscriptions: &[&str]) -> Vec<usize> {
        let honest = Honest.routes(link, destination, subscriptions);
        (self.0)(honest, destination, subscriptions)
    }
}

/// Takes a turn with each question.
#[derive(Default)]
struct TakesTurns(AtomicUsize);

impl Twist for TakesTurns {
    fn routes(&self, _: &Link, destination: &str, subscriptions: &[&str]) -> Vec<usize> {
        let turn = self.0.fetch_add(1, Ordering::Relaxed);
        let equal = (0..subscriptions.len()).filter(|&at| subscriptions[at] == destination);
        let equal: Vec<_> = equal.collect();
        equal
            .get(turn % equal.len().max(1))
            .copied()
            .into_iter()
            .collect()
    }
}

// TEST-67
#[tokio::test(start_paused = true)]
async fn a_question_that_takes_a_turn() {
    let told = [
        "it answered [0] of ",
        ", and then [1]",
        "leave the turn of a group as it is",
    ];
    rejected(routes(Kind::Shared, TakesTurns::default()), ASK, &told).await;
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_wrong() {
    let everyone = Routes(|_, _, names| (0..names.len()).collect());
    let told = ["it answered [0, 1, 2] for \"conformance.routes."];
    rejected(routes(Kind::Each, everyone), ASK, &told).await;
    let twice = Routes(|mut honest, _, _| {
        honest.extend(honest.clone());
        honest
    });
    rejected(
        routes(Kind::Each, twice),
        ASK,
        &["it answered [0, 0, 1, 1] of "],
    )
    .await;
    let beyond = Routes(|mut honest, _, names| {
        honest.push(names.len());
        honest
    });
    rejected(
        routes(Kind::Each, beyond),
        ASK,
        &["it answered [0, 1, 3] of "],
    )
    .await;
    let nobody = Routes(|_, _, _| Vec::new());
    let told = ["a name that is subscribed to reaches nobody"];
    rejected(routes(Kind::Each, nobody), ASK, &told).await;
    let own_order = Routes(|honest, _, _| (0..honest.len()).collect());
    let told = ["it answered [0, 1] of [", " where [1, 2] was due"];
    rejected(routes(Kind::Each, own_order), ASK, &told).await;
}
