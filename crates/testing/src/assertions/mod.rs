//! What a test asks: [`SubscriberAssertions`] of the calls of a subscription,
//! [`PublishedAssertions`] of what was published.

mod outcome;
mod published;
mod subscriber;

use std::any::type_name;

use ruststream_core::codec::Codec;
use serde::de::DeserializeOwned;

pub use outcome::Outcome;
pub use published::PublishedAssertions;
pub use subscriber::SubscriberAssertions;

/// A payload as a value, or the text of what is wrong with it.
fn decode<T: DeserializeOwned, C: Codec>(codec: &C, payload: &[u8]) -> Result<T, String> {
    let decoded = codec.decode(payload);
    decoded.map_err(|error| format!("did not decode as {}: {error}", type_name::<T>()))
}
