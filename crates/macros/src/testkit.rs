//! What the tests of refusals share.

use proc_macro2::TokenStream;
use syn::{DeriveInput, Result};

pub(crate) fn tokens(text: &str) -> TokenStream {
    text.parse().expect("the test's input is tokens")
}

/// Asserts one refusal, under `place`, that speaks of every word in `says`.
pub(crate) fn assert_refused(expanded: Result<TokenStream>, place: &str, says: &[&str]) {
    let refusals: Vec<syn::Error> = match expanded {
        Ok(_) => panic!("accepted, though `{place}` should be refused"),
        Err(error) => error.into_iter().collect(),
    };
    let [refusal] = refusals.as_slice() else {
        panic!("more than one refusal: {refusals:?}")
    };
    let message = refusal.to_string();
    let first_line = message.lines().next().unwrap_or_default();
    for word in says {
        assert!(
            first_line.contains(word),
            "`{word}` is not in: {first_line}"
        );
    }
    assert_eq!(
        refusal.span().source_text().as_deref(),
        Some(place),
        "place of: {message}"
    );
}

/// Expands a derive over source text.
pub(crate) fn derive(
    expand: fn(&DeriveInput) -> Result<TokenStream>,
    item: &str,
) -> Result<TokenStream> {
    expand(&syn::parse_str(item).expect("the test's input is an item"))
}

/// Asserts that the expansion is Rust that holds each of `contains`, spaces aside.
pub(crate) fn assert_expands(expanded: Result<TokenStream>, contains: &[&str]) {
    let expanded = expanded.expect("accepted");
    syn::parse2::<syn::File>(expanded.clone()).expect("the expansion is Rust");
    let squeeze = |text: &str| text.split_whitespace().collect::<String>();
    let expanded = squeeze(&expanded.to_string());
    for part in contains {
        assert!(
            expanded.contains(&squeeze(part)),
            "`{part}` is not in: {expanded}"
        );
    }
}
