// MAC-81, TEST-70
#[test]
fn a_type_without_an_in_process_mode_is_refused_by_name() {
    trybuild::TestCases::new().compile_fail("tests/ui-testing/*.rs");
}
