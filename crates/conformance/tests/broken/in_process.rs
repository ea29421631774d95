//! `in_process::backlog_matches_server` and `in_process::refuses_like_the_server` (CONF-27, CONF-28).

use ruststream_conformance::in_process::{self, Refusal};
use ruststream_core::testing::Backlog;

use super::support::*;

async fn backlog(kind: Kind, twist: impl Twist) {
    in_process::backlog_matches_server(toys(kind, twist), |connected| connected.publisher()).await;
}

#[tokio::test(start_paused = true)]
async fn a_backlog_that_matches_passes_whether_there_is_one_or_not() {
    backlog(Kind::Each, Honest).await;
    backlog(Kind::Shared, Honest).await;
}

struct DeniesItsBacklog;

impl Twist for DeniesItsBacklog {
    fn backlog(&self, _: &Link) -> Backlog {
        Backlog::Missed
    }
}

#[tokio::test(start_paused = true)]
async fn a_backlog_that_the_server_keeps_and_the_declaration_denies() {
    let told = [
        "\"early\" came where \"on time\" was due",
        "`Backlog::Missed`",
    ];
    let start = "backlog_matches_server against the server: read: ";
    rejected(backlog(Kind::Shared, DeniesItsBacklog), start, &told).await;
}

/// Has a backlog on the server, and in process only says so.
struct KeepsOnServer;

impl Twist for KeepsOnServer {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        let world = sender.link.world();
        if sender.link.side() == Side::InProcess && world.readers(&letter.name).is_empty() {
            world.log(letter);
            return now(Ok(()));
        }
        Honest.publish(sender, letter)
    }
}

#[tokio::test(start_paused = true)]
async fn a_backlog_that_the_in_process_transport_drops() {
    let told = [
        "\"on time\" came where \"early\" was due",
        "`Backlog::Delivered`",
    ];
    let start = "backlog_matches_server in process: read: ";
    rejected(backlog(Kind::Shared, KeepsOnServer), start, &told).await;
}

/// A publish that nobody reads is refused, on these sides.
struct RefusesUnread {
    server: bool,
    in_process: bool,
    delivered_anyway: bool,
}

impl RefusesUnread {
    const fn on(server: bool, in_process: bool) -> Self {
        Self {
            server,
            in_process,
            delivered_anyway: false,
        }
    }
}

impl Twist for RefusesUnread {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        let refuses = match sender.link.side() {
            Side::Server => self.server,
            Side::InProcess => self.in_process,
        };
        if refuses && sender.link.world().readers(&letter.name).is_empty() {
            if self.delivered_anyway {
                sender.link.world().publish(letter);
            }
            return now(Err(ToyError::Refused("what nobody reads")));
        }
        Honest.publish(sender, letter)
    }
}

const EARLY: &str = "backlog_matches_server: publish before subscribe: ";

#[tokio::test(start_paused = true)]
async fn an_early_publish_that_only_the_server_refuses() {
    let told = [
        "the server refuses it and the in-process transport takes it",
        "production fails",
    ];
    let suite = backlog(Kind::Each, RefusesUnread::on(true, false));
    rejected(suite, EARLY, &told).await;
}

#[tokio::test(start_paused = true)]
async fn an_early_publish_that_only_the_in_process_transport_refuses() {
    let told = ["the in-process transport refuses it and the server takes it"];
    let suite = backlog(Kind::Each, RefusesUnread::on(false, true));
    rejected(suite, EARLY, &told).await;
}

#[tokio::test(start_paused = true)]
async fn an_early_publish_refused_on_both_sides_passes() {
    backlog(Kind::Each, RefusesUnread::on(true, true)).await;
}

#[tokio::test(start_paused = true)]
async fn an_early_publish_refused_and_delivered() {
    let twist = RefusesUnread {
        delivered_anyway: true,
        ..RefusesUnread::on(true, true)
    };
    let told = [
        "\"early\" came where \"on time\" was due",
        "was refused is never delivered",
    ];
    let start = "backlog_matches_server against the server: read: ";
    rejected(backlog(Kind::Shared, twist), start, &told).await;
}

/// A subscription is refused on this side.
struct RefusesSubscriptions(Side);

impl Twist for RefusesSubscriptions {
    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        if link.side() == self.0 {
            return now(Err(ToyError::Refused("subscriptions")));
        }
        Honest.subscribe(link, slot)
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscription_refused() {
    let told = ["the toy refuses: subscriptions"];
    let start = "backlog_matches_server against the server: subscribe: ";
    let suite = backlog(Kind::Each, RefusesSubscriptions(Side::Server));
    rejected(suite, start, &told).await;
    let start = "backlog_matches_server in process: subscribe: ";
    let suite = backlog(Kind::Each, RefusesSubscriptions(Side::InProcess));
    rejected(suite, start, &told).await;
}

// What is refused.

/// The limits of a side: the longest payload, wildcards, a second reader of a name.
#[derive(Clone, Copy)]
struct Limits {
    payload: usize,
    wildcards: bool,
    readers: usize,
    oversized_delivered: bool,
}

const STRICT: Limits = Limits {
    payload: 64,
    wildcards: false,
    readers: 1,
    oversized_delivered: false,
};

/// A server with limits, and an in-process transport with its own.
struct Limited {
    server: Limits,
    in_process: Limits,
}

impl Limited {
    const fn alike() -> Self {
        Self {
            server: STRICT,
            in_process: STRICT,
        }
    }

    fn of(&self, link: &Link) -> Limits {
        match link.side() {
            Side::Server => self.server,
            Side::InProcess => self.in_process,
        }
    }
}

impl Twist for Limited {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        let limits = self.of(&sender.link);
        if letter.name.contains('*') && !limits.wildcards {
            return now(Err(ToyError::Refused("wildcards")));
        }
        if letter.payload.len() > limits.payload {
            if limits.oversized_delivered {
                sender.link.world().publish(letter);
            }
            return now(Err(ToyError::Refused("long payloads")));
        }
        Honest.publish(sender, letter)
    }

    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        let limits = self.of(link);
        if slot.name().contains('*') && !limits.wildcards {
            return now(Err(ToyError::Refused("wildcards")));
        }
        if link.world().readers(slot.name()).len() == limits.readers {
            return now(Err(ToyError::Refused("a second reader")));
        }
        Honest.subscribe(link, slot)
    }
}

fn payload() -> Refusal<Slot> {
    Refusal::PayloadOver {
        name: "letters".to_owned(),
        limit: STRICT.payload,
    }
}

fn wildcard_publish() -> Refusal<Slot> {
    Refusal::Publish {
        name: "letters.*".to_owned(),
    }
}

fn wildcard() -> Refusal<Slot> {
    Refusal::Subscription {
        source: Slot::new("letters.*"),
    }
}

fn conflict() -> Refusal<Slot> {
    Refusal::Conflicting {
        open: Slot::new("letters"),
        refused: Slot::new("letters"),
    }
}

async fn refuses(twist: Limited, refusals: Vec<Refusal<Slot>>) {
    let make_broker = toys(Kind::Each, twist);
    in_process::refuses_like_the_server(make_broker, |connected| connected.publisher(), refusals)
        .await;
}

#[tokio::test(start_paused = true)]
async fn limits_that_match_pass() {
    let refusals = vec![payload(), wildcard_publish(), wildcard(), conflict()];
    refuses(Limited::alike(), refusals).await;
}

const LONG: &str = "refuses_like_the_server: a payload over 64 bytes to \"letters\": ";

#[tokio::test(start_paused = true)]
async fn an_oversized_payload_accepted_in_process() {
    let twist = Limited {
        in_process: Limits {
            payload: 128,
            ..STRICT
        },
        ..Limited::alike()
    };
    let told = ["the server refuses it and the in-process transport takes it"];
    rejected(refuses(twist, vec![payload()]), LONG, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_limit_off_by_one() {
    let twist = Limited {
        in_process: Limits {
            payload: 63,
            ..STRICT
        },
        ..Limited::alike()
    };
    let told = [
        "it failed with: the toy refuses: long payloads",
        "exactly the limit",
    ];
    let start = "refuses_like_the_server in process: a payload over 64 bytes";
    rejected(refuses(twist, vec![payload()]), start, &told).await;
}

#[tokio::test(start_paused = true)]
async fn an_oversized_payload_refused_and_delivered() {
    let twist = Limited {
        server: Limits {
            oversized_delivered: true,
            ..STRICT
        },
        ..Limited::alike()
    };
    let told = ["came within 500ms", "was refused is never delivered"];
    let start = "refuses_like_the_server against the server: a payload over 64 bytes";
    rejected(refuses(twist, vec![payload()]), start, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_wildcard_opened_in_process() {
    let twist = Limited {
        in_process: Limits {
            wildcards: true,
            ..STRICT
        },
        ..Limited::alike()
    };
    let told = ["the server refuses it and the in-process transport takes it"];
    let start = "refuses_like_the_server: a subscription to \"letters.*\": ";
    rejected(refuses(twist, vec![wildcard()]), start, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_wildcard_that_only_the_in_process_transport_refuses() {
    let twist = Limited {
        server: Limits {
            wildcards: true,
            ..STRICT
        },
        ..Limited::alike()
    };
    let told = ["the in-process transport refuses it and the server takes it"];
    let start = "refuses_like_the_server: a publish to \"letters.*\": ";
    rejected(refuses(twist, vec![wildcard_publish()]), start, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_neither_side_refuses() {
    let probe = Refusal::Publish {
        name: "letters".to_owned(),
    };
    let told = ["neither side refuses it: the probe is useless"];
    let start = "refuses_like_the_server: a publish to \"letters\": ";
    rejected(refuses(Limited::alike(), vec![probe]), start, &told).await;
}

#[tokio::test(start_paused = true)]
async fn an_empty_list() {
    let start = "refuses_like_the_server: refusals: the list is empty";
    rejected(refuses(Limited::alike(), Vec::new()), start, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_conflict_whose_first_is_refused() {
    let probe = Refusal::Conflicting {
        open: Slot::new("letters.*"),
        refused: Slot::new("letters.*"),
    };
    let told = [
        "it failed with: the toy refuses: wildcards",
        "the first of two",
    ];
    let start =
        "refuses_like_the_server against the server: a subscription to \"letters.*\" beside";
    rejected(refuses(Limited::alike(), vec![probe]), start, &told).await;
}

#[tokio::test(start_paused = true)]
async fn fewer_subscriptions_admitted_in_process() {
    let twist = Limited {
        server: Limits {
            readers: 2,
            ..STRICT
        },
        ..Limited::alike()
    };
    let told = ["[true, true, true] against the server and [true, false, true] in process"];
    let start = "refuses_like_the_server: subscriptions admitted: ";
    rejected(refuses(twist, vec![wildcard()]), start, &told).await;
}
