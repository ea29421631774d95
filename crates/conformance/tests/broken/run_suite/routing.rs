//! Who receives what.

use super::super::support::*;
use super::run;

/// Answers `routes` and routes own publishes as it likes.
struct Routes {
    answer: &'static [usize],
    reach: &'static [usize],
}

impl Twist for Routes {
    fn routes(&self, _: &Link, _: &str, _: &[&str]) -> Vec<usize> {
        self.answer.to_vec()
    }

    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        let world = sender.link.world();
        let letter = world.log(letter);
        let readers = world.readers(&letter.name);
        for at in self.reach {
            if let Some(reader) = readers.get(*at) {
                reader.push(Item::of(&letter));
            }
        }
        now(Ok(()))
    }
}

// CORE-285
#[tokio::test(start_paused = true)]
async fn both_subscriptions_get_what_is_owed_to_one() {
    let twist = Routes {
        answer: &[0],
        reach: &[0, 1],
    };
    let told = [
        "\"routed 0\"",
        "the subscriptions [0, 1] of",
        "[0] were owed",
    ];
    rejected(run(twist), "run_suite: routing: ", &told[1..]).await;
}

#[tokio::test(start_paused = true)]
async fn the_other_subscription_gets_it() {
    let twist = Routes {
        answer: &[0],
        reach: &[1],
    };
    let told = ["the subscriptions [1] of", "[0] were owed"];
    rejected(run(twist), "run_suite: routing: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn one_owed_a_message_receives_nothing() {
    let twist = Routes {
        answer: &[0, 1, 2],
        reach: &[0, 1],
    };
    let told = ["the subscriptions [0, 1] of", "[0, 1, 2] were owed"];
    rejected(run(twist), "run_suite: routing: ", &told).await;
}

struct StaysCounted;

impl Twist for StaysCounted {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        if let Some(coordinator) = delivery.link.world().coordinator.get() {
            coordinator.enqueued();
        }
        delivery.consume();
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn settled_messages_that_stay_counted() {
    let told = ["in_flight: ", "everything settled is counted as consumed"];
    rejected(run(StaysCounted), "run_suite: routing: ", &told).await;
}
