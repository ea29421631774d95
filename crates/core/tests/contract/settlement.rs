use std::error::Error as _;
use std::io;
use std::time::Duration;

use ruststream_core::{AckError, Bytes, HeaderMap, IncomingMessage, RawMessage};

use crate::support::{Parcel, now};

// CORE-067, CORE-072
#[test]
fn what_a_delivery_does_not_override_says_that_it_has_nothing() {
    assert_eq!(Parcel(1).partition_key(), None);
    assert_eq!(Parcel(1).redelivery_count(), None);
    assert!(Parcel(1).decode_error().is_none());
    assert!(!Parcel(1).supports_nack_after());
    let answer = now(Parcel(1).nack_after(Duration::from_secs(1)));
    assert!(matches!(answer, Err(AckError::Unsupported)));
}

// CORE-064, section 27 item 11
#[test]
fn failures_map_to_their_variants() {
    let refused = AckError::broker(io::Error::other("stale token"));
    assert!(matches!(&refused, AckError::Broker(_)));
    assert!(refused.to_string().contains("stale token"));
    assert_eq!(refused.source().unwrap().to_string(), "stale token");

    assert!(matches!(
        AckError::from(io::Error::from(io::ErrorKind::TimedOut)),
        AckError::Timeout
    ));
    assert!(matches!(
        AckError::from(io::Error::other("reset")),
        AckError::Broker(_)
    ));
}

// Section 27, item 11
#[test]
fn only_an_unsupported_settlement_is_not_worth_another_try() {
    assert!(AckError::Timeout.retryable());
    assert!(AckError::broker("reset").retryable());
    assert!(!AckError::Unsupported.retryable());
}

// Section 4
#[test]
fn a_snapshot_keeps_name_payload_and_headers() {
    let payload = Bytes::from(b"body".to_vec());
    let mut message = RawMessage::new("parcels", payload.clone())
        .with_headers(HeaderMap::from_iter([("lost", "1")]))
        .with_headers(HeaderMap::from_iter([("tenant", "north")]));
    message.headers_mut().insert("trace", "t");

    assert_eq!(
        (message.name(), message.payload()),
        ("parcels", &b"body"[..])
    );
    assert_eq!(message.payload_bytes().as_ptr(), payload.as_ptr());
    assert_eq!(
        *message.headers(),
        HeaderMap::from_iter([("tenant", "north"), ("trace", "t")])
    );
    assert_eq!(message, message.clone());
}
