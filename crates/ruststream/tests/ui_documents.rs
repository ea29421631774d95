//! What the compiler says of a documented registration whose types have no schema (RUN-215).

#![cfg(all(feature = "macros", feature = "asyncapi", feature = "memory"))]
#![cfg(not(any(feature = "cbor", feature = "msgpack", feature = "testing")))]
#![cfg(not(any(feature = "metrics", feature = "otel", feature = "poll-diagnostics")))]

#[test]
fn types_without_a_schema_are_explained() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/documents/*.rs");
    cases.pass("tests/ui/documents/pass/*.rs");
}
