//! What the compiler says where a publish is incomplete or not allowed (PUB 17, macros 5.3).

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
fn publishes_that_may_not_leave_are_explained() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/publish/*.rs");
    cases.pass("tests/ui/publish/pass/*.rs");
}
