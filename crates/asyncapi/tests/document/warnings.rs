use ruststream::memory::prelude::*;
use ruststream::schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::support::{Heard, mounted};

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "opaque.sent")]
struct Opaque;

#[derive(Deserialized)]
struct Bytes<'a>(#[allow(dead_code)] &'a [u8]);

#[derive(Serialized, Outgoing)]
#[outgoing(name = "frames")]
struct Frame(Vec<u8>);

#[derive(OutSlot)]
#[publishes(Opaque, Frame)]
struct Sent;

#[subscriber("opaque")]
async fn opaque(_opaque: &Opaque, Out(_sent): Out<impl Publisher, Sent>) {}

#[subscriber("bytes")]
async fn bytes(_bytes: &Bytes<'_>) {}

mod one {
    use super::{Deserialize, JsonSchema};

    #[derive(Deserialize, JsonSchema)]
    pub(super) struct Scan {
        #[allow(dead_code)]
        shelf: u8,
    }
}

mod two {
    use super::{Deserialize, JsonSchema};

    #[derive(Deserialize, JsonSchema)]
    pub(super) struct Scan {
        #[allow(dead_code)]
        crate_no: u8,
    }
}

#[subscriber("ones")]
async fn ones(_scan: &one::Scan) {}

#[subscriber("twos")]
async fn twos(_scan: &two::Scan) {}

// API-34, API-38
#[test]
fn each_message_without_a_schema_is_told_where_it_is_received_and_where_it_is_sent() {
    let heard = Heard::start();
    mounted(|b| {
        b.include(opaque)
            .out(Sent, Publish)
            .dead_letter("dead")
            .build();
        b.include(bytes);
    });
    let lines = heard.lines();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0].starts_with("WARN ruststream::asyncapi message="),
        "{lines:?}"
    );
    assert!(lines[0].ends_with("message_type=\"document::warnings::Opaque\" subscription=opaque"));
    assert!(
        lines[1].starts_with("WARN ruststream::asyncapi channel=opaque.sent"),
        "{lines:?}"
    );
    assert!(
        lines[1].ends_with("message_type=\"document::warnings::Opaque\""),
        "{lines:?}"
    );
}

// API-33, trap 9
#[test]
fn two_types_of_one_name_are_told_and_the_first_is_kept() {
    let heard = Heard::start();
    let document = mounted(|b| {
        b.include(ones);
        b.include(twos);
        b.include(ones);
    });
    let payload = &document["components"]["messages"]["Scan"]["payload"];
    assert!(payload["properties"].get("shelf").is_some());
    let lines = heard.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].starts_with("WARN ruststream::asyncapi context=\"twos\""),
        "{lines:?}"
    );
    assert!(lines[0].contains("message=Scan"), "{lines:?}");
}
