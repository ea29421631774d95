//! Without a codec, what needs one does not compile, and the message names the ways out (PUB-134).

#[test]
fn what_needs_a_codec_says_where_to_get_one() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    cases.pass("tests/ui/pass/*.rs");
}
