//! `message_shape::shows_without_credentials`: CORE-230, CORE-291.

use std::sync::Arc;

use ruststream_conformance::message_shape;

use super::support::*;

const SECRET: &str = "hun\"ter\\2";

async fn run(prefix: &'static str, secret: &str, twist: impl Twist) {
    message_shape::shows_without_credentials(
        toys(Kind::Each, twist),
        move |name| <Slot>::new(&format!("{prefix}{name}")),
        |connected| connected.publisher(),
        secret,
    )
    .await;
}

async fn tells(place: &str, twist: impl Twist) {
    let start = format!("shows_without_credentials: {place}: its ");
    let told = [
        " holds the secret; ",
        "what to do: write its `Debug` by hand",
    ];
    rejected(run("", SECRET, twist), &start, &told).await;
}

#[tokio::test]
async fn a_broker_that_shows_no_secret_passes() {
    run("", SECRET, Honest).await;
}

/// Prints the secret in the `Debug` text of one of its types: as it is, or as a string in there.
struct Prints {
    name: &'static str,
    escaped: bool,
}

impl Twist for Prints {
    fn shown(&self, name: &str) -> String {
        match (name == self.name, self.escaped) {
            (false, _) => name.to_owned(),
            (true, false) => format!("{name}(toy://desk:{SECRET}@localhost)"),
            (true, true) => format!("{name}({:?})", format!("toy://desk:{SECRET}@localhost")),
        }
    }
}

// CORE-291
#[tokio::test]
async fn a_secret_in_the_debug_text_of_a_handle() {
    for (name, place) in [
        ("ToyBroker", "the broker"),
        ("ConnectedToy", "the connected form"),
        ("ToySubscriber", "the subscriber"),
        ("ToyPublisher", "the publisher"),
    ] {
        for escaped in [false, true] {
            tells(place, Prints { name, escaped }).await;
        }
    }
}

#[tokio::test]
async fn a_secret_in_the_debug_text_of_a_source() {
    let start = "shows_without_credentials: the source: its `Debug` holds the secret";
    rejected(run("hunter2@", "hunter2", Honest), start, &[]).await;
}

const TELLING: ToyError = ToyError::Refused("toy://desk:hun\"ter\\2@localhost");

/// Fails one call with an error that tells the secret.
#[derive(PartialEq)]
enum FailsTelling {
    Connect,
    Subscribe,
    Shutdown,
    Publish,
}

impl Twist for FailsTelling {
    fn connect<'a>(
        &'a self,
        world: &'a Arc<World>,
        side: Side,
    ) -> Task<'a, Result<Link, ToyError>> {
        match self {
            Self::Connect => now(Err(TELLING)),
            _ => Honest.connect(world, side),
        }
    }

    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        match self {
            Self::Subscribe => now(Err(TELLING)),
            _ => Honest.subscribe(link, slot),
        }
    }

    fn shutdown(&self, link: Link) -> Done<'_> {
        match self {
            Self::Shutdown => now(Err(TELLING)),
            _ => Honest.shutdown(link),
        }
    }

    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        match self {
            Self::Publish => now(Err(TELLING)),
            _ => Honest.publish(sender, letter),
        }
    }
}

#[tokio::test]
async fn a_secret_in_an_error() {
    tells("the error of `connect`", FailsTelling::Connect).await;
    tells("the error of `subscribe`", FailsTelling::Subscribe).await;
    tells("the error of `shutdown`", FailsTelling::Shutdown).await;
    tells("the error of a publish", FailsTelling::Publish).await;
}

/// Has an address where nobody answers.
struct NobodyThere;

impl Twist for NobodyThere {
    fn connect<'a>(&'a self, _: &'a Arc<World>, _: Side) -> Task<'a, Result<Link, ToyError>> {
        now(Err(ToyError::Refused("toy://localhost")))
    }
}

#[tokio::test]
async fn an_error_without_a_secret_passes() {
    run("", SECRET, NobodyThere).await;
}

#[tokio::test]
async fn an_empty_secret() {
    let start = "shows_without_credentials: the secret: it is empty";
    rejected(run("", "", Honest), start, &[]).await;
}
