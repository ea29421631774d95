//! Why a publish failed.

use ruststream_core::SerializeHeadersError;
use ruststream_core::codec::CodecError;
use thiserror::Error;

use super::BoxError;
use super::wire::PayloadError;

/// Why a publish through the builder failed. Up to [`Publish`](Self::Publish), nothing was sent.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PublishError<E> {
    /// The codec could not encode the value.
    #[error("encoding the message failed: {0}")]
    Encode(#[source] CodecError),
    /// The value's own encoder failed.
    #[error("serializing the message's own bytes failed: {0}")]
    Serialize(#[source] BoxError),
    /// The typed headers have a field that headers cannot carry.
    #[error("serializing the typed headers failed: {0}")]
    Headers(#[source] SerializeHeadersError),
    /// The publisher refused or lost the message; its own error, unboxed.
    #[error("publishing the message failed: {0}")]
    Publish(#[source] E),
    /// A request was built with broker options, which requests do not carry; it was not sent.
    #[error("a request carries no per-message options")]
    OptionsOnRequest,
}

impl<E> From<PayloadError> for PublishError<E> {
    fn from(error: PayloadError) -> Self {
        match error {
            PayloadError::Codec(source) => Self::Encode(source),
            PayloadError::Serialize(source) => Self::Serialize(source),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;
    use crate::publish::testkit::Refused;

    // PUB-203
    #[test]
    fn each_failure_says_its_step_and_keeps_its_source() {
        let headers = SerializeHeadersError::TopLevel { kind: "sequence" };
        let header_text = headers.to_string();
        let codec = CodecError::Encode(Box::new(Refused));
        let codec_text = codec.to_string();
        let cases = [
            (
                PublishError::Encode(codec),
                format!("encoding the message failed: {codec_text}"),
            ),
            (
                PublishError::Serialize(Box::new(Refused)),
                String::from("serializing the message's own bytes failed: refused"),
            ),
            (
                PublishError::Headers(headers),
                format!("serializing the typed headers failed: {header_text}"),
            ),
            (
                PublishError::Publish(Refused),
                String::from("publishing the message failed: refused"),
            ),
        ];
        for (error, text) in cases {
            assert_eq!(error.to_string(), text);
            assert!(error.source().is_some(), "{text}");
        }
    }

    // PUB-725
    #[test]
    fn options_on_a_request_are_named_as_the_cause() {
        let error = PublishError::<Refused>::OptionsOnRequest;
        assert_eq!(
            error.to_string(),
            "a request carries no per-message options"
        );
        assert!(error.source().is_none());
    }

    #[test]
    fn a_payload_error_keeps_its_side() {
        let codec = PayloadError::from(CodecError::Encode(Box::new(Refused)));
        assert!(matches!(
            PublishError::<Refused>::from(codec),
            PublishError::Encode(_)
        ));
        let own = PayloadError::Serialize(Box::new(Refused));
        assert!(matches!(
            PublishError::<Refused>::from(own),
            PublishError::Serialize(_)
        ));
    }
}
