use ruststream::asyncapi::{Binding, Bindings};
use ruststream::memory::prelude::*;
use ruststream::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{Queue, Telling, depot, mounted, written};

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "first")]
struct First {
    id: u8,
}

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "second")]
struct Second {
    id: u8,
}

#[derive(OutSlot)]
#[publishes(First, Second)]
struct Both;

#[derive(OutSlot)]
#[publishes(First)]
struct Silent;

#[subscriber(Queue::new("queue"))]
async fn queued(_n: &u64, Out(_both): Out<impl Publisher, Both>) {}

#[subscriber("plain")]
async fn plain(
    _n: &u64,
    Out(_silent): Out<impl Publisher, Silent>,
    Out(_both): Out<impl Publisher, Both, (Second,)>,
) {
}

fn says(place: &Value) -> Value {
    place["bindings"]["nats"]["says"].clone()
}

// API-58
#[test]
fn a_source_binds_its_channel_its_operation_and_its_messages() {
    let document = mounted(|b| {
        b.include(queued).out(Both, Publish).build();
    });
    assert_eq!(says(&document["channels"]["queue"]), "source channel");
    assert_eq!(
        says(&document["operations"]["receive_queue"]),
        "source operation"
    );
    assert_eq!(
        says(&document["components"]["messages"]["uint64"]),
        "source message"
    );
}

// API-58, CORE-126, trap 5
#[test]
fn a_slots_policy_is_asked_about_each_destination_of_its_own_slot() {
    let document = mounted(|b| {
        b.include(plain)
            .out(Silent, Publish)
            .out(Both, Telling::default())
            .build();
    });
    assert_eq!(says(&document["channels"]["first"]), Value::Null);
    assert_eq!(says(&document["channels"]["second"]), "channel second");
    assert_eq!(
        says(&document["operations"]["send_plain_second"]),
        "operation second"
    );
    assert_eq!(
        says(&document["components"]["messages"]["Second"]),
        "message second"
    );
}

// API-56, API-58, CORE-243
#[test]
fn who_says_nothing_leaves_no_trace() {
    let document = mounted(|b| {
        b.include(plain)
            .out(Silent, Publish)
            .out(Both, Publish)
            .build();
    });
    assert!(!document.to_string().contains("bindings"), "{document:#}");
}

// API-58
#[test]
fn the_first_to_bind_a_protocol_is_heard() {
    let document = mounted(|b| {
        b.include(queued).out(Both, Telling::default()).build();
        b.include(plain)
            .out(Silent, Telling::default())
            .out(Both, Publish)
            .build();
        b.include(subscriber(Queue::new("first"), Ignore).build());
    });
    assert_eq!(says(&document["channels"]["first"]), "channel first");
    assert_eq!(
        says(&document["operations"]["receive_first"]),
        "source operation"
    );
}

struct Ignore;

impl Handle<First> for Ignore {
    async fn handle(
        &self,
        _first: &First,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        Ok(())
    }
}

// API-54
#[test]
fn an_extension_stands_beside_the_protocols() {
    let extension = Binding::extension("x-depot.v1", &json!({ "shards": 3 })).expect("binds");
    let spec = ruststream::ServerSpec::new("mq", "nats").bindings(Bindings::new().with(extension));
    let document = written(&depot().server("prod", spec));
    assert_eq!(
        document["servers"]["prod"]["bindings"],
        json!({ "x-depot.v1": { "shards": 3 } })
    );
}
