//! `message_shape::keyed_order` and `message_shape::publish_options` (CONF-29, CONF-30).

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use ruststream_conformance::message_shape::{self, OptionCases};

use super::support::*;

async fn keyed(twist: impl Twist) {
    message_shape::keyed_order(
        toys(Kind::Each, twist),
        "letters",
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        |key, headers| {
            headers.insert("partition-key", key.to_vec());
            None
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn keyed_messages_in_order_pass() {
    keyed(Honest).await;
}

const READ: &str = "keyed order: read: ";

struct LosesKeys;

impl Twist for LosesKeys {
    fn key(&self, _: &Delivery) -> Option<Vec<u8>> {
        None
    }
}

// CORE-068
#[tokio::test(start_paused = true)]
async fn a_key_dropped() {
    rejected(
        keyed(LosesKeys),
        READ,
        &["a message of the key \"north\" reports no key"],
    )
    .await;
}

struct OneKeyForAll;

impl Twist for OneKeyForAll {
    fn key(&self, _: &Delivery) -> Option<Vec<u8>> {
        Some(b"north".to_vec())
    }
}

// CORE-068
#[tokio::test(start_paused = true)]
async fn another_key_reported() {
    rejected(
        keyed(OneKeyForAll),
        READ,
        &["a message of the key \"south\" reports \"north\""],
    )
    .await;
}

struct Publishes(fn(&Sender, Letter) -> Result<(), ToyError>);

impl Twist for Publishes {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        now((self.0)(sender, letter))
    }
}

fn to_the_front(sender: &Sender, letter: Letter) {
    let letter = Arc::new(letter);
    let readers = sender.link.world().readers(&letter.name);
    for reader in readers {
        reader.push_front(Item::of(&letter));
    }
}

// CORE-068
#[tokio::test(start_paused = true)]
async fn one_key_reordered() {
    let twist = Publishes(|sender, letter| {
        if letter.payload.starts_with(b"south") {
            to_the_front(sender, letter);
            return Ok(());
        }
        sender.publish(letter)
    });
    rejected(
        keyed(twist),
        READ,
        &["message 7 of the key \"south\" came before 0"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_keyed_publish_refused() {
    let twist = Publishes(|_, _| Err(ToyError::Refused("keys")));
    let start = "keyed order: publish: it failed with: the toy refuses: keys";
    rejected(keyed(twist), start, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_keyed_payload_altered() {
    let twist = Publishes(|sender, mut letter| {
        letter.payload.push(b'!');
        sender.publish(letter)
    });
    rejected(
        keyed(twist),
        READ,
        &["\"north 0!\" came, which was never published"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_keyed_message_lost() {
    let twist = Publishes(|sender, letter| {
        if letter.payload == b"west 7" {
            return Ok(());
        }
        sender.publish(letter)
    });
    rejected(
        keyed(twist),
        READ,
        &["of the 8 messages of each key only [8, 8, 7] came"],
    )
    .await;
}

/// Delivers the messages of one key after all others.
#[tokio::test(start_paused = true)]
async fn keys_that_interleave_otherwise_pass() {
    keyed(Publishes(|sender, letter| {
        if letter.payload.starts_with(b"south") {
            let link = sender.link.clone();
            link.clone()
                .later(Duration::from_secs(1), move || drop(link.publish(letter)));
            return Ok(());
        }
        sender.publish(letter)
    }))
    .await;
}

// Per-message options.

/// The policy says 1; 2 and 3 are honoured; 9 cannot be.
fn cases() -> OptionCases<ToyOptions, u8> {
    OptionCases::new(1)
        .overrides(urgency(2), 2)
        .overrides(urgency(3), 3)
        .refuses(urgency(9))
}

const fn urgency(urgency: u8) -> ToyOptions {
    ToyOptions {
        urgency: Some(urgency),
    }
}

async fn options_of(twist: impl Twist, cases: OptionCases<ToyOptions, u8>) {
    message_shape::publish_options(
        toys(Kind::Each, twist),
        "letters",
        |name| <Slot>::new(name),
        ToyPublish { urgency: 1 },
        cases,
        ToyMessage::urgency,
    )
    .await;
}

async fn options(twist: impl Twist) {
    options_of(twist, cases()).await;
}

#[tokio::test(start_paused = true)]
async fn a_publisher_that_resolves_its_options_passes() {
    options(Honest).await;
}

/// Resolves the urgency of a message from the policy's and the call's.
struct Resolves(fn(u8, Option<u8>) -> Result<u8, ToyError>);

impl Twist for Resolves {
    fn urgency(&self, policy: u8, call: Option<u8>) -> Result<u8, ToyError> {
        (self.0)(policy, call)
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_ignored() {
    let twist = Resolves(|_, call| Ok(call.unwrap_or_default()));
    let start = "publish options: policy: the delivery shows 0 where 1 was due";
    rejected(options(twist), start, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_ignored() {
    let twist = Resolves(|policy, _| Ok(policy));
    let start = "publish options: override: the delivery shows 1 where 2 was due";
    rejected(options(twist), start, &[]).await;
}

#[derive(Default)]
struct CallSticks(AtomicU8);

impl Twist for CallSticks {
    fn urgency(&self, policy: u8, call: Option<u8>) -> Result<u8, ToyError> {
        if let Some(call) = call {
            self.0.store(call, Ordering::Relaxed);
        }
        match self.0.load(Ordering::Relaxed) {
            0 => Ok(policy),
            stuck => Ok(stuck),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_sticks() {
    let start = "publish options: policy: the delivery shows 2 where 1 was due";
    rejected(options(CallSticks::default()), start, &[]).await;
}

// PUB-153
#[tokio::test(start_paused = true)]
async fn a_value_that_cannot_be_honoured_clamped() {
    let twist = Resolves(|policy, call| Ok(call.unwrap_or(policy).min(3)));
    rejected(options(twist), "publish options: refuse: it succeeded", &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_value_that_can_be_honoured_refused() {
    let twist = Resolves(|policy, call| match call {
        None => Ok(policy),
        Some(_) => Err(ToyError::Refused("options")),
    });
    let start = "publish options: override: it failed with: the toy refuses: options";
    rejected(options(twist), start, &[]).await;
}

/// Refuses an urgency, and delivers the message all the same.
struct RefusesAndDelivers {
    after: Option<Duration>,
}

impl Twist for RefusesAndDelivers {
    fn urgency(&self, policy: u8, call: Option<u8>) -> Result<u8, ToyError> {
        Ok(call.unwrap_or(policy))
    }

    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if letter.urgency <= 3 {
            return Honest.publish(sender, letter);
        }
        let link = sender.link.clone();
        match self.after {
            None => drop(link.publish(letter)),
            Some(delay) => link
                .clone()
                .later(delay, move || drop(link.publish(letter))),
        }
        now(Err(ToyError::Refused("such urgency")))
    }
}

// PUB-153
#[tokio::test(start_paused = true)]
async fn a_refused_value_delivered_at_once() {
    let twist = RefusesAndDelivers { after: None };
    let told = ["\"refused\" came where \"message 6\" was due"];
    rejected(options(twist), "publish options: refuse: ", &told).await;
}

// PUB-153
#[tokio::test(start_paused = true)]
async fn a_refused_value_delivered_later() {
    let twist = RefusesAndDelivers {
        after: Some(Duration::from_millis(300)),
    };
    let told = ["\"refused\" came within 500ms"];
    rejected(options(twist), "publish options: refuse: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn cases_without_an_override() {
    let start = "publish options: cases: there is no override";
    rejected(options_of(Honest, OptionCases::new(1)), start, &[]).await;
}
