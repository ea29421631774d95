//! What a log never holds.

use ruststream::memory::prelude::*;
use ruststream::{OutgoingMessage, Publisher};
use serde::Deserialize;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::support::{Logs, service_with};

const SECRET: &str = "hunter2";

type Seen = UnboundedSender<&'static str>;

#[subscriber("numbers")]
async fn numbers(_number: &u32) {}

#[derive(Deserialize)]
struct Meta {
    #[expect(dead_code, reason = "it doesn't read")]
    tenant: u32,
}

#[subscriber("headed")]
async fn headed(_text: &String, Headers(_meta): Headers<Meta>) {}

#[subscriber("panicking", on_failure(panic = drop))]
async fn panicking(_text: &String) {
    panic!("it went wrong");
}

#[subscriber("tried")]
async fn tried(_text: &String) -> HandlerOutcome {
    HandlerOutcome::retry()
}

#[subscriber("tried.dead")]
async fn dead(_text: &String) -> Result<(), String> {
    Err(format!("nothing to do with {SECRET}"))
}

#[subscriber("fine")]
async fn fine(_text: &String, ctx: &mut Context<'_, (), Seen>) {
    let _ = ctx.state().send("fine");
}

#[subscriber("last")]
async fn last(_text: &String, ctx: &mut Context<'_, (), Seen>) {
    let _ = ctx.state().send("last");
}

// OBS-06
#[tokio::test]
async fn no_line_holds_a_payload_or_a_header_and_success_is_silent() {
    const TARGETS: [&str; 6] = [
        "lifecycle",
        "dispatch",
        "retry",
        "asyncapi",
        "memory",
        "testing",
    ];

    let logs = Logs::start();
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let (seen, mut arrived) = unbounded_channel();
    let app = service_with(seen).with_broker(broker, |b| {
        b.include(numbers);
        b.include(headed);
        b.include(panicking);
        b.include(tried)
            .max_attempts(nonzero!(2u32))
            .dead_letter("tried.dead");
        b.include(dead);
        b.include(fine);
        b.include(last);
    });
    let running = app.start().await.expect("starts");
    let send = async |name: &str| {
        let mut headers = HeaderMap::new();
        headers.insert("tenant", SECRET);
        let payload = format!("\"{SECRET}\"");
        let message = OutgoingMessage::new(name, payload.as_bytes()).with_headers(headers);
        publisher.publish(message, None).await.expect("publishes");
    };

    let before = logs.all().len();
    for _ in 0..20 {
        send("fine").await;
        assert_eq!(arrived.recv().await, Some("fine"));
    }
    let told = logs.all().split_off(before);
    let loud = |line: &String| {
        ["INFO", "WARN", "ERROR"]
            .iter()
            .any(|l| line.starts_with(l))
    };
    assert!(!told.iter().any(loud), "{told:?}");

    for name in ["numbers", "headed", "panicking", "tried", "last"] {
        send(name).await;
    }
    assert_eq!(arrived.recv().await, Some("last"));
    running.shutdown().await.expect("stops");

    // Each of the three that fail has its line.
    for text in ["codec decode failed", "header extraction failed", "panic"] {
        assert!(!logs.with(text).is_empty(), "{text}: {:#?}", logs.all());
    }
    assert_eq!(logs.with(SECRET), [""; 0]);
    for line in logs.all() {
        let target = line.split_once(" ruststream::").expect("one of ours").1;
        let target = target.split_once(':').expect("a target").0;
        assert!(TARGETS.contains(&target), "{line}");
    }
}
