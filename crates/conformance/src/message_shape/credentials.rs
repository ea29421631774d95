use ruststream_core::{ConnectedBroker, PublishPolicy};
use serde_json::Value;

use crate::kit::{Check, Secret, bindings_tree};

/// The channel a policy is asked about.
const CHANNEL: &str = "conformance.credentials";

/// Holds what a publish policy tells the document to contain no credential.
///
/// `secret` is a password the policy, or the broker it belongs to, was configured with. It is
/// searched for in the policy's channel, operation and message bindings and in its reply address
/// location, decoded, keys included.
///
/// # Panics
///
/// If the secret is found, naming where and never printing it; if `secret` is empty.
pub fn publishes_without_credentials<C, Policy>(policy: &Policy, secret: &str)
where
    C: ConnectedBroker,
    Policy: PublishPolicy<C>,
{
    let check = Check::new("publishes_without_credentials");
    let secret = Secret::new(&check, secret);
    for (place, bindings) in [
        ("the channel bindings", policy.channel_bindings(CHANNEL)),
        ("the operation bindings", policy.operation_bindings(CHANNEL)),
        ("the message bindings", policy.message_bindings(CHANNEL)),
    ] {
        secret.absent(place, &bindings_tree(&check, &bindings));
    }
    secret.absent(
        "the reply address location",
        &Value::from(policy.reply_address_location()),
    );
}
