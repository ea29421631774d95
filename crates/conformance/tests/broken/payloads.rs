//! `message_shape::payloads`: CORE-114 and CORE-088, for the bytes of a payload.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ruststream_conformance::message_shape;

use super::support::*;

async fn run(twist: impl Twist) {
    message_shape::payloads(
        toys(Kind::Each, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_broker_that_carries_every_payload_passes() {
    run(Honest).await;
}

/// Publishes something else than it was given; none is a message lost, `Ok` all the same.
struct Carries(fn(Vec<u8>) -> Option<Vec<u8>>);

impl Twist for Carries {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        now(match (self.0)(letter.payload) {
            None => Ok(()),
            Some(payload) => sender.publish(Letter { payload, ..letter }),
        })
    }
}

#[tokio::test(start_paused = true)]
async fn payloads_taken_for_text() {
    let twist = Carries(|payload| Some(String::from_utf8_lossy(&payload).into_owned().into()));
    let told = [
        "\"\\xef\\xbf\\xbd",
        " was due: they differ from byte 0 on; the contract asks that a payload that was taken \
         arrives byte for byte",
        "; what to do: carry the payload as bytes",
    ];
    rejected(run(twist), "payloads: no UTF-8: ", &told).await;
}

fn cut_at(payload: &[u8], end: u8) -> Vec<u8> {
    let cut = payload.iter().position(|&byte| byte == end);
    payload[..cut.unwrap_or(payload.len())].to_vec()
}

#[tokio::test(start_paused = true)]
async fn payloads_cut_at_a_nul() {
    let twist = Carries(|payload| Some(cut_at(&payload, 0)));
    // The 256 bytes begin with one.
    let told = ["\"\" came where ", ": cut at byte 0 of 256"];
    rejected(run(twist), "payloads: all bytes: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn payloads_cut_at_a_nul_at_their_end() {
    let twist = Carries(|payload| {
        let text = payload.strip_suffix(b"\0").map(<[u8]>::to_vec);
        Some(text.unwrap_or(payload))
    });
    let told = ["\"end\" came where \"end\\x00\" was due: cut at byte 3 of 4"];
    rejected(run(twist), "payloads: NUL at the end: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn payloads_cut_at_a_line_break() {
    let twist = Carries(|payload| {
        let cut = cut_at(&payload, b'\n');
        Some(if payload.len() < 256 { cut } else { payload })
    });
    let told = ["\"one\" came where ", ": cut at byte 3 of "];
    rejected(run(twist), "payloads: line breaks: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn payloads_trimmed() {
    let twist = Carries(|payload| {
        Some(if payload.len() < 20 {
            payload.trim_ascii().to_vec()
        } else {
            payload
        })
    });
    let told = ["\"blanks\" came where \"  blanks\\t \" was due"];
    rejected(run(twist), "payloads: blanks around: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn empty_payloads_lost() {
    let twist = Carries(|payload| (!payload.is_empty()).then_some(payload));
    let told = ["\"\" was taken and did not arrive within 10s"];
    rejected(run(twist), "payloads: empty: ", &told).await;
}

/// A limit that nothing tells of: longer payloads are cut, or lost.
struct Limit {
    bytes: usize,
    cuts: bool,
}

impl Twist for Limit {
    fn publish<'a>(&'a self, sender: &'a Sender, mut letter: Letter) -> Done<'a> {
        if letter.payload.len() > self.bytes && !self.cuts {
            return now(Ok(()));
        }
        letter.payload.truncate(self.bytes);
        Honest.publish(sender, letter)
    }
}

#[tokio::test(start_paused = true)]
async fn long_payloads_cut_or_lost() {
    for (bytes, step) in [
        (4096, "payloads: over 4 KiB: "),
        (65536, "payloads: over 64 KiB: "),
        (262_144, "payloads: over 256 KiB: "),
    ] {
        let told = format!("cut at byte {bytes} of {}", bytes + 1);
        rejected(run(Limit { bytes, cuts: true }), step, &[&told]).await;
        let told = ["was taken and did not arrive within 10s"];
        rejected(run(Limit { bytes, cuts: false }), step, &told).await;
    }
}

/// Refuses what it cannot carry.
struct Refuses {
    cannot: fn(&[u8]) -> bool,
    /// How long after the refusal the message comes all the same.
    delivers_after: Option<Duration>,
}

impl Twist for Refuses {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if !(self.cannot)(&letter.payload) {
            return Honest.publish(sender, letter);
        }
        if let Some(delay) = self.delivers_after {
            let link = sender.link.clone();
            link.clone()
                .later(delay, move || drop(link.publish(letter)));
        }
        now(Err(ToyError::Refused("such payloads")))
    }
}

#[tokio::test(start_paused = true)]
async fn payloads_that_are_refused_honestly_pass() {
    for cannot in [
        |payload: &[u8]| payload.is_empty(),
        |payload: &[u8]| payload.len() > 1024,
        |payload: &[u8]| std::str::from_utf8(payload).is_err(),
        |payload: &[u8]| payload != b"text",
    ] {
        run(Refuses {
            cannot,
            delivers_after: None,
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_payload_refused_and_delivered() {
    let twist = |delay| Refuses {
        cannot: |payload| payload.is_empty(),
        delivers_after: Some(delay),
    };
    let told = ["\"\" arrived, whose publish was refused"];
    rejected(run(twist(Duration::ZERO)), "payloads: ", &told).await;
    let start = "payloads: afterwards: ";
    rejected(run(twist(Duration::from_millis(100))), start, &told).await;
}

#[tokio::test(start_paused = true)]
async fn text_refused() {
    let twist = Refuses {
        cannot: |payload| payload == b"text",
        delivers_after: None,
    };
    rejected(
        run(twist),
        "payloads: text: it failed with: the toy refuses: such payloads",
        &[],
    )
    .await;
}

/// Delivers each message twice.
struct Repeats;

impl Twist for Repeats {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        now(sender
            .publish(letter.clone())
            .and_then(|()| sender.publish(letter)))
    }
}

#[tokio::test(start_paused = true)]
async fn payloads_that_repeat_pass() {
    run(Repeats).await;
}

/// Delivers one message for ever.
#[derive(Default)]
struct RepeatsOne(AtomicBool);

impl Twist for RepeatsOne {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        if delivery.is("text") {
            delivery.put_back();
        } else {
            delivery.consume();
        }
        now(Ok(()))
    }

    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if self.0.swap(true, Ordering::Relaxed) {
            return now(Ok(()));
        }
        Honest.publish(sender, letter)
    }
}

#[tokio::test(start_paused = true)]
async fn a_payload_lost_while_another_repeats() {
    let told = ["only repeated messages came within 10s"];
    rejected(run(RepeatsOne::default()), "payloads: UTF-8: ", &told).await;
}
