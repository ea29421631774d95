use std::collections::BTreeMap;

use ruststream_core::bindings::{
    Binding, BindingError, Bindings, PublishBindings, SubscriptionBindings,
};
use serde::{Serialize, Serializer};
use serde_json::json;

/// A body that must not be looked at.
struct Untouchable;

impl Serialize for Untouchable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("serialized before the key was checked")
    }
}

fn document(bindings: &Bindings) -> String {
    serde_json::to_string(bindings).unwrap()
}

// CORE-240, API-53
#[test]
fn every_listed_protocol_is_taken_and_no_other() {
    for protocol in [
        "amqp",
        "amqp1",
        "anypointmq",
        "googlepubsub",
        "http",
        "ibmmq",
        "jms",
        "kafka",
        "mercure",
        "mqtt",
        "mqtt5",
        "nats",
        "pulsar",
        "redis",
        "ros2",
        "sns",
        "solace",
        "sqs",
        "stomp",
        "websockets",
        "ws",
    ] {
        assert_eq!(
            Binding::new(protocol, "1", &json!({})).unwrap().protocol(),
            protocol
        );
    }
    for protocol in ["", "NATS", "x-nats", "courier"] {
        let error = Binding::new(protocol, "1", &Untouchable).unwrap_err();
        assert!(matches!(error, BindingError::UnknownProtocol { protocol: p } if p == protocol));
        assert!(error.to_string().contains("x-"), "{error}");
    }
}

// CORE-241, API-53
#[test]
fn the_version_is_written_over_one_of_the_body() {
    let binding = Binding::new(
        "nats",
        "0.1.0",
        &json!({ "queue": "q", "bindingVersion": "9" }),
    );

    assert_eq!(
        document(&Bindings::new().with(binding.unwrap())),
        r#"{"nats":{"bindingVersion":"0.1.0","queue":"q"}}"#
    );
}

// CORE-241, API-55
#[test]
fn a_body_that_is_no_object_is_refused() {
    assert!(matches!(
        Binding::new("nats", "1", &[1, 2]),
        Err(BindingError::NotAnObject { key: "nats" })
    ));
    assert!(matches!(
        Binding::extension("x-own", &"text"),
        Err(BindingError::NotAnObject { key: "x-own" })
    ));
    let no_json = BTreeMap::from([((1, 2), 3)]);
    assert!(matches!(
        Binding::new("nats", "1", &no_json),
        Err(BindingError::Serialize(_))
    ));
}

// CORE-242, API-54
#[test]
fn an_extension_is_x_dash_and_ascii() {
    let binding = Binding::extension("x-Own_1.2-3", &json!({ "a": 1 })).unwrap();
    assert_eq!(binding.protocol(), "x-Own_1.2-3");
    assert_eq!(
        document(&Bindings::new().with(binding)),
        r#"{"x-Own_1.2-3":{"a":1}}"#
    );

    for name in ["", "x", "x-", "nats", "X-own", "x-a b", "x-ü", "x-a/b"] {
        let error = Binding::extension(name, &Untouchable).unwrap_err();
        assert!(matches!(error, BindingError::NotAnExtension { name: n } if n == name));
    }
}

// API-56
#[test]
fn a_set_is_sorted_and_its_last_binding_of_a_key_wins() {
    let binding = |key, value: u8| Binding::new(key, "1", &json!({ "v": value })).unwrap();
    let bindings = Bindings::new()
        .with(binding("sqs", 1))
        .with(binding("amqp", 2))
        .with(binding("sqs", 3));

    assert_eq!(
        document(&bindings),
        r#"{"amqp":{"bindingVersion":"1","v":2},"sqs":{"bindingVersion":"1","v":3}}"#
    );
    assert!(!bindings.is_empty());
    assert!(Bindings::new().is_empty());
}

// CORE-245
#[test]
fn filling_adds_missing_keys_only() {
    let binding = |key, value: u8| Binding::new(key, "1", &json!({ "v": value })).unwrap();
    let mut first = Bindings::new().with(binding("sqs", 1));
    first.fill_from(
        &Bindings::new()
            .with(binding("sqs", 2))
            .with(binding("sns", 3)),
    );

    assert_eq!(
        first,
        Bindings::new()
            .with(binding("sqs", 1))
            .with(binding("sns", 3))
    );
}

// API-57
#[test]
fn the_levels_are_kept_apart() {
    let binding = |key| Bindings::new().with(Binding::extension(key, &json!({})).unwrap());
    let read = SubscriptionBindings::new(binding("x-c"), binding("x-o"), binding("x-m"));
    let sent = PublishBindings::new(binding("x-c"), binding("x-o"), binding("x-m"));

    assert_eq!(
        (&read.channel, &read.operation),
        (&sent.channel, &sent.operation)
    );
    assert_eq!(read.message, sent.message);
    assert_eq!(PublishBindings::default().message, Bindings::new());
}
