//! Where an error points, and how it is made.

use std::fmt::Display;

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Error, Result};

/// An error under all of `tokens`.
pub(crate) fn refusal(tokens: impl ToTokens, message: impl Display) -> Error {
    Error::new_spanned(tokens, message)
}

/// Refuses under all of `tokens`.
pub(crate) fn refuse<T>(tokens: impl ToTokens, message: impl Display) -> Result<T> {
    Err(refusal(tokens, message))
}

/// The place of `tokens`, with the names of the macro's own code.
///
/// Keeps an expansion together when the tokens came through a `macro_rules!` macro.
pub(crate) fn at(tokens: impl ToTokens) -> Span {
    let place = Error::new_spanned(tokens, "").span();
    Span::call_site().located_at(place)
}
