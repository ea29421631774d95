//! What headers a publish carries, and whether they satisfy the message's declaration.

use ruststream_core::{HeaderMap, HeadersContract, NoHeaders, SerializeHeadersError, WithHeaders};
use serde::Serialize;

/// What `with_headers` takes: a reference to a typed value, or a map by value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source of headers: lend the declared type, `&value`, or give a `HeaderMap`",
    label = "headers are `&value` of the declared type, or a `HeaderMap` by value",
    note = "a type that declares `headers = Meta` takes `.with_headers(&meta)`; one that declares \
            none takes a `HeaderMap`"
)]
pub trait HeaderSource {
    /// The filled headers position of the builder.
    type Position;

    /// Fills the position.
    fn into_position(self) -> Self::Position;
}

impl<'a, H: ?Sized> HeaderSource for &'a H {
    type Position = TypedHeaders<'a, H>;

    fn into_position(self) -> TypedHeaders<'a, H> {
        TypedHeaders(self)
    }
}

impl HeaderSource for HeaderMap {
    type Position = MapHeaders;

    fn into_position(self) -> MapHeaders {
        MapHeaders(self)
    }
}

/// A headers position that can be laid over the sink's base headers.
pub trait PublishHeaders {
    /// Writes the headers over what the map holds, key by key.
    ///
    /// # Errors
    ///
    /// [`SerializeHeadersError`] where a typed value has a field that headers cannot carry.
    fn write(self, headers: &mut HeaderMap) -> Result<(), SerializeHeadersError>;
}

/// A headers position that fulfils a message's declared contract.
#[diagnostic::on_unimplemented(
    message = "this publish does not carry the headers that its message declares, `{C}`: `WithHeaders<H>` takes `.with_headers(&h)`, `NoHeaders` takes none",
    label = "the contract `{C}` is not satisfied by `{Self}`",
    note = "`WithHeaders<Meta>` takes `.with_headers(&meta)` with a `Meta`; `NoHeaders` takes none, \
            or a `HeaderMap` by value"
)]
pub trait SatisfiesContract<C: HeadersContract> {}

/// No headers were named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct HeadersUnset;

/// The position of the headers, as long as nothing is in it.
#[diagnostic::on_unimplemented(
    message = "this publish has its headers already: keep one `.with_headers(..)`",
    label = "`with_headers` is called once",
    note = "what goes beside the declared headers belongs into their type, or into a transform"
)]
pub trait HeadersOpen {}

impl HeadersOpen for HeadersUnset {}

impl PublishHeaders for HeadersUnset {
    #[inline]
    fn write(self, _headers: &mut HeaderMap) -> Result<(), SerializeHeadersError> {
        Ok(())
    }
}

impl SatisfiesContract<NoHeaders> for HeadersUnset {}

/// A typed value, serialized when the publish runs.
#[derive(Debug, Clone, Copy)]
pub struct TypedHeaders<'a, H: ?Sized>(&'a H);

impl<H: Serialize + ?Sized> PublishHeaders for TypedHeaders<'_, H> {
    fn write(self, headers: &mut HeaderMap) -> Result<(), SerializeHeadersError> {
        headers.insert_typed(self.0)
    }
}

impl<H> SatisfiesContract<WithHeaders<H>> for TypedHeaders<'_, H> {}

/// A map, moved in whole where there is nothing under it.
#[derive(Debug, Clone, Default)]
pub struct MapHeaders(HeaderMap);

impl PublishHeaders for MapHeaders {
    fn write(self, headers: &mut HeaderMap) -> Result<(), SerializeHeadersError> {
        headers.overwrite_with(self.0);
        Ok(())
    }
}

impl SatisfiesContract<NoHeaders> for MapHeaders {}

/// The call's headers over the sink's base (PUB-123): nothing is allocated where both are empty.
#[inline]
pub(crate) fn layered<H: PublishHeaders>(
    base: Option<&HeaderMap>,
    call: H,
) -> Result<HeaderMap, SerializeHeadersError> {
    let mut headers = match base {
        Some(base) => base.clone(),
        None => HeaderMap::new(),
    };
    call.write(&mut headers)?;
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use ruststream_core::Take;

    use super::*;
    use crate::publish::PublishExt;
    use crate::publish::testkit::{Held, Recorder, headers};

    // PUB-123
    #[tokio::test]
    async fn no_base_and_no_call_headers_leave_an_empty_map() {
        let publisher = Recorder::<Take>::new();
        publisher
            .message(&Held(vec![1]))
            .to("a")
            .publish()
            .await
            .expect("publishes");
        assert_eq!(publisher.only().headers, HeaderMap::new());
    }

    // PUB-123, CORE-124
    #[tokio::test]
    async fn the_call_wins_over_the_base_key_by_key() {
        let base = headers([("tenant", "acme"), ("region", "north")]);
        let publisher = Recorder::<Take>::new().with_base(base);

        publisher
            .message(&Held(vec![1]))
            .to("a")
            .with_headers(headers([("Region", "south"), ("lane", "7")]))
            .publish()
            .await
            .expect("publishes");

        let expected = headers([("tenant", "acme"), ("region", "south"), ("lane", "7")]);
        assert_eq!(publisher.only().headers, expected);
    }

    // PUB-123
    #[tokio::test]
    async fn a_base_without_call_headers_leaves_as_it_is() {
        let base = headers([("tenant", "acme")]);
        let publisher = Recorder::<Take>::new().with_base(base.clone());
        publisher
            .message(&Held(vec![1]))
            .to("a")
            .publish()
            .await
            .expect("publishes");
        assert_eq!(publisher.only().headers, base);
    }

    // PUB-123, PUB-127
    #[test]
    fn over_an_empty_base_the_calls_map_moves_in_whole() {
        let call: HeaderMap = [("tenant", vec![b'x'; 64])].into_iter().collect();
        let at = call.get("tenant").map(<[u8]>::as_ptr);

        let laid = layered(None, MapHeaders(call)).expect("a map always writes");

        assert_eq!(laid.get("tenant").map(<[u8]>::as_ptr), at);
    }

    // PUB-122
    #[test]
    fn a_typed_value_that_headers_cannot_carry_fails_the_publish() {
        let not_a_contract = vec![1_u8];
        let laid = layered(None, not_a_contract.as_slice().into_position());
        assert!(matches!(laid, Err(SerializeHeadersError::TopLevel { .. })));
    }

    // PUB-126
    #[tokio::test]
    async fn nothing_is_written_that_the_service_did_not_write() {
        let publisher = Recorder::<Take>::new();
        publisher
            .message(&Held(vec![1]))
            .to("a")
            .publish()
            .await
            .expect("publishes");

        let sent = publisher.only().headers;

        assert!(sent.content_type().is_none() && sent.correlation_id().is_none());
        assert!(sent.message_id().is_none() && sent.reply_to().is_none());
    }
}
