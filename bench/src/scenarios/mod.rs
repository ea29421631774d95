//! The scenarios, a file a question.

mod bodies;
pub mod idle;
mod subjects;
mod subscriptions;

use tokio::runtime::Runtime;

use crate::harness::Live;

/// One row of the table.
pub struct Scenario {
    pub name: &'static str,
    /// Messages of the shorter of two runs; their difference is what is told.
    pub messages: usize,
    /// Part of the quick form.
    pub quick: bool,
    pub start: fn(&Runtime) -> Live,
}

const fn quick(name: &'static str, start: fn(&Runtime) -> Live) -> Scenario {
    Scenario {
        name,
        messages: 1000,
        quick: true,
        start,
    }
}

const fn full(name: &'static str, messages: usize, start: fn(&Runtime) -> Live) -> Scenario {
    Scenario {
        name,
        messages,
        quick: false,
        start,
    }
}

pub const ALL: &[Scenario] = &[
    quick("json", bodies::json),
    quick("cbor", bodies::cbor),
    quick("msgpack", bodies::msgpack),
    quick("batch-64", bodies::batch),
    quick("workers-4", bodies::workers),
    quick("retry", bodies::retry),
    quick("headers-8", bodies::headers),
    quick("bytes-16k", bodies::bytes_16k),
    full("json-16k", 1000, bodies::json_16k),
    quick("publish-json", bodies::publish),
    full("subscriptions-1", 6_400, subscriptions::one),
    full("subscriptions-10", 6_400, subscriptions::ten),
    full("subscriptions-100", 6_400, subscriptions::hundred),
    full("subscriptions-1000", 64_000, subscriptions::thousand),
    full("brokers-2", 6_400, subscriptions::two_brokers),
    full("subjects-1", 10_000, subjects::one),
    full("subjects-100", 10_000, subjects::hundred),
    full("subjects-10000", 10_000, subjects::ten_thousand),
];
