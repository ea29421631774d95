//! Types of other crates that are part of the contract.

use ruststream_core::{BatchSubscriber, Subscriber, nonzero};

use crate::support::Scripted;

// CORE-003: the very types that a broker crate names through a dependency of its own.
#[test]
fn foreign_types_are_the_ones_of_their_crates() {
    fn same<T>(_: fn(T) -> T) {}
    fn stream<S: futures_core::Stream>(_: S) {}

    same::<bytes::Bytes>(|bytes: ruststream_core::Bytes| bytes);
    same::<bytes::BytesMut>(|bytes: ruststream_core::BytesMut| bytes);
    same::<bytes_utils::Str>(|text: ruststream_core::Str| text);
    stream(Scripted::default().stream());
    stream(ruststream_core::BufferedSubscriber::new(Scripted::default()).batches(nonzero!(1)));
    #[cfg(feature = "json")]
    let _ = ruststream_core::SecurityScheme::custom(serde_json::Value::Null);
    #[cfg(feature = "asyncapi")]
    same::<schemars::Schema>(|schema: ruststream_core::schemars::Schema| schema);
}
