use std::error::Error;

use ruststream_core::BytesMut;
use ruststream_core::codec::{Codec, CodecError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A codec with the provided methods only.
struct Text;

impl Codec for Text {
    fn encode<T: Serialize>(&self, _: &T) -> Result<BytesMut, CodecError> {
        Ok(BytesMut::from(&b"text"[..]))
    }

    fn decode<T: DeserializeOwned>(&self, _: &[u8]) -> Result<T, CodecError> {
        Err(CodecError::Decode("nothing to read".into()))
    }
}

// CORE-212
#[test]
fn the_provided_way_appends_what_encoding_gives() {
    let mut buf = BytesMut::from(&b"before "[..]);
    Text.encode_into(&1, &mut buf).unwrap();

    assert_eq!(&buf[..], b"before text");
    assert_eq!(Text::CONTENT_TYPE, "application/octet-stream");
}

// CORE-215, RUN-415
#[test]
fn an_error_says_which_way_failed_and_why() {
    let encode = CodecError::Encode("too deep".into());
    let decode = Text.decode::<u8>(b"").unwrap_err();

    assert_eq!(encode.to_string(), "encode failed: too deep");
    assert_eq!(decode.to_string(), "decode failed: nothing to read");
    assert_eq!(decode.source().unwrap().to_string(), "nothing to read");
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Parcel {
    depot: u32,
    tenant: String,
    weights: Vec<Option<f64>>,
    kind: Kind,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Air,
    Sea { days: u8 },
}

fn parcel() -> Parcel {
    Parcel {
        depot: 4,
        tenant: "nörth".to_owned(),
        weights: vec![Some(0.1), None],
        kind: Kind::Sea { days: 3 },
    }
}

struct Unencodable;

impl Serialize for Unencodable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("sealed"))
    }
}

/// What every codec we ship has to do.
#[allow(dead_code, reason = "without codec features there is nothing to check")]
fn holds<C: Codec + Default + Copy + std::fmt::Debug>(content_type: &str) {
    let codec = C::default();
    assert_eq!(C::CONTENT_TYPE, content_type);

    // CORE-212: both ways write the same, the second one behind what is there.
    let bytes = codec.encode(&parcel()).unwrap();
    let mut buf = BytesMut::from(&b"before"[..]);
    codec.encode_into(&parcel(), &mut buf).unwrap();
    assert_eq!(&buf[..6], b"before");
    assert_eq!(buf[6..], bytes[..]);

    assert_eq!(codec.decode::<Parcel>(&bytes).unwrap(), parcel());

    // CORE-215
    let encode = codec.encode(&Unencodable).unwrap_err();
    assert!(matches!(encode, CodecError::Encode(_)));
    assert!(encode.to_string().contains("sealed"), "{encode}");
    for junk in [&b""[..], b"\xff", &bytes[..bytes.len() / 2]] {
        let decode = codec.decode::<Parcel>(junk).unwrap_err();
        assert!(matches!(decode, CodecError::Decode(_)));
        assert!(decode.source().is_some());
    }
}

#[cfg(feature = "json")]
mod json {
    use ruststream_core::codec::{DefaultCodec, JsonCodec};

    use super::*;

    #[test]
    fn it_holds_the_rules_of_codecs() {
        holds::<JsonCodec>("application/json");
    }

    // Section 12
    #[test]
    fn a_struct_is_an_object_and_nothing_may_follow_it() {
        let bytes = JsonCodec.encode(&parcel()).unwrap();

        assert!(bytes.starts_with(br#"{"depot":4,"tenant":"n"#));
        assert!(JsonCodec.decode::<u8>(b"1 2").is_err());
        assert_eq!(JsonCodec.decode::<u8>(b" 1\n").unwrap(), 1);
    }

    // CORE-210
    #[test]
    fn it_is_the_default_wherever_it_is_on() {
        let _: JsonCodec = DefaultCodec::default();
    }

    // The whole-text check must not change what is read.
    #[test]
    fn text_that_is_not_utf8_is_read_as_the_slice_reader_does() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct Depot {
            depot: u8,
        }

        for bytes in [
            &b"{\"skipped\":\"\xff\",\"depot\":4}"[..],
            b"\xef\xbb\xbf{\"depot\":4}",
            b"{\"depot\":4}\xff",
            // A character that is cut off, and whole ones at the end of 63, 64 and 65 bytes.
            b"{\"depot\":4}\xc3",
            b"{\"depot\":4,\"skipped\":\"0123456789012345678901234567890123456\xc3\xbc\"}",
            b"{\"depot\":4,\"skipped\":\"01234567890123456789012345678901234567\xc3\xbc\"}",
            b"{\"depot\":4,\"skipped\":\"012345678901234567890123456789012345678\xc3\xbc\"}",
            b"{\"depot\":4,\"skipped\":\"012345678901234567890123456789012345678901\xc3",
            b"{\"depot\":4}\0",
        ] {
            let ours = JsonCodec
                .decode::<Depot>(bytes)
                .map_err(|error| error.source().unwrap().to_string());
            let reference =
                serde_json::from_slice::<Depot>(bytes).map_err(|error| error.to_string());
            assert_eq!(ours, reference);
        }
    }
}

#[cfg(feature = "cbor")]
#[test]
fn cbor_holds_the_rules_of_codecs_and_writes_maps() {
    use ruststream_core::codec::CborCodec;

    holds::<CborCodec>("application/cbor");
    assert_eq!(CborCodec.encode(&parcel()).unwrap()[0], 0xa4);
}

// The room that a text is read to depends on the size of its document, what is read does not.
#[cfg(feature = "cbor")]
#[test]
fn cbor_reads_texts_that_fill_short_and_long_documents() {
    use ruststream_core::codec::CborCodec;

    for length in [1, 253, 254, 255, 4093, 4096, 10_000] {
        let text = "n".repeat(length);
        let bytes = CborCodec.encode(&text).unwrap();
        assert_eq!(CborCodec.decode::<String>(&bytes).unwrap(), text);
        let symbol = CborCodec.decode::<Symbol>(&bytes).map(|symbol| symbol.0);
        assert_eq!(symbol.ok(), (length <= 4096).then_some(length));
    }
}

/// Reads its text without keeping it.
#[cfg(feature = "cbor")]
struct Symbol(usize);

#[cfg(feature = "cbor")]
impl<'de> Deserialize<'de> for Symbol {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Length;

        impl serde::de::Visitor<'_> for Length {
            type Value = Symbol;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a text")
            }

            fn visit_str<E>(self, text: &str) -> Result<Symbol, E> {
                Ok(Symbol(text.len()))
            }
        }

        deserializer.deserialize_str(Length)
    }
}

#[cfg(feature = "msgpack")]
#[test]
fn msgpack_holds_the_rules_of_codecs_and_writes_arrays() {
    use ruststream_core::codec::MsgpackCodec;

    holds::<MsgpackCodec>("application/msgpack");
    assert_eq!(MsgpackCodec.encode(&parcel()).unwrap()[0], 0x94);
}

// CORE-210
#[cfg(all(feature = "cbor", not(feature = "json")))]
#[test]
fn cbor_is_the_default_before_msgpack() {
    use ruststream_core::codec::{CborCodec, DefaultCodec};

    let _: CborCodec = DefaultCodec::default();
}

// CORE-210
#[cfg(all(feature = "msgpack", not(feature = "json"), not(feature = "cbor")))]
#[test]
fn msgpack_is_the_default_alone() {
    use ruststream_core::codec::{DefaultCodec, MsgpackCodec};

    let _: MsgpackCodec = DefaultCodec::default();
}

// CORE-213
#[cfg(feature = "json")]
#[test]
fn a_codec_over_another_composes() {
    use ruststream_core::codec::JsonCodec;

    #[derive(Debug, thiserror::Error)]
    #[error("version {0} is not ours")]
    struct WrongVersion(u8);

    struct Versioned<C>(C);

    impl<C: Codec> Codec for Versioned<C> {
        fn encode<T: Serialize>(&self, value: &T) -> Result<BytesMut, CodecError> {
            let mut buf = BytesMut::from(&[1][..]);
            self.0.encode_into(value, &mut buf)?;
            Ok(buf)
        }

        fn decode<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, CodecError> {
            match bytes {
                [1, rest @ ..] => self.0.decode(rest),
                [version, ..] => Err(CodecError::Decode(Box::new(WrongVersion(*version)))),
                [] => Err(CodecError::Decode("empty".into())),
            }
        }
    }

    let codec = Versioned(JsonCodec);
    assert_eq!(
        codec
            .decode::<Parcel>(&codec.encode(&parcel()).unwrap())
            .unwrap(),
        parcel()
    );
    let error = codec.decode::<u8>(&[2, b'1']).unwrap_err();
    assert_eq!(
        error
            .source()
            .unwrap()
            .downcast_ref::<WrongVersion>()
            .unwrap()
            .0,
        2
    );
}
