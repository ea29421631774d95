use ruststream_core::{AppId, AppIdError, Contact, ExternalDocs, License, Tag};
use serde::Serialize;

fn document<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

// CORE-250
#[test]
fn absent_details_are_left_out() {
    assert_eq!(document(&Contact::new()), "{}");
    assert_eq!(
        document(&Contact::new().name("n").url("u").email("e")),
        r#"{"name":"n","url":"u","email":"e"}"#
    );
    assert_eq!(
        document(&License::new("Apache-2.0")),
        r#"{"name":"Apache-2.0"}"#
    );
    assert_eq!(
        document(&License::new("a").url("u")),
        r#"{"name":"a","url":"u"}"#
    );
    assert_eq!(
        document(
            &Tag::new("t")
                .description("d")
                .external_docs(ExternalDocs::new("u"))
        ),
        r#"{"name":"t","description":"d","externalDocs":{"url":"u"}}"#
    );
    assert_eq!(
        document(&ExternalDocs::new("u").description("d")),
        r#"{"url":"u","description":"d"}"#
    );
}

// CORE-250
#[cfg(feature = "asyncapi")]
#[test]
fn an_empty_contact_knows_that_it_is() {
    assert!(Contact::new().is_empty());
    assert!(!Contact::new().url("u").is_empty());
}

// CORE-251
#[test]
fn an_id_is_a_scheme_a_colon_and_anything() {
    for uri in ["urn:a", "u:", "A1+-.:x y", "https://example.org"] {
        let id: AppId = uri.parse().unwrap();
        assert_eq!((id.as_str(), &*id.to_string()), (uri, uri));
        assert_eq!(document(&id), format!("{uri:?}"));
        assert_eq!(
            AppId::try_from(uri).unwrap(),
            AppId::try_from(uri.to_owned()).unwrap()
        );
    }
    for (text, error) in [
        ("", AppIdError::NoScheme),
        ("parcels", AppIdError::NoScheme),
        ("1x:y", AppIdError::MalformedScheme),
        (":y", AppIdError::MalformedScheme),
        ("ht tp:y", AppIdError::MalformedScheme),
        ("é:y", AppIdError::MalformedScheme),
    ] {
        assert_eq!(text.parse::<AppId>(), Err(error), "{text}");
        assert_eq!(AppId::try_from(text.to_owned()), Err(error), "{text}");
    }
}
