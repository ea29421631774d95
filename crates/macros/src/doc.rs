//! Doc comments as descriptions.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The description an item's doc comment gives, `None` when it has none (MAC-05).
pub(crate) fn description(attrs: &[Attribute]) -> Option<String> {
    let lines: Vec<String> = attrs.iter().filter_map(doc_line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The description as an `Option<&'static str>` expression.
pub(crate) fn description_tokens(attrs: &[Attribute]) -> TokenStream {
    description(attrs).map_or_else(
        || quote!(::core::option::Option::None),
        |text| quote!(::core::option::Option::Some(#text)),
    )
}

fn doc_line(attr: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attr.meta else {
        return None;
    };
    if !pair.path.is_ident("doc") {
        return None;
    }
    let Expr::Lit(ExprLit {
        lit: Lit::Str(text),
        ..
    }) = &pair.value
    else {
        return None;
    };
    Some(text.value().trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::description;
    use syn::parse_quote;

    // MAC-05
    #[test]
    fn lines_are_trimmed_and_joined_and_a_blank_line_stays() {
        let item: syn::ItemStruct = parse_quote! {
            ///   One parcel.
            ///
            #[doc = "Weighed. "]
            struct Parcel;
        };
        assert_eq!(
            description(&item.attrs).as_deref(),
            Some("One parcel.\n\nWeighed.")
        );
    }

    // MAC-05
    #[test]
    fn what_is_not_a_literal_doc_is_no_description() {
        let item: syn::ItemStruct = parse_quote! {
            #[doc(hidden)]
            #[doc = include_str!("parcel.md")]
            #[derive(Debug)]
            struct Parcel;
        };
        assert_eq!(description(&item.attrs), None);
    }
}
