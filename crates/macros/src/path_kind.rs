//! Recognising a type by how it is written: the last path segment decides (MAC-04).

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{ExprPath, GenericArgument, Ident, PathArguments, PathSegment, Type};

/// The type without the grouping that parentheses or a `macro_rules!` fragment put around it.
pub(crate) fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => plain(&group.elem),
        Type::Paren(paren) => plain(&paren.elem),
        other => other,
    }
}

/// The last segment of a path type that ends in `name`.
pub(crate) fn named<'a>(ty: &'a Type, name: &str) -> Option<&'a PathSegment> {
    let Type::Path(path) = plain(ty) else {
        return None;
    };
    path.path
        .segments
        .last()
        .filter(|segment| segment.ident == name)
}

/// The type arguments of a segment; lifetimes, constants and bindings are left out.
pub(crate) fn type_args(segment: &PathSegment) -> Vec<&Type> {
    let PathArguments::AngleBracketed(args) = &segment.arguments else {
        return Vec::new();
    };
    args.args
        .iter()
        .filter_map(|arg| match arg {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
        .collect()
}

/// The one type argument of a segment that has exactly one.
pub(crate) fn sole_type_arg(segment: &PathSegment) -> Option<&Type> {
    match type_args(segment).as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// How a piece of source is spelled, for comparing two of them.
pub(crate) fn spelling(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

/// Whether the tokens name a lifetime or take a reference anywhere.
pub(crate) fn borrows(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => borrows(group.stream()),
        TokenTree::Punct(punct) => matches!(punct.as_char(), '\'' | '&'),
        _ => false,
    })
}

/// The identifier of a path expression that is nothing but one.
pub(crate) fn bare_ident(path: &ExprPath) -> Option<&Ident> {
    path.path.get_ident().filter(|_| path.qself.is_none())
}
