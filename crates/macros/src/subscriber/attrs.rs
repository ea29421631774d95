//! Where a handler's other attributes go: to the definition, to its implementations, or to the body.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Path, Result, Token};

use crate::path_kind::spelling;

/// A handler's attributes, by where the macro's output has a place for them.
#[derive(Default)]
pub(crate) struct Attrs {
    /// On the generated struct: docs, deprecation, lints of the item.
    pub(crate) item: Vec<TokenStream>,
    /// On the implementations: lints of the body.
    pub(crate) scope: Vec<TokenStream>,
    /// On the body function: everything else, such as `#[tracing::instrument]`.
    pub(crate) body: Vec<TokenStream>,
}

/// Lints that fire on an item as such, never in a body; an expectation of them belongs to the struct.
const ITEM_LINTS: [&str; 6] = [
    "dead_code",
    "missing_docs",
    "unreachable_pub",
    "missing_debug_implementations",
    "non_camel_case_types",
    "clippy :: module_name_repetitions",
];

/// Lint groups that reach both, of which an expectation can only become an allowance.
const BOTH_LINTS: [&str; 3] = ["unused", "warnings", "nonstandard_style"];

impl Attrs {
    pub(crate) fn sort(attrs: &[Attribute]) -> Result<Self> {
        let mut sorted = Self::default();
        for attr in attrs {
            sorted.place(&attr.meta, &|meta| quote!(#[#meta]))?;
        }
        Ok(sorted)
    }

    /// Puts one attribute where it belongs; `wrap` restores the `cfg_attr` it stood in.
    fn place(&mut self, meta: &Meta, wrap: &dyn Fn(TokenStream) -> TokenStream) -> Result<()> {
        let path = meta.path();
        let is = |name| path.is_ident(name);
        if is("cfg") {
            let attr = wrap(meta.to_token_stream());
            self.item.push(attr.clone());
            self.scope.push(attr);
        } else if is("cfg_attr") {
            self.place_conditional(meta, wrap)?;
        } else if is("doc") {
            self.item.push(wrap(meta.to_token_stream()));
        } else if is("deprecated") {
            self.item.push(wrap(meta.to_token_stream()));
            // The implementations of a deprecated definition are no use of it.
            self.scope.push(wrap(quote!(allow(deprecated))));
        } else if is("allow") || is("warn") || is("deny") || is("forbid") {
            self.item.push(wrap(meta.to_token_stream()));
            self.scope.push(wrap(meta.to_token_stream()));
        } else if is("expect") {
            self.place_expectation(meta, wrap)?;
        } else {
            self.body.push(wrap(meta.to_token_stream()));
        }
        Ok(())
    }

    fn place_conditional(
        &mut self,
        meta: &Meta,
        wrap: &dyn Fn(TokenStream) -> TokenStream,
    ) -> Result<()> {
        let parts = meta
            .require_list()?
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
        let mut parts = parts.iter();
        let Some(condition) = parts.next() else {
            return Ok(());
        };
        for inner in parts {
            self.place(inner, &|meta| wrap(quote!(cfg_attr(#condition, #meta))))?;
        }
        Ok(())
    }

    /// An expectation is met once, so each lint goes to the one place where it can fire.
    fn place_expectation(
        &mut self,
        meta: &Meta,
        wrap: &dyn Fn(TokenStream) -> TokenStream,
    ) -> Result<()> {
        let parts = meta
            .require_list()?
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
        let lints: Vec<&Path> = parts
            .iter()
            .filter(|part| matches!(part, Meta::Path(_)))
            .map(Meta::path)
            .collect();
        let reason = parts
            .iter()
            .find(|part| matches!(part, Meta::NameValue(_)))
            .map(|reason| quote!(, #reason));
        for lint in lints {
            let name = spelling(lint);
            if ITEM_LINTS.contains(&name.as_str()) {
                self.item.push(wrap(quote!(expect(#lint #reason))));
            } else if BOTH_LINTS.contains(&name.as_str()) {
                self.item.push(wrap(quote!(allow(#lint #reason))));
                self.scope.push(wrap(quote!(allow(#lint #reason))));
            } else {
                self.scope.push(wrap(quote!(expect(#lint #reason))));
            }
        }
        Ok(())
    }
}
