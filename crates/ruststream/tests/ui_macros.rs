//! What the macros refuse, word for word, and what they must not refuse (the compile-fail
//! catalogue 5.1).

#![cfg(all(feature = "macros", feature = "json", feature = "memory"))]

#[test]
fn the_macros_refuse_with_the_fix_in_the_first_line() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/macros/*.rs");
    cases.pass("tests/ui/macros/pass/*.rs");
}
