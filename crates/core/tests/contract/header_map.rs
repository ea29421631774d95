use ruststream_core::{Bytes, BytesMut, HeaderMap, Str};

fn names(headers: &HeaderMap) -> Vec<&str> {
    headers.iter().map(|(name, _)| name).collect()
}

// CORE-080
#[test]
fn names_are_compared_without_ascii_case_and_kept_in_lowercase() {
    let mut headers = HeaderMap::new();
    headers.insert("X-Tenant", "north");

    assert_eq!(headers.get("x-TENANT"), Some(&b"north"[..]));
    assert!(headers.contains("X-tenant"));
    assert_eq!(names(&headers), ["x-tenant"]);
}

// CORE-080
#[test]
fn letters_beyond_ascii_stay_as_they_are() {
    let headers = HeaderMap::from_iter([("ÄB", "1")]);

    assert_eq!(names(&headers), ["Äb"]);
    assert!(headers.contains("Äb"));
    assert!(!headers.contains("äb"));
}

// CORE-080
#[test]
fn nothing_is_validated() {
    let mut headers = HeaderMap::new();
    headers.insert("", "");
    headers.insert("a b\r\n", &b"\0\xff\n"[..]);

    assert_eq!(headers.get(""), Some(&b""[..]));
    assert_eq!(headers.get("a b\r\n"), Some(&b"\0\xff\n"[..]));
}

// CORE-081
#[test]
fn replacing_keeps_the_place_and_returns_the_old_value() {
    let mut headers = HeaderMap::from_iter([("a", "1"), ("b", "2"), ("c", "3")]);

    assert_eq!(headers.insert("B", "two"), Some(Bytes::from_static(b"2")));
    assert_eq!(headers.insert("d", "4"), None);
    assert_eq!(names(&headers), ["a", "b", "c", "d"]);
    assert_eq!(headers.get_str("b"), Some("two"));
}

// CORE-081
#[test]
fn removing_keeps_the_order_of_the_rest() {
    let mut headers = HeaderMap::from_iter([("a", "1"), ("b", "2"), ("c", "3")]);

    assert_eq!(headers.remove("A"), Some(Bytes::from_static(b"1")));
    assert_eq!(headers.remove("a"), None);
    assert_eq!(names(&headers), ["b", "c"]);
}

// CORE-081
#[test]
fn of_two_collected_entries_the_later_stays() {
    let headers = HeaderMap::from_iter([("a", "1"), ("b", "2"), ("A", "3")]);

    assert_eq!(
        headers.iter().collect::<Vec<_>>(),
        [("a", &b"3"[..]), ("b", b"2")]
    );
}

// CORE-082
#[test]
fn equality_ignores_order() {
    let one = HeaderMap::from_iter([("a", "1"), ("b", "2")]);

    assert_eq!(one, HeaderMap::from_iter([("B", "2"), ("A", "1")]));
    assert_ne!(one, HeaderMap::from_iter([("a", "1")]));
    assert_ne!(one, HeaderMap::from_iter([("a", "1"), ("b", "3")]));
    assert_ne!(one, HeaderMap::from_iter([("a", "1"), ("c", "2")]));
}

// CORE-083
#[test]
fn text_accessors_answer_none_for_what_is_absent_or_not_utf8() {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", "application/json");
    headers.insert("correlation-id", "c1");
    headers.insert("reply-to", "inbox");
    headers.insert("message-id", &b"\xff"[..]);

    assert_eq!(headers.content_type(), Some("application/json"));
    assert_eq!(headers.correlation_id(), Some("c1"));
    assert_eq!(headers.reply_to(), Some("inbox"));
    assert_eq!(headers.message_id(), None);
    assert_eq!(headers.get("message-id"), Some(&b"\xff"[..]));
    assert_eq!(headers.get_str("absent"), None);
}

// CORE-084
#[test]
fn a_shared_value_is_the_same_buffer_and_outlives_the_map() {
    let body = Bytes::from(vec![7; 32]);
    let headers = HeaderMap::from_iter([("blob", body.clone())]);

    let shared = headers.clone().get_shared("blob").unwrap();
    drop(headers);
    assert_eq!(shared.as_ptr(), body.as_ptr());
}

// CORE-085
#[test]
fn a_lowercase_name_keeps_its_buffer() {
    let name = Str::from(String::from("x-tenant"));
    let headers = HeaderMap::from_iter([(name.clone(), "north")]);

    assert_eq!(
        headers.iter_shared().next().unwrap().0.as_ptr(),
        name.as_ptr()
    );
}

// CORE-086
#[test]
fn values_are_whatever_becomes_bytes() {
    let mut headers = HeaderMap::new();
    headers.insert("vec", vec![1u8]);
    headers.insert("string", String::from("text"));
    headers.insert("text", "text");
    headers.insert("slice", &b"raw"[..]);
    headers.insert("bytes", Bytes::from_static(b"raw"));
    headers.insert("buffer", BytesMut::from(&b"raw"[..]));
    headers.insert(String::from("owned-name"), "1");
    headers.insert(Str::from_static("shared-name"), "1");

    assert_eq!(headers.len(), 8);
}

// CORE-087
#[test]
fn overwriting_goes_key_by_key() {
    let mut headers = HeaderMap::from_iter([("tenant", "base"), ("producer", "p1")]);
    headers.overwrite_with(HeaderMap::from_iter([("Tenant", "call"), ("trace", "t")]));

    assert_eq!(
        headers,
        HeaderMap::from_iter([("tenant", "call"), ("producer", "p1"), ("trace", "t")])
    );
    assert_eq!(names(&headers), ["tenant", "producer", "trace"]);
}

// CORE-088
#[test]
fn values_come_back_byte_for_byte() {
    let value: Vec<u8> = (0..=255).collect();
    let headers = HeaderMap::from_iter([("all", value.clone())]);

    assert_eq!(headers.get("all"), Some(&value[..]));
}

// Section 27, item 4
#[test]
fn it_extends_and_is_iterated_by_value_and_by_reference() {
    let mut headers = HeaderMap::from_iter([("a", "1")]);
    headers.extend([("A", "2"), ("b", "3")]);

    let by_reference: Vec<_> = (&headers).into_iter().collect();
    assert_eq!(by_reference, [("a", &b"2"[..]), ("b", b"3")]);
    let by_value: Vec<(Str, Bytes)> = headers.clone().into_iter().collect();
    assert_eq!(HeaderMap::from_iter(by_value), headers);
}

// Section 27, item 3
#[test]
fn debug_shortens_values_and_leaves_credentials_out() {
    let mut headers = HeaderMap::new();
    headers.insert("tenant", "north\n");
    headers.insert("Authorization", "Bearer s3cr3t-value");
    headers.insert("x-session-token", "s3cr3t-value");
    headers.insert("blob", vec![b'x'; 100]);

    let shown = format!("{headers:?}");
    assert!(shown.contains(r#""tenant": "north\n""#), "{shown}");
    assert!(shown.contains("\"authorization\": <redacted>"), "{shown}");
    assert!(!shown.contains("s3cr3t"), "{shown}");
    assert!(
        shown.contains("(100 bytes)") && !shown.contains(&"x".repeat(65)),
        "{shown}"
    );
}

// Section 27, item 4
#[cfg(feature = "json")]
#[test]
fn it_serializes_as_a_map_for_diagnostics() {
    let mut headers = HeaderMap::from_iter([("a", "1")]);
    headers.insert("raw", &b"\xff"[..]);

    let shown = serde_json::to_string(&headers).unwrap();
    assert_eq!(shown, r#"{"a":"1","raw":[255]}"#);
}
