//! What the compiler says where a slot is unbound, unknown or wired wrong (RUN-475, PUB 17).

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
fn misused_slots_are_explained() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/slots/*.rs");
    cases.pass("tests/ui/slots/pass/*.rs");
}
