//! What the generated document says (NATS-200 to NATS-205).

use ruststream::{PublishPolicy, SubscriptionSource, nonzero};
use ruststream_nats::{
    ConnectedNatsBroker, CoreSubject, CoreWildcard, DeliverPolicy, JetStreamPublish,
    JetStreamSubject, NatsPublish, NonZeroDuration,
};
use serde_json::{Value, json};

fn operation(source: &impl SubscriptionSource<ConnectedNatsBroker>) -> Value {
    serde_json::to_value(source.operation_bindings()).expect("JSON")
}

fn channel(source: &impl SubscriptionSource<ConnectedNatsBroker>) -> Value {
    serde_json::to_value(source.channel_bindings()).expect("JSON")
}

// NATS-200
#[test]
fn a_queue_group_is_the_whole_nats_binding() {
    let expected = json!({ "nats": { "queue": "w", "bindingVersion": "0.1.0" } });
    assert_eq!(
        operation(&CoreSubject::new("scans").queue_group("w")),
        expected
    );
    assert_eq!(
        operation(&CoreWildcard::new("scans.*").queue_group("w")),
        expected
    );
    assert_eq!(operation(&CoreSubject::new("scans")), json!({}));
    assert_eq!(
        channel(&CoreSubject::new("scans").queue_group("w")),
        json!({})
    );
}

// NATS-201
#[test]
fn a_consumer_is_an_extension_of_its_channel() {
    let ephemeral = JetStreamSubject::new("ledger.*", "LEDGER");
    assert_eq!(
        channel(&ephemeral),
        json!({ "x-ruststream-jetstream": {
            "stream": "LEDGER",
            "filterSubject": "ledger.*",
            "ackWaitSeconds": 30.0,
            "maxAckPending": 1024,
            "deliverPolicy": "all",
        } })
    );
    let described = ephemeral
        .durable("book")
        .filter_subject("ledger.a")
        .ack_wait(NonZeroDuration::from_millis(nonzero!(1500)))
        .max_ack_pending(7)
        .deliver_policy(DeliverPolicy::ByStartSequence { start_sequence: 3 });
    assert_eq!(
        channel(&described),
        json!({ "x-ruststream-jetstream": {
            "stream": "LEDGER",
            "durable": "book",
            "filterSubject": "ledger.a",
            "ackWaitSeconds": 1.5,
            "maxAckPending": 7,
            "deliverPolicy": "by_start_sequence",
        } })
    );
    assert_eq!(operation(&described), json!({}));
}

// NATS-202, NATS-203
#[test]
fn a_policy_names_the_stream_it_expects_and_where_replies_go() {
    let stored = JetStreamPublish::default().expect_stream("BOOKED");
    assert_eq!(
        serde_json::to_value(stored.channel_bindings("booked.entries")).expect("JSON"),
        json!({ "x-ruststream-jetstream": {
            "expectedStream": "BOOKED",
            "subject": "booked.entries",
        } })
    );
    let anywhere = JetStreamPublish::default();
    assert!(anywhere.channel_bindings("booked.entries").is_empty());
    assert_eq!(anywhere.reply_address_location(), None);
    assert_eq!(
        NatsPublish.reply_address_location(),
        Some("$message.header#/reply-to")
    );
    assert!(NatsPublish.channel_bindings("scans").is_empty());
}
