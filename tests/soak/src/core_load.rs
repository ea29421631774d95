//! Publishes on a Core subject, and counts what is heard.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ruststream::{BytesMut, OutgoingMessage, Publisher};
use ruststream_nats::{ConnectedNatsBroker, NatsPublish};

use crate::outages::Outages;
use crate::service::HEARD;

/// How far the publisher may be ahead: below what the client buffers for a subscription.
const AHEAD: u64 = 10_000;

/// What was heard, in order.
#[derive(Debug)]
pub(crate) struct Heard {
    last: AtomicU64,
    tally: Mutex<Tally>,
}

#[derive(Debug, Clone)]
pub(crate) struct Tally {
    pub(crate) heard: u64,
    /// Not heard, with an outage in between.
    pub(crate) lost: u64,
    /// Not heard, without one; or heard twice, or out of order.
    pub(crate) unexplained: u64,
    at: Instant,
}

impl Heard {
    pub(crate) fn new() -> Self {
        Self {
            last: AtomicU64::new(0),
            tally: Mutex::new(Tally {
                heard: 0,
                lost: 0,
                unexplained: 0,
                at: Instant::now(),
            }),
        }
    }

    pub(crate) fn one(&self, number: u64, outages: &Outages) {
        let now = Instant::now();
        let last = self.last.load(Ordering::Relaxed);
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.heard += 1;
        if number != last + 1 {
            let is_explained = outages.touch(tally.at, now);
            match number.checked_sub(last + 1) {
                Some(missing) if is_explained => tally.lost += missing,
                // The client sends again what it does not know to be sent.
                None if is_explained => {}
                missing => tally.unexplained += missing.unwrap_or(1),
            }
        }
        tally.at = now;
        self.last.store(number.max(last), Ordering::Relaxed);
    }

    pub(crate) fn tally(&self) -> Tally {
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.clone()
    }
}

/// Publishes until told to stop; returns how many.
pub(crate) async fn publish(broker: &ConnectedNatsBroker, heard: &Heard, stop: &AtomicBool) -> u64 {
    let publisher = broker.publisher(NatsPublish);
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        for _ in 0..100 {
            number += 1;
            let body = format!(r#"{{"id":{number}}}"#);
            let message = OutgoingMessage::produced(HEARD, BytesMut::from(body.as_bytes()));
            publisher
                .publish(message, None)
                .await
                .expect("the client takes it");
        }
        let since = Instant::now();
        // What is lost in an outage is never heard.
        while number > heard.last.load(Ordering::Relaxed) + AHEAD
            && since.elapsed() < Duration::from_millis(500)
        {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::task::yield_now().await;
    }
    number
}
