use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use ruststream_core::{OutgoingMessage, OwnedTransactions, Transaction};
use ruststream_memory::{MemoryBroker, MemorySubscriber};

use crate::support::*;

const MESSAGES: usize = 5_000;

fn numbers(subscriber: &mut MemorySubscriber) -> Vec<usize> {
    bodies(subscriber)
        .iter()
        .map(|body| body.parse().expect("a number"))
        .collect()
}

// MEM-17
#[test]
fn publishes_from_many_threads_form_one_order_that_all_subscriptions_see() {
    let broker = MemoryBroker::new();
    let connected = connect(&broker);
    let mut all = [
        subscribe_pattern(&connected, ">"),
        subscribe_pattern(&connected, ">"),
    ];
    let mut exact = [subscribe(&connected, "a"), subscribe(&connected, "b")];
    thread::scope(|scope| {
        for (thread, name) in ["a", "b", "a"].into_iter().enumerate() {
            let publisher = broker.publisher();
            scope.spawn(move || {
                for n in 0..MESSAGES {
                    publish(&publisher, name, &format!("{name}{thread}.{n}"));
                }
            });
        }
    });
    let [one, two] = all.each_mut().map(bodies);
    assert_eq!(one.len(), 3 * MESSAGES);
    assert_eq!(one, two);
    for (name, exact) in ["a", "b"].into_iter().zip(&mut exact) {
        let of_name: Vec<_> = one
            .iter()
            .filter(|body| body.starts_with(name))
            .cloned()
            .collect();
        assert_eq!(bodies(exact), of_name);
    }
}

// MEM-14, MEM-17
#[test]
fn subscriptions_that_come_and_go_disturb_no_other() {
    let broker = MemoryBroker::new();
    let connected = connect(&broker);
    let mut lasting = subscribe(&connected, "parcels");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let publisher = broker.publisher();
        let done = &done;
        scope.spawn(move || {
            for n in 0..MESSAGES {
                publish(&publisher, "parcels", &n.to_string());
            }
            done.store(true, Ordering::Release);
        });
        let mut odd = false;
        while !done.load(Ordering::Acquire) {
            odd = !odd;
            let mut passing = if odd {
                subscribe(&connected, "parcels")
            } else {
                subscribe_pattern(&connected, "*")
            };
            let seen = numbers(&mut passing);
            assert!(
                seen.windows(2).all(|pair| pair[1] == pair[0] + 1),
                "a gap or a double"
            );
        }
    });
    assert!(numbers(&mut lasting).into_iter().eq(0..MESSAGES));
}

// MEM-62, PUB-803
#[test]
fn a_commit_is_one_step_between_concurrent_publishes() {
    let broker = MemoryBroker::new();
    let mut exact = broker.subscribe("a");
    let mut other = broker.subscribe("b");
    let mut read = Vec::new();
    thread::scope(|scope| {
        let direct = broker.publisher();
        let publishing = scope.spawn(move || {
            for _ in 0..MESSAGES {
                publish(&direct, "a", "direct");
            }
        });
        let publisher = broker.publisher();
        let committing = scope.spawn(move || {
            for _ in 0..MESSAGES / 10 {
                let mut transaction = at_once(publisher.transaction()).expect("opens");
                for (name, body) in [
                    ("a", "first"),
                    ("b", "between"),
                    ("a", "second"),
                    ("a", "third"),
                ] {
                    let message = OutgoingMessage::new(name, body.as_bytes());
                    at_once(transaction.publish(message, None)).expect("buffers");
                }
                at_once(transaction.commit()).expect("commits");
            }
        });
        while !(publishing.is_finished() && committing.is_finished()) {
            let mut seen = bodies(&mut exact);
            // What a reader finds queued never ends inside a commit.
            assert!(
                seen.last()
                    .is_none_or(|body| body != "first" && body != "second")
            );
            read.append(&mut seen);
        }
    });
    read.append(&mut bodies(&mut exact));
    let committed: Vec<_> = read.iter().skip_while(|body| *body == "direct").collect();
    for commit in committed
        .split(|body| *body == "direct")
        .filter(|run| !run.is_empty())
    {
        for step in commit.chunks(3) {
            assert_eq!(step, ["first", "second", "third"]);
        }
    }
    assert_eq!(read.len(), MESSAGES + 3 * (MESSAGES / 10));
    assert_eq!(bodies(&mut other).len(), MESSAGES / 10);
}
