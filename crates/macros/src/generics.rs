//! Impl headers over an item's own generics, and elided lifetimes made explicit.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Generics, Lifetime};

/// The pieces of `impl<..> Trait for Name<..> where ..` for a derived item.
pub(crate) struct Header {
    generics: Generics,
}

impl Header {
    /// Takes the item's generics over; lifetimes move to the derive, so that
    /// `single_use_lifetimes` does not blame the user's code (MAC-07).
    pub(crate) fn of(generics: &Generics) -> Self {
        let mut generics = generics.clone();
        for lifetime in generics.lifetimes_mut() {
            lifetime.lifetime.set_span(Span::call_site());
        }
        Self { generics }
    }

    /// `<'a, T: Bound>`, with `extra` parameters of the macro's own at the end.
    pub(crate) fn params(&self, extra: &TokenStream) -> TokenStream {
        let (params, _, _) = self.generics.split_for_impl();
        if extra.is_empty() {
            return params.to_token_stream();
        }
        let own = self.generics.params.iter().map(|param| {
            let mut param = param.clone();
            // Defaults belong to the item, not to an impl of it.
            match &mut param {
                syn::GenericParam::Type(ty) => {
                    ty.default = None;
                }
                syn::GenericParam::Const(constant) => {
                    constant.default = None;
                }
                syn::GenericParam::Lifetime(_) => {}
            }
            param
        });
        quote!(<#(#own,)* #extra>)
    }

    /// `<'a, T>`.
    pub(crate) fn args(&self) -> TokenStream {
        let (_, args, _) = self.generics.split_for_impl();
        args.to_token_stream()
    }

    /// `where ..`, if the item has one.
    pub(crate) fn bounds(&self) -> TokenStream {
        self.generics.where_clause.to_token_stream()
    }
}

/// The tokens with every `'_` replaced by `lifetime`; `None` when there was none.
pub(crate) fn with_lifetime(tokens: TokenStream, lifetime: &Lifetime) -> Option<TokenStream> {
    let mut found = false;
    let replaced = replace(tokens, lifetime, &mut found);
    found.then_some(replaced)
}

fn replace(tokens: TokenStream, lifetime: &Lifetime, found: &mut bool) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let mut inner =
                    Group::new(group.delimiter(), replace(group.stream(), lifetime, found));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Punct(tick) if tick.as_char() == '\'' => {
                if matches!(tokens.peek(), Some(TokenTree::Ident(name)) if name == "_") {
                    tokens.next();
                    *found = true;
                    lifetime.to_tokens(&mut out);
                } else {
                    out.extend([TokenTree::Punct(tick)]);
                }
            }
            other => out.extend([other]),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Header, with_lifetime};
    use quote::quote;
    use syn::{Lifetime, parse_quote};

    // MAC-20
    #[test]
    fn elided_lifetimes_are_named_wherever_they_stand() {
        let view: Lifetime = parse_quote!('view);
        let named = with_lifetime(quote!(a::Frame<'_, [Part<'_>; 2]>), &view).unwrap();
        assert_eq!(
            named.to_string(),
            quote!(a::Frame<'view, [Part<'view>; 2]>).to_string()
        );
        assert!(with_lifetime(quote!(Frame<'static>), &view).is_none());
    }

    // MAC-07, CORE-203
    #[test]
    fn a_header_keeps_bounds_and_drops_defaults() {
        let item: syn::ItemStruct = parse_quote! {
            struct Parcel<'a, T: Clone = u8, const N: usize = 1> where T: Send { body: &'a [T; N] }
        };
        let header = Header::of(&item.generics);
        let expected = quote!(<'a, T: Clone, const N: usize, M: Slot>);
        assert_eq!(
            header.params(&quote!(M: Slot)).to_string(),
            expected.to_string()
        );
        assert_eq!(header.args().to_string(), quote!(<'a, T, N>).to_string());
        assert_eq!(
            header.bounds().to_string(),
            quote!(where T: Send).to_string()
        );
    }
}
