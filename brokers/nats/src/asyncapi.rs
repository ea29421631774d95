//! What the generated document says about subjects, consumers and publishers.
//!
//! Everything is computed from a descriptor or a policy. A binding that cannot be built is left out.

use async_nats::jetstream::consumer::DeliverPolicy;
use ruststream::asyncapi::{Binding, Bindings};
use serde::Serialize;

use crate::source::JetStreamSubject;

/// The `nats` binding of the specification, which knows the queue group alone.
const VERSION: &str = "0.1.0";
const JETSTREAM: &str = "x-ruststream-jetstream";

#[derive(Serialize)]
struct Queue<'a> {
    queue: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Consumer<'a> {
    stream: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    durable: Option<&'a str>,
    filter_subject: &'a str,
    ack_wait_seconds: f64,
    max_ack_pending: i64,
    deliver_policy: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Stored<'a> {
    expected_stream: &'a str,
    subject: &'a str,
}

/// The operation of a Core subscription; nothing without a group.
pub(crate) fn queue(group: Option<&str>) -> Bindings {
    let binding = group.map(|queue| Binding::new("nats", VERSION, &Queue { queue }));
    of(binding.and_then(Result::ok))
}

/// The channel of a consumer.
pub(crate) fn consumer(source: &JetStreamSubject) -> Bindings {
    let consumer = Consumer {
        stream: source.stream(),
        durable: source.durable_name(),
        filter_subject: source.filter(),
        ack_wait_seconds: source.ack_window().as_secs_f64(),
        max_ack_pending: source.ack_pending_limit(),
        deliver_policy: match source.starts_at() {
            DeliverPolicy::All => "all",
            DeliverPolicy::Last => "last",
            DeliverPolicy::New => "new",
            DeliverPolicy::ByStartSequence { .. } => "by_start_sequence",
            DeliverPolicy::ByStartTime { .. } => "by_start_time",
            DeliverPolicy::LastPerSubject => "last_per_subject",
        },
    };
    of(Binding::extension(JETSTREAM, &consumer).ok())
}

/// The channel of a publish to a stream; nothing where none is expected.
pub(crate) fn stored(stream: Option<&str>, subject: &str) -> Bindings {
    let binding = stream.map(|expected_stream| {
        Binding::extension(
            JETSTREAM,
            &Stored {
                expected_stream,
                subject,
            },
        )
    });
    of(binding.and_then(Result::ok))
}

fn of(binding: Option<Binding>) -> Bindings {
    binding.map_or_else(Bindings::new, |binding| Bindings::new().with(binding))
}
