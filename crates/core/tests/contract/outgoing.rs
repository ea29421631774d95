use ruststream_core::{
    BytesMut, HeaderMap, Lend, OutgoingFor, OutgoingMessage, PayloadForm, SerializeHeadersError,
    Take,
};
use serde::Serialize;

// CORE-103, PUB-150
#[test]
fn a_produced_buffer_is_handed_on_as_it_is() {
    let buffer = BytesMut::from(&b"body"[..]);
    let address = buffer.as_ptr();

    let produced = OutgoingMessage::produced("parcels", buffer);
    assert_eq!(produced.payload(), b"body");
    let rebuilt = OutgoingMessage::with_payload("other", produced.into_payload());
    assert_eq!(rebuilt.into_payload().as_ptr(), address);
}

// CORE-103, PUB-150
#[test]
fn what_is_lent_stays_where_it_is() {
    let body = b"body".to_vec();

    let message: OutgoingMessage<'_> = OutgoingMessage::new("parcels", &body);
    assert_eq!(message.into_payload().as_ptr(), body.as_ptr());
}

// Section 7: the name outlives the message.
#[test]
fn the_name_is_the_caller_s() {
    let name = String::from("parcels");
    let kept = {
        let message: OutgoingMessage<'_> = OutgoingMessage::new(&name, b"");
        message.name()
    };

    assert_eq!(kept.as_ptr(), name.as_ptr());
}

// Section 7: `with_headers` replaces, `with_typed_headers` merges.
#[test]
fn headers_are_replaced_and_contracts_merged() {
    #[derive(Serialize)]
    struct Meta {
        tenant: &'static str,
        depot: u8,
    }

    let message: OutgoingMessage<'_> = OutgoingMessage::new("parcels", b"");
    let message = message
        .with_headers(HeaderMap::from_iter([("lost", "1")]))
        .with_headers(HeaderMap::from_iter([("tenant", "base"), ("trace", "t")]))
        .with_typed_headers(&Meta {
            tenant: "north",
            depot: 4,
        })
        .unwrap();

    assert_eq!(
        *message.headers(),
        HeaderMap::from_iter([("tenant", "north"), ("trace", "t"), ("depot", "4")])
    );
    let refused = message.with_typed_headers(&1);
    assert!(matches!(
        refused,
        Err(SerializeHeadersError::TopLevel { kind: "an integer" })
    ));
}

// CORE-291
#[test]
fn debug_shows_no_payload() {
    let message: OutgoingMessage<'_> = OutgoingMessage::new("parcels", b"s3cr3t");

    let shown = format!("{message:?}");
    assert!(
        shown.contains("parcels") && !shown.contains("115"),
        "{shown}"
    );
}

// CORE-100: a wrapper generic over the form compiles without knowing it.
#[test]
fn the_form_is_forwarded_without_being_known() {
    fn forwarded<F: PayloadForm>(message: OutgoingFor<'_, F>) -> usize {
        let (_, payload, _) = message.into_parts();
        payload.as_ref().len()
    }

    fn built<F: PayloadForm>(payload: &[u8]) -> usize {
        forwarded::<F>(OutgoingMessage::new("parcels", payload))
    }

    assert_eq!((built::<Lend>(b"abc"), built::<Take>(b"abc")), (3, 3));
}
