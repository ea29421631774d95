use std::collections::BTreeMap;

use ruststream_core::{HeaderMap, SerializeHeadersError};
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};

fn written<T: Serialize + ?Sized>(value: &T) -> Result<HeaderMap, SerializeHeadersError> {
    let mut headers = HeaderMap::new();
    headers.insert_typed(value)?;
    Ok(headers)
}

fn pairs(headers: &HeaderMap) -> Vec<(&str, &str)> {
    headers
        .iter()
        .map(|(name, value)| (name, str::from_utf8(value).unwrap()))
        .collect()
}

fn top_level_refusal<T: Serialize + ?Sized>(value: &T) -> &'static str {
    match written(value) {
        Err(SerializeHeadersError::TopLevel { kind }) => kind,
        other => panic!("{other:?}"),
    }
}

#[derive(Serialize)]
struct One<T> {
    field: T,
}

fn value_refusal<T: Serialize>(field: T) -> &'static str {
    match written(&One { field }) {
        Err(SerializeHeadersError::UnsupportedValue { field, kind }) => {
            assert_eq!(field, "field");
            kind
        }
        other => panic!("{other:?}"),
    }
}

fn value_of<T: Serialize>(field: T) -> Vec<u8> {
    written(&One { field })
        .unwrap()
        .get("field")
        .unwrap()
        .to_vec()
}

struct Raw(&'static [u8]);

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Id(u32);

#[derive(Serialize)]
struct Pair(u32, u32);

#[derive(Serialize)]
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

// CORE-090
#[test]
fn a_struct_is_written_field_by_field_and_renames_name_the_header() {
    #[derive(Serialize)]
    struct ParcelMeta {
        depot: u32,
        #[serde(rename = "Weight-G")]
        weight_g: u64,
        fragile: Option<bool>,
    }

    let headers = written(&ParcelMeta {
        depot: 4,
        weight_g: 950,
        fragile: None,
    })
    .unwrap();
    assert_eq!(pairs(&headers), [("depot", "4"), ("weight-g", "950")]);
}

// CORE-090
#[test]
fn scalars_are_written_in_their_display_form() {
    assert_eq!(value_of(true), b"true");
    assert_eq!(value_of(false), b"false");
    assert_eq!(value_of(i8::MIN), b"-128");
    assert_eq!(value_of(u16::MAX), b"65535");
    assert_eq!(value_of(i64::MIN), b"-9223372036854775808");
    assert_eq!(value_of(u64::MAX), b"18446744073709551615");
    assert_eq!(value_of(i128::MIN), i128::MIN.to_string().as_bytes());
    assert_eq!(value_of(u128::MAX), u128::MAX.to_string().as_bytes());
    assert_eq!(value_of(1.5f32), b"1.5");
    assert_eq!(value_of(1e21f64), b"1000000000000000000000");
    assert_eq!(value_of(f64::NAN), b"NaN");
    assert_eq!(value_of('ß'), "ß".as_bytes());
}

// CORE-090
#[test]
fn text_bytes_variants_and_wrappers_are_written_as_what_they_hold() {
    assert_eq!(value_of("text"), b"text");
    assert_eq!(value_of(String::new()), b"");
    assert_eq!(value_of(Raw(b"\0\xff")), b"\0\xff");
    assert_eq!(value_of(Kind::Plain), b"Plain");
    assert_eq!(value_of(Kind::Air), b"by-air");
    assert_eq!(value_of(Id(7)), b"7");
    assert_eq!(value_of(Some(Id(7))), b"7");
    assert_eq!(value_of(format_args!("{}-{}", 1, 2)), b"1-2");
}

// CORE-084, CORE-090: at every length the value is the text, also through a counted handle.
#[test]
fn short_and_long_values_are_alike() {
    for len in 0..64 {
        let text = "x".repeat(len);
        let mut headers = written(&One { field: &text }).unwrap();
        assert_eq!(
            headers,
            written(&One {
                field: format_args!("{text}")
            })
            .unwrap()
        );
        assert_eq!(headers, HeaderMap::from_iter([("field", text.clone())]));
        assert_eq!(headers.get_shared("field").unwrap(), text);
        assert_eq!(headers.iter_shared().next().unwrap().1, text);
        assert_eq!(headers.clone().into_iter().next().unwrap().1, text);
        assert_eq!(headers.insert("field", "new").unwrap(), text);
        headers.insert_typed(&One { field: &text }).unwrap();
        assert_eq!(headers.remove("field").unwrap(), text);
    }
}

// CORE-090
#[test]
fn a_display_that_fails_is_an_error() {
    struct Fails;

    impl std::fmt::Display for Fails {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a text that is too long to be a short one")?;
            Err(std::fmt::Error)
        }
    }

    assert!(
        written(&One {
            field: format_args!("{Fails}")
        })
        .is_err()
    );
}

// CORE-090
#[test]
fn none_writes_no_header() {
    assert!(written(&One { field: None::<u8> }).unwrap().is_empty());
    assert!(written(&None::<One<u8>>).unwrap().is_empty());
}

// CORE-090
#[test]
fn what_does_not_fit_into_one_header_names_the_field_and_its_kind() {
    assert_eq!(value_refusal(()), "a unit");
    assert_eq!(value_refusal(Unit), "a unit struct");
    assert_eq!(value_refusal(vec![1]), "a sequence");
    assert_eq!(value_refusal((1, 2)), "a tuple");
    assert_eq!(value_refusal(Pair(1, 2)), "a tuple struct");
    assert_eq!(value_refusal(Kind::Two(1, 2)), "a tuple variant");
    assert_eq!(value_refusal(BTreeMap::from([("a", 1)])), "a map");
    assert_eq!(value_refusal(One { field: 1 }), "a nested struct");
    assert_eq!(value_refusal(Kind::Named { a: 1 }), "a struct variant");
    assert_eq!(value_refusal(Kind::Data(1)), "a data-carrying enum variant");
    assert_eq!(value_refusal(Some(vec![1])), "a sequence");
}

// CORE-090
#[test]
fn thin_wrappers_around_a_contract_are_seen_through() {
    #[derive(Serialize)]
    struct Wrapper(One<u8>);

    #[derive(Serialize)]
    enum Either {
        Wrapped(One<u8>),
        Spelled { field: u8 },
    }

    let expected = HeaderMap::from_iter([("field", "1")]);
    assert_eq!(written(&Wrapper(One { field: 1 })).unwrap(), expected);
    assert_eq!(written(&Some(One { field: 1 })).unwrap(), expected);
    assert_eq!(
        written(&Either::Wrapped(One { field: 1 })).unwrap(),
        expected
    );
    assert_eq!(written(&Either::Spelled { field: 1 }).unwrap(), expected);
    assert_eq!(written(&BTreeMap::from([("Field", 1)])).unwrap(), expected);
}

// CORE-090
#[test]
fn other_headers_stay_and_colliding_ones_are_overwritten() {
    let mut headers = HeaderMap::from_iter([("tenant", "north"), ("Field", "old")]);
    headers.insert_typed(&One { field: "new" }).unwrap();

    assert_eq!(pairs(&headers), [("tenant", "north"), ("field", "new")]);
}

// CORE-091
#[test]
fn what_is_no_flat_contract_is_refused_as_a_whole() {
    assert_eq!(top_level_refusal(&true), "a boolean");
    assert_eq!(top_level_refusal(&1i8), "an integer");
    assert_eq!(top_level_refusal(&1u128), "an integer");
    assert_eq!(top_level_refusal(&1.5f64), "a float");
    assert_eq!(top_level_refusal(&'c'), "a character");
    assert_eq!(top_level_refusal("text"), "a string");
    assert_eq!(top_level_refusal(&format_args!("{}", 1)), "a string");
    assert_eq!(top_level_refusal(&Raw(b"")), "bytes");
    assert_eq!(top_level_refusal(&()), "a unit");
    assert_eq!(top_level_refusal(&Unit), "a unit struct");
    assert_eq!(top_level_refusal(&Kind::Plain), "a unit variant");
    assert_eq!(top_level_refusal(&[1][..]), "a sequence");
    assert_eq!(top_level_refusal(&(1, 2)), "a tuple");
    assert_eq!(top_level_refusal(&Pair(1, 2)), "a tuple struct");
    assert_eq!(top_level_refusal(&Kind::Two(1, 2)), "a tuple variant");
}

// CORE-091
#[test]
fn flattened_fields_are_refused() {
    #[derive(Serialize)]
    struct Flattened {
        own: u8,
        #[serde(flatten)]
        inner: One<u8>,
    }

    let kind = top_level_refusal(&Flattened {
        own: 1,
        inner: One { field: 2 },
    });
    assert!(kind.contains("unknown size"), "{kind}");
}

// CORE-092
#[test]
fn map_keys_are_whatever_is_a_string() {
    #[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
    struct Key(&'static str);

    #[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
    enum Named {
        Depot,
    }

    assert_eq!(
        pairs(&written(&BTreeMap::from([('A', 1)])).unwrap()),
        [("a", "1")]
    );
    assert_eq!(
        pairs(&written(&BTreeMap::from([(Key("k"), 1)])).unwrap()),
        [("k", "1")]
    );
    assert_eq!(
        pairs(&written(&BTreeMap::from([(Named::Depot, 1)])).unwrap()),
        [("depot", "1")]
    );
    for error in [
        written(&BTreeMap::from([(1, 1)])).unwrap_err(),
        written(&BTreeMap::from([(true, 1)])).unwrap_err(),
        written(&BTreeMap::from([((1, 2), 1)])).unwrap_err(),
        written(&BTreeMap::from([(Some("a"), 1)])).unwrap_err(),
    ] {
        assert!(
            error.to_string().contains("header names must be strings"),
            "{error}"
        );
    }
}

// CORE-096
#[test]
fn a_custom_message_survives_word_for_word() {
    struct Refuses;

    impl Serialize for Refuses {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(S::Error::custom("a depot is closed on sundays"))
        }
    }

    let error = written(&One { field: Refuses }).unwrap_err();
    assert!(
        matches!(&error, SerializeHeadersError::Message(text) if text == "a depot is closed on sundays")
    );
    assert_eq!(error.to_string(), "a depot is closed on sundays");
}

// CORE-098, section 27 item 2
#[test]
fn a_failed_write_leaves_the_map_as_it_was() {
    #[derive(Serialize)]
    struct HalfWay {
        tenant: &'static str,
        list: Vec<u8>,
    }

    let before = HeaderMap::from_iter([("tenant", "north")]);
    let mut headers = before.clone();
    headers
        .insert_typed(&HalfWay {
            tenant: "south",
            list: vec![1],
        })
        .unwrap_err();

    assert_eq!(headers, before);
}

// CORE-096: no panic, whatever a contract's own `Serialize` does.
#[test]
fn a_value_before_its_name_is_an_error() {
    struct Backwards;

    impl Serialize for Backwards {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(Some(1))?;
            map.serialize_value(&1)?;
            map.end()
        }
    }

    assert!(matches!(
        written(&Backwards),
        Err(SerializeHeadersError::Message(_))
    ));
}

// A length that a contract states wrongly is a hint, not a size to allocate.
#[test]
fn an_absurd_length_hint_is_not_believed() {
    struct Boasts;

    impl Serialize for Boasts {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(Some(usize::MAX))?;
            map.serialize_entry("a", &1)?;
            map.end()
        }
    }

    assert_eq!(pairs(&written(&Boasts).unwrap()), [("a", "1")]);
}
