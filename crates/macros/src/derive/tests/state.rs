use crate::derive::from_ref;
use crate::testkit::{assert_expands, assert_refused, derive};

fn from_ref(item: &str) -> syn::Result<proc_macro2::TokenStream> {
    derive(from_ref::expand, item)
}

// MAC-73
#[test]
fn each_field_comes_out_by_its_type() {
    let item = "struct App { pool: db::Pool, #[from_ref(skip)] port: u16, ids: Arc<Vec<u64>> }";
    let parts = [
        "FromRef<App> for db::Pool",
        "Clone::clone(&__rs_state.pool)",
        "FromRef<App> for Arc<Vec<u64>>",
    ];
    assert_expands(from_ref(item), &parts);
    assert!(!from_ref(item).unwrap().to_string().contains("u16"));
}

// MAC-74
#[test]
fn fields_that_cannot_be_told_apart_are_refused() {
    let refused =
        |item: &str, place: &str, says: &[&str]| assert_refused(from_ref(item), place, says);
    refused(
        "struct App { a: Pool, b: Pool }",
        "Pool",
        &["`Pool`", "#[from_ref(skip)]"],
    );
    assert_expands(
        from_ref("struct App { a: Pool, #[from_ref(skip)] b: Pool }"),
        &["__rs_state.a"],
    );
    refused("struct App(Pool);", "App", &["name"]);
    refused("struct App;", "App", &["name"]);
    refused("enum App { A }", "App", &["struct with named fields"]);
    refused("struct App<T> { a: T }", "<T>", &["generics"]);
    refused(
        "struct App { #[from_ref(skip)] a: Pool }",
        "App",
        &["no field is left"],
    );
    refused("struct App {}", "App", &["no field is left"]);
    refused(
        "struct App { #[from_ref(ignore)] a: Pool }",
        "ignore",
        &["`skip`"],
    );
    refused(
        "struct App { #[from_ref] a: Pool }",
        "from_ref",
        &["`skip`"],
    );
}
