//! `#[wire(prost)]` names what the crate that writes it calls `prost`; here that is this file.

extern crate self as prost;

use ruststream::BytesMut;
use ruststream::prelude::*;

/// The two functions of the format's trait that the attribute names.
pub trait Message: Sized {
    /// Writes the value behind what `buffer` holds.
    ///
    /// # Errors
    ///
    /// A value that the format has no bytes for.
    fn encode(&self, buffer: &mut BytesMut) -> Result<(), std::fmt::Error>;
    /// Reads the whole of `payload`.
    ///
    /// # Errors
    ///
    /// Bytes that are no value.
    fn decode(payload: &[u8]) -> Result<Self, std::fmt::Error>;
}

#[derive(Debug, PartialEq, Serialized, Deserialized)]
#[wire(prost)]
struct Weight {
    grams: u8,
}

impl Message for Weight {
    fn encode(&self, buffer: &mut BytesMut) -> Result<(), std::fmt::Error> {
        if self.grams == 0 {
            return Err(std::fmt::Error);
        }
        buffer.extend_from_slice(&[self.grams]);
        Ok(())
    }

    fn decode(payload: &[u8]) -> Result<Self, std::fmt::Error> {
        let [grams] = *payload else {
            return Err(std::fmt::Error);
        };
        Ok(Self { grams })
    }
}

// PUB-141, PUB-142
#[test]
fn the_format_is_that_of_the_crate_that_names_it() {
    let mut buffer = BytesMut::new();
    let written = Weight { grams: 9 }.wire_bytes(&mut buffer);
    assert!(matches!(written, Ok(WireBytes::InBuffer)));
    assert_eq!(buffer, [9][..]);
    assert_eq!(
        Weight::from_payload(&buffer).ok(),
        Some(Weight { grams: 9 })
    );

    let error = Weight { grams: 0 }.wire_bytes(&mut buffer).unwrap_err();
    assert_eq!(error.to_string(), std::fmt::Error.to_string());
    assert!(Weight::from_payload(&[]).is_err());
}
