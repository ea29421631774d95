//! The rules of the contract, held through its public surface. Each test names the rule it holds.

mod bindable;
#[cfg(feature = "asyncapi")]
mod bindings;
mod buffered;
mod capabilities;
mod codecs;
mod cost;
mod declarations;
#[cfg(feature = "json")]
mod describe;
mod foreign;
mod header_map;
mod header_properties;
mod host;
mod outgoing;
#[cfg(feature = "testing")]
mod pairing;
mod payload_form;
mod publish;
mod retry;
mod server;
mod settlement;
mod sources;
mod support;
mod typed_read;
mod typed_write;
