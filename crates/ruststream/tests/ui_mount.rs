//! What the compiler says where a mount does not fit (RUN-475, macros 5.2), and the mounts that must.

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
fn mounts_that_do_not_fit_are_explained() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/mount/*.rs");
    cases.pass("tests/ui/mount/pass/*.rs");
}
