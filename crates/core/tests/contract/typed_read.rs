use std::collections::{BTreeMap, HashMap};

use ruststream_core::{DeserializeHeadersError, HeaderMap};
use serde::de::{Error as _, IgnoredAny, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

fn headers(entries: &[(&'static str, &'static str)]) -> HeaderMap {
    entries.iter().copied().collect()
}

#[derive(Debug, Deserialize)]
struct One<T> {
    field: T,
}

fn read<T: for<'de> Deserialize<'de>>(value: &'static [u8]) -> Result<T, DeserializeHeadersError> {
    let headers = HeaderMap::from_iter([("field", value)]);
    headers.to_typed::<One<T>>().map(|one| one.field)
}

#[derive(Debug, PartialEq, Deserialize)]
struct Raw(#[serde(deserialize_with = "raw")] Vec<u8>);

fn raw<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    struct Bytes;

    impl Visitor<'_> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }

    deserializer.deserialize_byte_buf(Bytes)
}

#[derive(Debug, PartialEq, Deserialize)]
struct Id(u32);

#[derive(Debug, PartialEq, Deserialize)]
struct Unit;

#[derive(Debug, PartialEq, Deserialize)]
struct Pair(u32, u32);

#[derive(Debug, PartialEq, Deserialize)]
enum Kind {
    Plain,
    #[serde(rename = "by-air")]
    Air,
    Data(u32),
    Two(u32, u32),
    Named {
        a: u32,
    },
}

// CORE-093, CORE-095
#[test]
fn each_declared_field_reads_the_header_of_its_wire_name() {
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "kebab-case", deny_unknown_fields)]
    struct ParcelMeta {
        depot: u32,
        #[serde(rename = "Weight-G")]
        weight: u64,
        fragile_top: Option<bool>,
        #[serde(default)]
        priority: u8,
    }

    let headers = headers(&[("DEPOT", "4"), ("weight-g", "950"), ("unasked", "x")]);
    assert_eq!(
        headers.to_typed::<ParcelMeta>().unwrap(),
        ParcelMeta {
            depot: 4,
            weight: 950,
            fragile_top: None,
            priority: 0
        }
    );
}

// CORE-095
#[test]
fn a_missing_header_names_the_field() {
    let error = headers(&[]).to_typed::<One<u32>>().unwrap_err();

    assert!(matches!(error, DeserializeHeadersError::Message(text) if text.contains("`field`")));
}

// CORE-093
#[test]
fn a_map_reads_every_header_in_lowercase() {
    let headers = headers(&[("A", "1"), ("b", "2")]);

    let read: BTreeMap<String, u8> = headers.to_typed().unwrap();
    assert_eq!(
        read,
        BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)])
    );
}

// CORE-093
#[test]
fn newtypes_around_a_contract_and_ignored_contracts_are_read() {
    #[derive(Deserialize)]
    struct Wrapper(One<u8>);

    #[derive(Deserialize)]
    struct All(HashMap<String, String>);

    let headers = headers(&[("field", "1")]);
    assert_eq!(headers.to_typed::<Wrapper>().unwrap().0.field, 1);
    assert_eq!(headers.to_typed::<All>().unwrap().0["field"], "1");
    headers.to_typed::<IgnoredAny>().unwrap();
}

// CORE-093
#[test]
fn everything_else_is_refused_as_a_whole() {
    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        #[expect(dead_code)]
        One(One<u8>),
    }

    #[derive(Debug, Deserialize)]
    #[serde(tag = "kind")]
    enum Tagged {
        One,
    }

    fn refused<T: for<'de> Deserialize<'de> + std::fmt::Debug>() {
        let error = headers(&[("field", "1"), ("kind", "One")])
            .to_typed::<T>()
            .unwrap_err();
        assert!(
            matches!(
                error,
                DeserializeHeadersError::TopLevel {
                    kind: "a self-describing value"
                }
            ),
            "{error:?}"
        );
    }

    refused::<Option<One<u8>>>();
    refused::<Kind>();
    refused::<(u8, u8)>();
    refused::<Pair>();
    refused::<Vec<u8>>();
    refused::<u8>();
    refused::<String>();
    refused::<bool>();
    refused::<()>();
    refused::<Unit>();
    refused::<Untagged>();
    refused::<Tagged>();
    let _ = Tagged::One;
}

// CORE-094
#[test]
fn scalars_are_parsed_from_their_text() {
    assert!(read::<bool>(b"true").unwrap());
    assert!(!read::<bool>(b"false").unwrap());
    assert_eq!(read::<i8>(b"-128").unwrap(), i8::MIN);
    assert_eq!(read::<u64>(b"18446744073709551615").unwrap(), u64::MAX);
    assert_eq!(
        read::<i128>(i128::MIN.to_string().leak().as_bytes()).unwrap(),
        i128::MIN
    );
    assert_eq!(
        read::<u128>(u128::MAX.to_string().leak().as_bytes()).unwrap(),
        u128::MAX
    );
    assert!((read::<f64>(b"1.5").unwrap() - 1.5).abs() < f64::EPSILON);
    assert!(read::<f32>(b"NaN").unwrap().is_nan());
    assert_eq!(read::<char>("ß".as_bytes()).unwrap(), 'ß');
}

// CORE-094, CORE-096
#[test]
fn text_that_is_not_of_the_type_names_header_type_and_value() {
    fn refused<T: for<'de> Deserialize<'de> + std::fmt::Debug>(given: &'static [u8], name: &str) {
        match read::<T>(given).unwrap_err() {
            DeserializeHeadersError::Parse {
                header,
                expected,
                value,
            } => {
                assert_eq!((&*header, expected), ("field", name));
                assert_eq!(value.as_bytes(), given);
            }
            other => panic!("{other:?}"),
        }
    }

    refused::<bool>(b"True", "bool");
    refused::<bool>(b"1", "bool");
    refused::<u8>(b"256", "u8");
    refused::<u32>(b" 1", "u32");
    refused::<i64>(b"1.0", "i64");
    refused::<f64>(b"one", "f64");
    refused::<char>(b"ab", "char");
    refused::<Option<u64>>(b"", "u64");
    refused::<Id>(b"x", "u32");
}

// CORE-096: the value may be nothing to log.
#[test]
fn the_message_of_a_parse_error_names_the_header_and_leaves_the_value_out() {
    let error = read::<u32>(b"s3cr3t").unwrap_err();

    assert_eq!(error.to_string(), "the header `field` is not a valid `u32`");
}

// CORE-094
#[test]
fn text_bytes_variants_and_wrappers_are_read() {
    assert_eq!(read::<String>(b"text").unwrap(), "text");
    assert_eq!(read::<Raw>(b"\0\xff").unwrap(), Raw(b"\0\xff".to_vec()));
    assert_eq!(read::<Kind>(b"Plain").unwrap(), Kind::Plain);
    assert_eq!(read::<Kind>(b"by-air").unwrap(), Kind::Air);
    assert_eq!(read::<Id>(b"7").unwrap(), Id(7));
    assert_eq!(read::<Option<String>>(b"").unwrap(), Some(String::new()));
    assert_eq!(read::<Option<Id>>(b"7").unwrap(), Some(Id(7)));
}

// CORE-094
#[test]
fn text_that_is_not_utf8_names_the_header() {
    for error in [
        read::<String>(b"\xff").unwrap_err(),
        read::<u32>(b"\xff").map(drop).unwrap_err(),
        read::<Kind>(b"\xff").map(drop).unwrap_err(),
    ] {
        assert!(
            matches!(&error, DeserializeHeadersError::NotUtf8 { header } if header == "field"),
            "{error:?}"
        );
    }
}

// CORE-094
#[test]
fn a_field_that_takes_anything_gets_text_or_bytes() {
    #[derive(Debug, PartialEq)]
    enum Any {
        Text(String),
        Bytes(Vec<u8>),
    }

    impl<'de> Deserialize<'de> for Any {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Either;

            impl Visitor<'_> for Either {
                type Value = Any;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("text or bytes")
                }

                fn visit_str<E>(self, text: &str) -> Result<Any, E> {
                    Ok(Any::Text(text.to_owned()))
                }

                fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Any, E> {
                    Ok(Any::Bytes(bytes.to_vec()))
                }
            }

            deserializer.deserialize_any(Either)
        }
    }

    assert_eq!(read::<Any>(b"12").unwrap(), Any::Text("12".to_owned()));
    assert_eq!(read::<Any>(b"\xff").unwrap(), Any::Bytes(vec![0xff]));
}

// CORE-094
#[test]
fn a_shape_that_one_header_cannot_hold_names_the_header_and_the_shape() {
    fn refused<T: for<'de> Deserialize<'de> + std::fmt::Debug>(
        given: &'static [u8],
    ) -> &'static str {
        match read::<T>(given).unwrap_err() {
            DeserializeHeadersError::UnsupportedShape { header, kind } => {
                assert_eq!(header, "field");
                kind
            }
            other => panic!("{other:?}"),
        }
    }

    assert_eq!(refused::<()>(b"1"), "a unit");
    assert_eq!(refused::<Unit>(b"1"), "a unit struct");
    assert_eq!(refused::<Vec<u8>>(b"1"), "a sequence");
    assert_eq!(refused::<(u8, u8)>(b"1"), "a tuple");
    assert_eq!(refused::<Pair>(b"1"), "a tuple struct");
    assert_eq!(refused::<BTreeMap<String, u8>>(b"1"), "a map");
    assert_eq!(refused::<One<u8>>(b"1"), "a nested struct");
    assert_eq!(refused::<Option<One<u8>>>(b"1"), "a nested struct");
    assert_eq!(refused::<Kind>(b"Data"), "a data-carrying enum variant");
    assert_eq!(refused::<Kind>(b"Two"), "a tuple variant");
    assert_eq!(refused::<Kind>(b"Named"), "a struct variant");
    let _ = (Kind::Data(1), Kind::Two(1, 2), Kind::Named { a: 1 });
}

// CORE-096
#[test]
fn unknown_variants_and_custom_messages_come_through() {
    #[derive(Debug, Deserialize)]
    struct Refuses(
        #[serde(deserialize_with = "refuse")]
        #[expect(dead_code)]
        u8,
    );

    fn refuse<'de, D: Deserializer<'de>>(_: D) -> Result<u8, D::Error> {
        Err(D::Error::custom("a depot is closed on sundays"))
    }

    assert!(matches!(
        read::<Kind>(b"sea").unwrap_err(),
        DeserializeHeadersError::Message(text) if text.contains("`sea`")
    ));
    assert_eq!(
        read::<Refuses>(b"1").unwrap_err().to_string(),
        "a depot is closed on sundays"
    );
}

// CORE-090, CORE-094
#[test]
fn what_was_written_is_read_back() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Meta {
        flag: bool,
        small: i8,
        large: u128,
        ratio: f64,
        letter: char,
        text: String,
        absent: Option<u8>,
        present: Option<String>,
    }

    let meta = Meta {
        flag: true,
        small: -3,
        large: u128::MAX,
        ratio: 0.1,
        letter: '\n',
        text: "a\r\nb".to_owned(),
        absent: None,
        present: Some(String::new()),
    };
    let mut headers = HeaderMap::new();
    headers.insert_typed(&meta).unwrap();

    assert_eq!(headers.to_typed::<Meta>().unwrap(), meta);
}
