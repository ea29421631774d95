use ruststream::memory::prelude::*;
use ruststream::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Queue, Telling, Wildcard, keys, mounted, operations};

/// A parcel was scanned.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Scanned")]
struct Scan {
    #[allow(dead_code)]
    shelf: u8,
}

impl MessageInfo for Scan {
    const NAME: &'static str = "ParcelScan";
    const DESCRIPTION: Option<&'static str> = None;
}

#[subscriber("scans")]
async fn scan(_scan: &Scan) {}

#[subscriber(Queue::new("queue"))]
async fn queued(_scan: &Scan) {}

#[subscriber(Wildcard::new("wild"))]
async fn wild(_scan: &Scan) {}

fn retry(document: &Value, id: &str) -> Value {
    document["operations"][id]["x-ruststream-retry"].clone()
}

// API-46, API-47
#[test]
fn a_cap_alone_adds_no_channel() {
    let document = mounted(|b| {
        b.include(scan).max_attempts(nonzero!(5));
    });
    assert_eq!(
        retry(&document, "receive_scans"),
        json!({ "maxAttempts": 5 })
    );
    assert_eq!(keys(&document["channels"]), ["scans"]);

    let document = mounted(|b| {
        b.include(scan);
    });
    assert_eq!(retry(&document, "receive_scans"), Value::Null);
}

// API-34, API-45, API-47, trap 12
#[test]
fn a_dead_letter_is_the_inputs_own_component() {
    let document = mounted(|b| {
        b.include(scan).dead_letter("scans.dead");
    });
    assert_eq!(
        retry(&document, "receive_scans"),
        json!({ "deadLetter": "scans.dead" })
    );
    assert_eq!(
        operations(&document),
        ["receive_scans", "send_scans_scans_dead"]
    );
    assert_eq!(keys(&document["components"]["messages"]), ["ParcelScan"]);
    let message = &document["components"]["messages"]["ParcelScan"];
    assert_eq!(message["title"], "Scanned");
    assert_eq!(
        document["channels"]["scans.dead"]["messages"],
        json!({ "ParcelScan": { "$ref": "#/components/messages/ParcelScan" } })
    );
}

// API-45, API-46, API-47
#[test]
fn a_named_retry_destination_is_a_channel_and_an_unnamed_one_is_none() {
    let document = mounted(|b| {
        b.include(scan)
            .max_attempts(nonzero!(5))
            .dead_letter("scans.dead")
            .out_retry(Publish)
            .to("scans.later");
    });
    assert_eq!(
        retry(&document, "receive_scans"),
        json!({ "maxAttempts": 5, "deadLetter": "scans.dead", "retryDestination": "scans.later" })
    );
    assert_eq!(
        operations(&document),
        [
            "receive_scans",
            "send_scans_scans_dead",
            "send_scans_scans_later"
        ]
    );

    let document = mounted(|b| {
        b.include(wild).out_retry(Publish).to("scans.later");
    });
    assert_eq!(
        retry(&document, "receive_wild"),
        json!({ "retryDestination": "scans.later" })
    );

    let document = mounted(|b| {
        b.include(scan).out_retry(Publish);
    });
    assert_eq!(retry(&document, "receive_scans"), Value::Null);
    assert_eq!(operations(&document), ["receive_scans"]);
}

// API-58, CORE-126, trap 5
#[test]
fn copies_are_bound_by_the_retry_positions_policy_on_their_own_destination() {
    let document = mounted(|b| {
        b.include(scan)
            .dead_letter("dead")
            .out_retry(Telling::default())
            .to("later");
    });
    for (channel, id) in [("dead", "send_scans_dead"), ("later", "send_scans_later")] {
        let says = |place: &Value| place["bindings"]["nats"]["says"].clone();
        assert_eq!(
            says(&document["channels"][channel]),
            format!("channel {channel}")
        );
        assert_eq!(
            says(&document["operations"][id]),
            format!("operation {channel}")
        );
    }
}

// API-34
#[test]
fn a_dead_letter_that_the_broker_moves_is_reported_without_bindings_of_a_policy() {
    let document = mounted(|b| {
        b.include(queued)
            .max_attempts(nonzero!(2))
            .dead_letter("dead");
    });
    assert_eq!(operations(&document), ["receive_queue", "send_queue_dead"]);
    assert_eq!(document["channels"]["dead"]["address"], "dead");
    assert!(document["channels"]["dead"].get("bindings").is_none());
    assert!(
        document["operations"]["send_queue_dead"]
            .get("bindings")
            .is_none()
    );
}
