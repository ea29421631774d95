//! A broker that the test harness has no registration of: its own publishes go unseen, and the rest
//! is held all the same.

use ruststream_conformance::harness;
use ruststream_core::testing::{Backlog, Coordinator, InProcess, TestableBroker};
use ruststream_core::{
    AddressedCopies, Broker, ConnectedBroker, OutgoingMessage, RawMessage, Subscribe,
};

use super::super::support::*;

#[derive(Clone)]
struct Unregistered(ToyBroker);

struct Connected(ConnectedToy);

impl Broker for Unregistered {
    type Error = ToyError;
    type Connected = Connected;

    async fn connect(self) -> Result<Connected, ToyError> {
        self.0.connect().await.map(Connected)
    }
}

impl InProcess for Unregistered {
    async fn connect_in_process(self) -> Result<Connected, ToyError> {
        self.0.connect_in_process().await.map(Connected)
    }
}

impl ConnectedBroker for Connected {
    type Error = ToyError;
    type Closed = ();

    async fn shutdown(self) -> Result<(), ToyError> {
        self.0.shutdown().await
    }
}

impl Subscribe for Connected {
    type Subscriber = <ConnectedToy as Subscribe>::Subscriber;
    type Copies = AddressedCopies;

    async fn subscribe(&self, name: &str) -> Result<Self::Subscriber, ToyError> {
        self.0.subscribe(name).await
    }
}

impl TestableBroker for Connected {
    fn install_coordinator(&self, coordinator: Coordinator) {
        self.0.install_coordinator(coordinator);
    }

    fn inject(&self, message: OutgoingMessage<'_>) {
        self.0.inject(message);
    }

    fn published(&self, name: &str) -> Vec<RawMessage> {
        self.0.published(name)
    }

    fn routes(&self, destination: &str, subscriptions: &[&str]) -> Vec<usize> {
        self.0.routes(destination, subscriptions)
    }

    fn backlog(&self) -> Backlog {
        self.0.backlog()
    }
}

async fn run(twist: impl Twist) {
    let make = toys(Kind::Each, twist);
    harness::run_suite(move || Unregistered(make())).await;
}

// CONF-13: nothing is asked of it beyond `Subscribe` and `TestableBroker`.
#[tokio::test]
async fn an_honest_broker_passes() {
    run(Honest).await;
}

/// Its publishers refuse everything, which nobody can see without a registration.
struct PublishesNothing;

impl Twist for PublishesNothing {
    fn publish<'a>(&'a self, _: &'a Sender, _: Letter) -> Done<'a> {
        now(Err(ToyError::Refused("publishes")))
    }
}

#[tokio::test]
async fn what_it_publishes_itself_is_not_asked_for() {
    run(PublishesNothing).await;
}

struct RoutesToTheFirst;

impl Twist for RoutesToTheFirst {
    fn routes(&self, _: &Link, _: &str, _: &[&str]) -> Vec<usize> {
        vec![0]
    }
}

#[tokio::test(start_paused = true)]
async fn both_subscriptions_get_what_is_owed_to_one() {
    let told = ["the subscriptions [0, 1] of", "[0] were owed"];
    rejected(run(RoutesToTheFirst), "run_suite: routing: ", &told).await;
}

struct CountsUnread;

impl Twist for CountsUnread {
    fn inject(&self, link: &Link, letter: Letter) {
        if letter.name.starts_with("conformance.unread")
            && let Some(coordinator) = link.world().coordinator.get()
        {
            coordinator.enqueued();
        }
        Honest.inject(link, letter);
    }
}

#[tokio::test(start_paused = true)]
async fn an_unread_message_counted() {
    let told = ["in_flight: 1", "where nothing is under way"];
    let start = "run_suite: counting an unread publish: ";
    rejected(run(CountsUnread), start, &told).await;
}

/// A server that refuses what nobody reads: `inject` says so by a panic.
struct RefusesUnread;

impl Twist for RefusesUnread {
    fn inject(&self, link: &Link, letter: Letter) {
        let unread = letter.name.starts_with("conformance.unread");
        assert!(!unread, "{} has no stream", letter.name);
        Honest.inject(link, letter);
    }
}

#[tokio::test]
async fn an_unread_message_refused_passes() {
    run(RefusesUnread).await;
}
