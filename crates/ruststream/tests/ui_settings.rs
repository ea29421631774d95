//! What the compiler says where the settings of a subscription are misused (RUN-475, macros 5.2).

// The compiler lists what else implements a trait, so the snapshots are those of one set of features.
#![cfg(all(feature = "macros", feature = "json", feature = "memory"))]
#![cfg(not(any(
    feature = "asyncapi",
    feature = "cbor",
    feature = "msgpack",
    feature = "testing"
)))]
#![cfg(not(any(feature = "metrics", feature = "otel", feature = "poll-diagnostics")))]

#[test]
fn misused_settings_are_explained() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/settings/*.rs");
    cases.pass("tests/ui/settings/pass/*.rs");
}
