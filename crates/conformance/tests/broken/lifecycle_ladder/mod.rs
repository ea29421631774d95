//! The second part of `harness::lifecycle`: the ladder (CONF-16).
//!
//! A twist is in force on the second connection, which is the one that climbs it. The third is the
//! new one that may be opened at the end.

mod calls;
mod settling;
mod shutdown;

use std::thread;
use std::time::Duration;

use ruststream_conformance::harness;
use tokio::time::sleep;

use super::support::*;

async fn run(twist: impl Twist) {
    run_with(toys(Kind::Each, twist)).await;
}

async fn run_with(make_broker: impl Fn() -> ToyBroker + Send + Sync + 'static) {
    harness::lifecycle(
        make_broker,
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
}

fn climbing(link: &Link) -> bool {
    link.number() == 2
}

/// A task that is dropped with the runtime of whoever calls.
fn left_to_the_caller(task: impl FnOnce() + Send + 'static) {
    tokio::spawn(async move {
        sleep(Duration::from_hours(1)).await;
        task();
    });
}

/// How a call goes wrong.
#[derive(Clone, Copy)]
enum Wrong {
    Fails,
    Hangs,
}

impl Wrong {
    fn answer<'a, T: Send + 'a>(self) -> Task<'a, Result<T, ToyError>> {
        match self {
            Self::Fails => now(Err(ToyError::Refused("everything"))),
            Self::Hangs => hanging(),
        }
    }
}

/// Publishes as the function says.
struct Publishing(fn(&Sender, Letter) -> Done<'static>);

impl Twist for Publishing {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if climbing(&sender.link) {
            (self.0)(sender, letter)
        } else {
            Honest.publish(sender, letter)
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_honest_broker_passes() {
    run(Honest).await;
    run_with(toys(Kind::Shared, Honest)).await;
}

#[tokio::test]
async fn a_constructor_that_spawns() {
    let make = toys(Kind::Each, Honest);
    let suite = run_with(move || {
        tokio::spawn(async {});
        make()
    });
    let told = ["it panicked: ", "no reactor running"];
    rejected(suite, "lifecycle: construction: ", &told).await;
}

#[tokio::test]
async fn a_constructor_that_waits() {
    let make = toys(Kind::Each, Honest);
    let suite = run_with(move || {
        thread::sleep(Duration::from_millis(1500));
        make()
    });
    rejected(
        suite,
        "lifecycle: construction: the call held its thread for 1s",
        &[],
    )
    .await;
}

#[tokio::test]
async fn a_constructor_that_never_returns() {
    let suite = run_with(|| {
        loop {
            thread::park();
        }
    });
    rejected(
        suite,
        "lifecycle: construction: the call held its thread for 1s",
        &[],
    )
    .await;
}
