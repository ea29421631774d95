//! What the compiler says about misuse of the contract: the first line names the type and what it
//! lacks, the notes what to do (CORE-290).

#[test]
fn misuse_is_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
