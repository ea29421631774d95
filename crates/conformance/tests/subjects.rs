//! CONF-06: the names a suite uses are part of its interface; servers are provisioned for them.

#![allow(
    clippy::redundant_closure,
    clippy::redundant_closure_for_method_calls,
    reason = "the factories are written as callers write them: as closures"
)]

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ruststream_conformance::in_process::Refusal;
use ruststream_conformance::{capabilities, harness, in_process, lifecycle, retry, settlement};
use ruststream_core::testing::Backlog;
use ruststream_core::{BrokerMoves, OutgoingMessage, Publisher, nonzero};
use support::*;

/// The names subscribed to, each once, in order.
#[derive(Clone, Default)]
struct Names(Arc<Mutex<Vec<String>>>);

impl Twist for Names {
    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        if slot.name().contains('*') {
            return now(Err(ToyError::Refused("wildcards")));
        }
        let mut names = self.0.lock().expect("not poisoned");
        if !names.iter().any(|name| name == slot.name()) {
            names.push(slot.name().to_owned());
        }
        Honest.subscribe(link, slot)
    }
}

impl Names {
    /// Each name must be its prefix, followed by a unique suffix behind `separator`.
    #[track_caller]
    fn are(&self, separator: char, prefixes: &[&str]) {
        let names = self.0.lock().expect("not poisoned");
        let found: Vec<_> = names
            .iter()
            .map(|name| {
                let stem = prefixes.iter().filter(|prefix| name.starts_with(*prefix));
                let longest = stem.max_by_key(|prefix| prefix.len());
                let stem = longest.unwrap_or_else(|| panic!("{name} begins with no prefix"));
                assert!(name[stem.len()..].starts_with(separator), "{name}");
                *stem
            })
            .collect();
        assert_eq!(found, prefixes);
    }
}

#[tokio::test(start_paused = true)]
async fn run_suite_uses_fixed_names_and_then_unique_ones() {
    let names = Names::default();
    harness::run_suite(toys(Kind::Each, names.clone())).await;
    let names = names.0.lock().expect("not poisoned").clone();
    let (fixed, unique) = names.split_at(6);
    assert_eq!(
        fixed,
        ["ordering", "late", "ack", "requeue", "drop", "headers"]
            .map(|name| format!("conformance.{name}"))
    );
    let stems: Vec<_> = unique
        .iter()
        .map(|name| name.rsplit_once('.').map(|(stem, _)| stem))
        .collect();
    assert_eq!(
        stems,
        ["ownpublish", "shared", "elsewhere", "counted"]
            .map(|name| format!("conformance.{name}"))
            .each_ref()
            .map(|name| Some(name.as_str()))
    );
}

#[tokio::test(start_paused = true)]
async fn lifecycles_and_shutdowns() {
    let names = Names::default();
    harness::lifecycle(
        toys(Kind::Each, names.clone()),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
    names.are('.', &["conformance.lifecycle"; 2]);

    let names = Names::default();
    lifecycle::shutdown_flushes(
        toys(Kind::Each, names.clone()),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        Backlog::Missed,
    )
    .await;
    names.are('.', &["conformance.flush"]);

    let names = Names::default();
    lifecycle::shared_handle_closes(
        toys(Kind::Each, names.clone()),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
    names.are('.', &["conformance.shared"]);
}

#[tokio::test(start_paused = true)]
async fn retries() {
    let names = Names::default();
    retry::redelivery_address(
        toys(Kind::Each, names.clone()),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
    names.are('.', &["conformance.redelivery"]);

    // Half a declaration is refused before its subscription opens, so that name stays unseen.
    let names = Names::default();
    retry::broker_moves(
        toys(Kind::Shared, names.clone()),
        |name| Slot::<BrokerMoves>::new(name),
        |connected| connected.publisher(),
        nonzero!(2),
    )
    .await;
    names.are('-', &["conformance-dead", "conformance-moves"]);
    let names = names.0.lock().expect("not poisoned");
    assert!(names.iter().all(|name| !name.contains('.')), "{names:?}");
}

#[tokio::test(start_paused = true)]
async fn settlements() {
    let names = Names::default();
    settlement::suite(
        toys(Kind::Shared, names.clone()),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        Duration::ZERO,
    )
    .await;
    let prefixes = ["consume", "consume", "requeue", "order", "unsettled"]
        .map(|name| format!("conformance.settlement.{name}"));
    names.are('.', &prefixes.each_ref().map(String::as_str));
}

#[tokio::test(start_paused = true)]
async fn comparisons_with_a_server() {
    let names = Names::default();
    in_process::backlog_matches_server(toys(Kind::Each, names.clone()), |connected| {
        connected.publisher()
    })
    .await;
    names.are('.', &["conformance.backlog"; 2]);

    let names = Names::default();
    in_process::refuses_like_the_server(
        toys(Kind::Each, names.clone()),
        |connected| connected.publisher(),
        [Refusal::Subscription {
            source: <Slot>::new("letters.*"),
        }],
    )
    .await;
    let [name, other] = ["conformance.admitted", "conformance.admitted.elsewhere"];
    names.are('.', &[name, other, name, other]);
}

#[tokio::test(start_paused = true)]
async fn capabilities_by_their_names() {
    let publisher = |connected: &ConnectedToy| connected.publisher();

    let names = Names::default();
    let toy = || toys(Kind::Each, names.clone());
    capabilities::batches(toy(), |name| <Slot>::new(name), publisher).await;
    capabilities::batch_seeking(toy(), |name| <Slot>::new(name), publisher).await;
    capabilities::seeking(toy(), |name| <Slot>::new(name), publisher).await;
    capabilities::seeking_unknown_position(toy(), |name| <Slot>::new(name), publisher, |_| 99)
        .await;
    capabilities::request_reply(toy(), |name| <Slot>::new(name), publisher, publisher).await;
    capabilities::transactions(toy(), |name| <Slot>::new(name), publisher).await;
    capabilities::owned_transactions(toy(), |name| <Slot>::new(name), publisher).await;
    capabilities::carries(
        toy(),
        |name| <Slot>::new(name),
        publisher,
        publish,
        publish_gone,
        &[Parcel(1), Parcel(2)],
    )
    .await;
    capabilities::carries_batch(
        toy(),
        |name| <Slot>::new(name),
        publisher,
        publish,
        publish_gone,
        &[Parcel(1), Parcel(2)],
    )
    .await;
    let prefixes = [
        "batches",
        "batch_seeking",
        "seeking",
        "seeking_unknown_position",
        "request_reply",
        "transactions",
        "owned_transactions",
        "carries",
        "carries_batch",
    ]
    .map(|name| format!("conformance.{name}"));
    names.are('.', &prefixes.each_ref().map(String::as_str));
}

async fn publish(connected: &ConnectedToy, name: &str, parcel: &Parcel) -> Result<(), ToyError> {
    let payload = format!("parcel {}", parcel.0);
    let message = OutgoingMessage::new(name, payload.as_bytes());
    connected.publisher().publish(message, None).await
}

async fn publish_gone(connected: &ConnectedToy, name: &str) -> Result<(), ToyError> {
    let message = OutgoingMessage::new(name, b"gone");
    connected.publisher().publish(message, None).await
}
