//! What the macros refuse, word for word, and what they must not refuse (the compile-fail
//! catalogue 5.1).

// The compiler names traits by the paths that the features make known, so the snapshots are those of
// one set of features.
#![cfg(all(feature = "macros", feature = "json", feature = "memory"))]
#![cfg(not(any(
    feature = "asyncapi",
    feature = "cbor",
    feature = "msgpack",
    feature = "testing"
)))]
#![cfg(not(any(feature = "metrics", feature = "otel", feature = "poll-diagnostics")))]

#[test]
fn the_macros_refuse_with_the_fix_in_the_first_line() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/macros/*.rs");
    cases.pass("tests/ui/macros/pass/*.rs");
}
