//! What every instrument of dispatch has in common.

use std::sync::Arc;

use opentelemetry::{KeyValue, StringValue};

/// The bounds that the semantic conventions advise for durations, in seconds.
pub(super) const DURATION_BUCKETS: [f64; 14] = [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
];

/// `messaging.system`, where it is configured.
pub(super) type System = Option<StringValue>;

pub(super) fn destination(name: Arc<str>) -> KeyValue {
    KeyValue::new("messaging.destination.name", name)
}

/// The attributes of one subscription or destination, and one more where there is one.
pub(super) fn attributes(
    name: &Arc<str>,
    system: &System,
    more: Option<KeyValue>,
) -> Box<[KeyValue]> {
    let system = system
        .clone()
        .map(|system| KeyValue::new("messaging.system", system));
    [destination(Arc::clone(name))]
        .into_iter()
        .chain(system)
        .chain(more)
        .collect()
}
