//! `harness::run_suite` (CONF-11, CONF-12).

mod counting;
mod delivery;
mod log;
mod routing;
mod unregistered;

use std::time::Duration;

use ruststream_conformance::harness::{self, ConnectsInProcess};

use super::support::*;

async fn run(twist: impl Twist) {
    harness::run_suite(toys(Kind::Each, twist)).await;
}

#[tokio::test]
async fn an_honest_broker_passes_whether_it_keeps_a_backlog_or_not() {
    run(Honest).await;
    harness::run_suite(toys(Kind::Shared, Honest)).await;
}

// CONF-14
#[tokio::test]
async fn a_broker_whose_connect_leads_to_its_transport_passes_through_the_adapter() {
    harness::run_suite(|| ConnectsInProcess::new(ToyBroker::honest(Kind::Each))).await;
}

struct SettlesNothing;

impl Twist for SettlesNothing {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        delivery.consume();
        unsupported()
    }

    fn nack(&self, delivery: Delivery, _: bool) -> Settled<'_> {
        delivery.consume();
        unsupported()
    }

    fn delays(&self) -> bool {
        false
    }

    fn dropped(&self, delivery: Delivery) {
        delivery.consume();
    }
}

#[tokio::test]
async fn a_transport_that_settles_nothing_passes() {
    run(SettlesNothing).await;
}

/// What it publishes itself reaches other connections alone.
struct NoEcho;

impl Twist for NoEcho {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        sender.link.world().log(letter);
        now(Ok(()))
    }

    fn routes(&self, _: &Link, _: &str, _: &[&str]) -> Vec<usize> {
        Vec::new()
    }
}

#[tokio::test]
async fn a_transport_that_routes_by_connection_passes() {
    run(NoEcho).await;
}

struct PublishesNothing;

impl Twist for PublishesNothing {
    fn publish<'a>(&'a self, _: &'a Sender, _: Letter) -> Done<'a> {
        now(Err(ToyError::Refused("publishes")))
    }
}

#[tokio::test]
async fn a_transport_that_refuses_its_own_publishes_passes() {
    run(PublishesNothing).await;
}

struct DelayRefused;

impl Twist for DelayRefused {
    fn nack_after(&self, delivery: Delivery, _: Duration) -> Settled<'_> {
        delivery.consume();
        unsupported()
    }
}

#[tokio::test]
async fn a_delay_answered_unsupported_after_its_release_passes() {
    run(DelayRefused).await;
}

struct ForgetsUnsettled;

impl Twist for ForgetsUnsettled {
    fn dropped(&self, delivery: Delivery) {
        delivery.consume();
    }
}

#[tokio::test]
async fn an_unsettled_drop_forgotten_passes() {
    run(ForgetsUnsettled).await;
}
