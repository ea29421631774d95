//! What a test asks: [`SubscriberAssertions`] of the calls of a subscription,
//! [`PublishedAssertions`] of what was published.

mod outcome;
mod published;
mod subscriber;
mod told;

use std::any::type_name;

use ruststream_core::codec::Codec;
use serde::de::DeserializeOwned;

pub use outcome::Outcome;
pub use published::PublishedAssertions;
pub use subscriber::SubscriberAssertions;

/// A payload as a value, or the text of what is wrong with it.
fn decode<T: DeserializeOwned, C: Codec>(codec: &C, payload: &[u8]) -> Result<T, String> {
    let decoded = codec.decode(payload);
    decoded.map_err(|error| {
        let (type_name, payload) = (type_name::<T>(), told::payload(payload));
        format!("did not decode as {type_name}: {error}\n   payload: {payload}")
    })
}
