//! Headers between the framework's map and the protocol's.

use std::str::FromStr;
use std::sync::OnceLock;

use async_nats::{HeaderName, HeaderValue, Message};
use ruststream::{Bytes, HeaderMap, Str};

use crate::error::NatsError;

/// The header that carries the subject to answer at.
const REPLY_TO: Str = Str::from_static("reply-to");

/// The headers of a delivery, made when they are first asked for.
#[derive(Debug, Default)]
pub(crate) struct DeliveredHeaders(OnceLock<HeaderMap>);

impl DeliveredHeaders {
    /// The headers of `message`; its reply subject is one of them if `answerable`.
    pub(crate) fn of(&self, message: &Message, answerable: bool) -> &HeaderMap {
        static NONE: HeaderMap = HeaderMap::new();
        let reply = message.reply.as_ref().filter(|_| answerable);
        let headers = message
            .headers
            .as_ref()
            .filter(|headers| !headers.is_empty());
        if reply.is_none() && headers.is_none() {
            return &NONE;
        }
        self.0.get_or_init(|| {
            let mut map = headers.map_or_else(HeaderMap::new, inbound);
            if let Some(reply) = reply {
                map.insert(REPLY_TO, Bytes::copy_from_slice(reply.as_bytes()));
            }
            map
        })
    }
}

/// Of several values of one name the first is kept.
pub(crate) fn inbound(headers: &async_nats::HeaderMap) -> HeaderMap {
    let mut map = HeaderMap::with_capacity(headers.len() + 1);
    for (name, values) in headers.iter() {
        let name: &str = name.as_ref();
        if let Some(value) = values.first()
            && !map.contains(name)
        {
            map.insert(name, Bytes::copy_from_slice(value.as_str().as_bytes()));
        }
    }
    map
}

/// The protocol's headers; `None` for an empty map, which is sent as no header block.
///
/// # Errors
///
/// A name or a value that the protocol has no form for. Nothing is altered to fit.
pub(crate) fn outbound(map: &HeaderMap) -> Result<Option<async_nats::HeaderMap>, NatsError> {
    if map.is_empty() {
        return Ok(None);
    }
    let mut headers = async_nats::HeaderMap::new();
    for (name, value) in map.iter() {
        headers.insert(header_name(name)?, header_value(name, value)?);
    }
    Ok(Some(headers))
}

fn header_name(name: &str) -> Result<HeaderName, NatsError> {
    let refused = || {
        NatsError::publish(format!(
            "the header name `{}` is not printable ASCII without a colon",
            name.escape_debug()
        ))
    };
    if name.is_empty() {
        return Err(refused());
    }
    HeaderName::from_str(name).map_err(|_| refused())
}

pub(crate) fn header_value(name: &str, value: &[u8]) -> Result<HeaderValue, NatsError> {
    let refused = |what| NatsError::publish(format!("the value of the header `{name}` {what}"));
    let text = std::str::from_utf8(value).map_err(|_| refused("is not UTF-8"))?;
    HeaderValue::from_str(text).map_err(|_| refused("has a line break"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &'static str, value: &'static [u8]) -> HeaderMap {
        [(name, value)].into_iter().collect()
    }

    // NATS-150
    #[test]
    fn what_the_protocol_cannot_carry_is_refused_by_its_name() {
        let refused: [(&str, &[u8]); 7] = [
            ("a:b", b"1"),
            ("with space", b"1"),
            ("", b"1"),
            ("\u{e9}t\u{e9}", b"1"),
            ("trace", b"1\r\n2"),
            ("trace", b"1\r2"),
            ("trace", b"\xff"),
        ];
        for (name, value) in refused {
            let error = outbound(&one(name, value)).expect_err("refused");
            assert!(matches!(error, NatsError::Publish(_)));
            assert!(
                error
                    .to_string()
                    .contains(&*name.escape_debug().to_string()),
                "{error}"
            );
        }
    }

    proptest::proptest! {
        // NATS-150, CORE-088
        #[test]
        fn a_header_is_carried_as_it_is_or_refused_by_its_name_without_its_value(
            name in "[a-d :\u{e9}\r-]{0,6}",
            value in "[XYZ]{4,8}[\r\n]{0,2}[XYZ]{0,8}",
            raw in proptest::prelude::any::<bool>(),
        ) {
            let mut bytes = value.clone().into_bytes();
            if raw {
                bytes.push(0xff);
            }
            let map: HeaderMap = [(name.clone(), bytes)].into_iter().collect();
            match outbound(&map) {
                Ok(sent) => {
                    let sent = sent.expect("a block");
                    let carried = sent.get(name.as_str()).map(HeaderValue::as_str);
                    proptest::prop_assert_eq!(carried, Some(value.as_str()));
                }
                Err(error) => {
                    let shown = format!("{error} {error:?}");
                    proptest::prop_assert!(shown.contains(&*name.escape_debug().to_string()));
                    proptest::prop_assert!(!shown.contains(&value[..4]), "{}", shown);
                }
            }
        }
    }

    // NATS-150, NATS-101
    #[test]
    fn an_empty_value_passes_and_an_empty_map_is_no_block() {
        let sent = outbound(&one("empty", b""))
            .expect("carried")
            .expect("a block");

        assert_eq!(sent.get("empty").map(HeaderValue::as_str), Some(""));
        assert_eq!(outbound(&HeaderMap::new()).expect("nothing to carry"), None);
    }

    // NATS-151
    #[test]
    fn the_first_of_several_values_is_kept_and_names_lose_their_case() {
        let mut wire = async_nats::HeaderMap::new();
        wire.append("Trace", "first");
        wire.append("Trace", "second");

        let map = inbound(&wire);

        assert_eq!((map.get_str("trace"), map.len()), (Some("first"), 1));
    }
}
