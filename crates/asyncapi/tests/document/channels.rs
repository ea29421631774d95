use ruststream::asyncapi::build_spec;
use ruststream::memory::prelude::*;
use ruststream::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{all_resolve, depot, keys, mounted};

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "sites.{site}.{sensor}.v1")]
struct Located {
    at: u8,
}

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "readings")]
struct Reading {
    celsius: u8,
}

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
struct Anywhere {
    at: u8,
}

#[derive(OutSlot)]
#[publishes(Located, Reading)]
struct Sites;

#[derive(OutSlot)]
#[publishes(Anywhere)]
struct Elsewhere;

#[subscriber("ticks")]
async fn locate(_tick: &u64, Out(_sites): Out<impl Publisher, Sites>) {}

#[subscriber("ticks")]
async fn send(_tick: &u64, Out(_any): Out<impl Publisher, Elsewhere>) {}

#[subscriber("ticks")]
async fn free(_tick: &u64, Out(_any): Out<impl Publisher>) {}

#[subscriber("readings")]
async fn read(_reading: &Reading) {}

// The whole name, braces included, as a broker's own pattern.
#[subscriber("sites.{site}.{sensor}.v1")]
async fn follow(_located: &Located) {}

// API-21, API-23, API-24
#[test]
fn a_template_is_an_address_with_its_placeholders_as_parameters() {
    let document = mounted(|b| {
        b.include(locate).out(Sites, Publish).build();
    });
    let channel = &document["channels"]["sites.{site}.{sensor}.v1"];
    assert_eq!(channel["address"], "sites.{site}.{sensor}.v1");
    assert_eq!(channel["parameters"], json!({ "site": {}, "sensor": {} }));
    assert_eq!(
        channel["messages"],
        json!({ "Located": { "$ref": "#/components/messages/Located" } })
    );
    assert!(document["channels"]["readings"].get("parameters").is_none());
}

// API-24
#[test]
fn parameters_are_there_whoever_used_the_channel_first() {
    let document = mounted(|b| {
        b.include(follow);
    });
    let alone = document["channels"]["sites.{site}.{sensor}.v1"].clone();
    assert_eq!(alone["parameters"], json!({ "site": {}, "sensor": {} }));

    let document = mounted(|b| {
        b.include(follow);
        b.include(locate).out(Sites, Publish).build();
    });
    assert_eq!(document["channels"]["sites.{site}.{sensor}.v1"], alone);
}

// API-21
#[test]
fn everyone_who_reads_or_writes_a_name_shares_one_channel() {
    let document = mounted(|b| {
        b.include(locate).out(Sites, Publish).build();
        b.include(read);
    });
    assert_eq!(
        keys(&document["channels"]),
        ["readings", "sites.{site}.{sensor}.v1", "ticks"]
    );
    assert_eq!(
        keys(&document["channels"]["readings"]["messages"]),
        ["Reading"]
    );
    all_resolve(&document);
}

// API-25
#[test]
fn a_destination_that_the_caller_names_is_no_channel() {
    let document = mounted(|b| {
        b.include(send).out(Elsewhere, Publish).build();
        b.include(free).out(DefaultSlot, Publish).build();
    });
    assert_eq!(keys(&document["channels"]), ["ticks"]);
    assert_eq!(keys(&document["components"]["messages"]), ["uint64"]);
    assert_eq!(
        keys(&document["operations"]),
        ["receive_ticks", "receive_ticks_2"]
    );
}

// API-05, API-61: the objects hold what the document refers to.
#[test]
fn names_are_escaped_in_references_and_nowhere_else() {
    struct Ignore;

    impl Handle<u64> for Ignore {
        async fn handle(
            &self,
            _n: &u64,
            _outs: &(),
            _ctx: &mut Context<'_>,
        ) -> Result<(), HandlerOutcome> {
            Ok(())
        }
    }

    let name = "devices/+/50% ~state é";
    let app = depot().with_broker(MemoryBroker::new(), |b| {
        b.include(subscriber(name, Ignore).build());
    });
    let spec = build_spec(&app);
    assert!(spec.channels.contains_key(name));
    let operation = &spec.operations["receive_devices___50___state_é"];
    assert_eq!(
        operation.channel.reference,
        "#/channels/devices~1+~150%25 ~0state é"
    );
    assert_eq!(
        operation.messages[0].reference,
        "#/channels/devices~1+~150%25 ~0state é/messages/uint64"
    );
    assert_eq!(all_resolve(&crate::support::written(&app)), 3);
}
