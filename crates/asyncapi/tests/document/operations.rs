use ruststream::memory::prelude::*;
use ruststream::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{mounted, operations};

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "a.b")]
struct Label {
    id: u8,
}

#[derive(OutSlot)]
#[publishes(Label)]
struct Labels;

#[derive(OutSlot)]
#[publishes(Label)]
struct Copies;

/// Books a parcel.
///
/// Into the warehouse.
#[subscriber("parcels")]
async fn book(_parcel: &u64) {}

#[subscriber("parcels")]
async fn count(_parcel: &u64) {}

#[subscriber("a_b")]
async fn underscored(_parcel: &u64) {}

#[subscriber("a.b")]
async fn dotted(_label: &Label) {}

#[subscriber("parcels")]
async fn print(
    _parcel: &u64,
    Out(_labels): Out<impl Publisher, Labels>,
    Out(_copies): Out<impl Publisher, Copies>,
) {
}

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

// API-26, trap 3
#[test]
fn registrations_on_one_name_are_numbered_as_they_were_mounted() {
    let document = mounted(|b| {
        b.include(book);
        b.include(subscriber("parcels", Ignore).describe("Second").build());
        b.include(count);
    });
    assert_eq!(
        operations(&document),
        ["receive_parcels", "receive_parcels_2", "receive_parcels_3"]
    );
    let described = |id: &str| document["operations"][id]["description"].clone();
    assert_eq!(
        described("receive_parcels"),
        "Books a parcel.\n\nInto the warehouse."
    );
    assert_eq!(described("receive_parcels_2"), "Second");
    assert_eq!(described("receive_parcels_3"), json!(null));
}

// API-26, API-28
#[test]
fn names_that_meet_in_an_id_overwrite_nothing() {
    let document = mounted(|b| {
        b.include(underscored);
        b.include(dotted);
        b.include(subscriber("a_b_2", Ignore).build());
    });
    assert_eq!(
        operations(&document),
        ["receive_a_b", "receive_a_b_2", "receive_a_b_2_2"]
    );
    let channel = |id: &str| document["operations"][id]["channel"]["$ref"].clone();
    assert_eq!(channel("receive_a_b"), "#/channels/a_b");
    assert_eq!(channel("receive_a_b_2"), "#/channels/a.b");
    assert_eq!(channel("receive_a_b_2_2"), "#/channels/a_b_2");
}

// API-27
#[test]
fn an_operation_refers_to_the_message_in_its_channel() {
    let document = mounted(|b| {
        b.include(dotted);
    });
    assert_eq!(
        document["operations"]["receive_a_b"],
        json!({
            "action": "receive",
            "channel": { "$ref": "#/channels/a.b" },
            "messages": [{ "$ref": "#/channels/a.b/messages/Label" }],
        })
    );
}

// API-45
#[test]
fn every_message_of_every_slot_is_sent_by_an_operation_of_its_own() {
    let document = mounted(|b| {
        b.include(print)
            .out(Labels, Publish)
            .out(Copies, Publish)
            .build();
    });
    assert_eq!(
        operations(&document),
        ["receive_parcels", "send_parcels_a_b", "send_parcels_a_b_2"]
    );
    assert_eq!(
        document["operations"]["send_parcels_a_b_2"],
        json!({
            "action": "send",
            "channel": { "$ref": "#/channels/a.b" },
            "messages": [{ "$ref": "#/channels/a.b/messages/Label" }],
        })
    );
}

// API-37
#[test]
fn a_registration_without_schemas_keeps_everything_else() {
    struct Opaque;

    #[derive(Deserialize)]
    struct Sealed;

    impl Handle<Sealed> for Opaque {
        async fn handle(
            &self,
            _n: &Sealed,
            _outs: &(),
            _ctx: &mut Context<'_>,
        ) -> Result<(), HandlerOutcome> {
            Ok(())
        }
    }

    let document = mounted(|b| {
        b.include(
            subscriber("sealed", Opaque)
                .undocumented()
                .describe("Opens nothing")
                .build(),
        );
    });
    assert_eq!(
        document["operations"]["receive_sealed"]["description"],
        "Opens nothing"
    );
    assert_eq!(document["channels"]["sealed"]["address"], "sealed");
    assert_eq!(
        document["components"]["messages"]["Sealed"],
        json!({
            "name": "Sealed",
            "description": "Opens nothing",
            "contentType": "application/json",
        })
    );
}
