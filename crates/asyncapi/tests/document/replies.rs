use ruststream::asyncapi::build_spec;
use ruststream::memory::prelude::*;
use ruststream::runtime::{Bindable, Outgoing, PublishContext};
use ruststream::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{Telling, all_resolve, depot, mounted, operations, written};

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
struct Quote {
    total: u64,
}

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "paid")]
struct Paid {
    total: u64,
}

#[derive(Serialized, Outgoing)]
struct Raw(Vec<u8>);

#[derive(OutSlot)]
#[publishes(Paid)]
struct Ledger;

#[subscriber("asks", reply("quotes"))]
async fn quote(total: &u64) -> Quote {
    Quote { total: *total }
}

#[subscriber("asks", reply("ignored"))]
async fn pay(total: &u64) -> Paid {
    Paid { total: *total }
}

#[subscriber("asks", reply("quotes"))]
async fn ledger(total: &u64, Out(_ledger): Out<impl Publisher, Ledger>) -> Quote {
    Quote { total: *total }
}

#[subscriber("asks", reply("quotes"))]
async fn quote_all(totals: &[u64]) -> Vec<Quote> {
    totals.iter().map(|total| Quote { total: *total }).collect()
}

#[subscriber("asks", reply("bytes"))]
async fn raw(_total: &u64) -> Raw {
    Raw(Vec::new())
}

#[subscriber("quotes")]
async fn read(_quote: &Quote) {}

struct ToAsker;

impl<C> PublishTransform<ForReply<C>> for ToAsker {
    type Destination = Names;

    fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<()>, cx: &PublishContext<'_, C>) {
        if let Some(address) = cx.headers().reply_to() {
            out.set_name(address.to_owned());
        }
    }
}

const LOCATION: &str = "$message.header#/reply-to";

fn located() -> Telling {
    Telling {
        location: Some(LOCATION),
    }
}

fn reply(document: &Value) -> &Value {
    &document["operations"]["receive_asks"]["reply"]
}

// API-42, API-44, trap 2
#[test]
fn a_reply_is_part_of_the_operation_that_it_answers() {
    let document = mounted(|b| {
        b.include(quote).out_reply(located());
    });
    assert_eq!(operations(&document), ["receive_asks"]);
    assert_eq!(
        reply(&document),
        &json!({
            "channel": { "$ref": "#/channels/quotes" },
            "messages": [{ "$ref": "#/channels/quotes/messages/Quote" }],
        })
    );
    assert_eq!(document["channels"]["quotes"]["address"], "quotes");
    all_resolve(&document);
}

// API-42
#[test]
fn a_reply_goes_where_its_type_says() {
    let document = mounted(|b| {
        b.include(pay);
    });
    assert_eq!(reply(&document)["channel"]["$ref"], "#/channels/paid");
    assert!(document["channels"].get("ignored").is_none());
}

// API-43, PUB-607, CORE-126, CORE-127
#[test]
fn a_reply_named_by_each_delivery_has_no_address_but_says_where_it_is_found() {
    let document = mounted(|b| {
        b.include(quote).out_reply(located()).transform(ToAsker);
    });
    assert_eq!(document["channels"]["quotes"]["address"], Value::Null);
    assert!(
        document["channels"]["quotes"].get("address").is_some(),
        "null is written"
    );
    assert_eq!(reply(&document)["address"], json!({ "location": LOCATION }));
    // API-43: the policy is asked about the fallback name.
    let says = &document["channels"]["quotes"]["bindings"]["nats"]["says"];
    assert_eq!(says, "channel quotes");
}

// API-43, PUB-607, CORE-127
#[test]
fn a_policy_that_knows_no_location_leaves_it_out() {
    let document = mounted(|b| {
        b.include(quote)
            .out_reply(Telling::default())
            .transform(ToAsker);
    });
    assert_eq!(document["channels"]["quotes"]["address"], Value::Null);
    assert!(reply(&document).get("address").is_none());
}

// API-20, API-43
#[test]
fn a_token_of_another_broker_answers_for_its_own_policy() {
    let other = Bindable::new(MemoryBroker::new());
    let token = other.bind(located());
    let app = depot()
        .with_broker_labeled("here", MemoryBroker::new(), |b| {
            b.include(quote).out_reply(token).transform(ToAsker);
        })
        .with_broker_labeled("there", other, |_b| {});
    let document = written(&app);
    assert_eq!(reply(&document)["address"]["location"], LOCATION);
    assert_eq!(
        document["channels"]["quotes"]["servers"],
        json!([{ "$ref": "#/servers/here" }])
    );
    assert_eq!(
        document["channels"]["quotes"]["bindings"]["nats"]["says"],
        "channel quotes"
    );
}

// API-22
#[test]
fn a_subscription_gives_the_channel_of_such_a_reply_its_address_back() {
    let document = mounted(|b| {
        b.include(quote).out_reply(located()).transform(ToAsker);
        b.include(read);
    });
    assert_eq!(document["channels"]["quotes"]["address"], "quotes");
    assert!(reply(&document).get("address").is_none());
}

// API-44, PUB-607, CORE-127
#[test]
fn batches_and_byte_replies_never_name_per_delivery() {
    let document = mounted(|b| {
        b.include(quote_all.batch(nonzero!(3))).out_reply(located());
    });
    assert_eq!(document["channels"]["quotes"]["address"], "quotes");
    assert!(reply(&document).get("address").is_none());

    let document = mounted(|b| {
        b.include(raw).out_reply(located());
    });
    assert_eq!(document["channels"]["bytes"]["address"], "bytes");
    assert!(reply(&document).get("address").is_none());
}

// API-58, CORE-126
#[test]
fn the_bindings_of_a_replys_operation_reach_no_document() {
    let document = mounted(|b| {
        b.include(quote).out_reply(located());
    });
    assert!(
        document["operations"]["receive_asks"]
            .get("bindings")
            .is_none()
    );
    let message = &document["components"]["messages"]["Quote"];
    assert_eq!(message["bindings"]["nats"]["says"], "message quotes");
}

// API-42, API-45
#[test]
fn a_handler_that_replies_also_sends_through_its_slots() {
    let document = mounted(|b| {
        b.include(ledger).out(Ledger, Publish).build();
    });
    assert_eq!(operations(&document), ["receive_asks", "send_asks_paid"]);
    assert_eq!(reply(&document)["channel"]["$ref"], "#/channels/quotes");
}

// API-39, API-51
#[test]
fn a_byte_reply_is_no_gap_and_has_no_content_type() {
    let app = depot().with_broker(MemoryBroker::new(), |b| {
        b.include(raw);
    });
    let spec = build_spec(&app);
    assert!(spec.messages_without_schema().is_empty());
    assert!(spec.components.messages["Raw"].schemaless);
    assert_eq!(spec.components.messages["Raw"].content_type, None);
}
