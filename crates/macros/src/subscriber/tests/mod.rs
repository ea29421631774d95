//! The attribute over source text: what is accepted and what is refused, where and with what words.

mod accepted;
mod refused_args;
mod refused_signature;

use proc_macro2::TokenStream;
use syn::Result;

use crate::testkit::tokens;

const PLAIN: &str = "async fn scan(parcel: &Parcel) {}";

fn expand(args: &str, item: &str) -> Result<TokenStream> {
    super::expand(tokens(args), tokens(item))
}
