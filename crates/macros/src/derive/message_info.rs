//! `#[derive(MessageInfo)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Result, Type, parenthesized, token};

use super::options::{each_option, once, unknown};
use crate::doc::description_tokens;
use crate::generics::Header;
use crate::refusal::refuse;

const KEYS: &str = "`headers(Type)`";

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    let mut headers: Option<Type> = None;
    each_option(&item.attrs, "message", KEYS, |key, input| {
        if key != "headers" {
            return unknown(key, KEYS);
        }
        once(headers.is_none(), key)?;
        if !input.peek(token::Paren) {
            return refuse(
                key,
                format!("`headers` takes its type in parentheses: {KEYS}"),
            );
        }
        let content;
        parenthesized!(content in input);
        if content.is_empty() {
            return refuse(key, format!("`headers()` names no type: write {KEYS}"));
        }
        headers = Some(content.parse()?);
        if content.is_empty() {
            Ok(())
        } else {
            Err(content.error(format!("`headers` takes one type: {KEYS}")))
        }
    })?;
    Ok(declaration(item, headers.as_ref()))
}

/// `MessageInfo` and `MessageHeaders`, which `Outgoing` writes as well.
pub(super) fn declaration(item: &DeriveInput, headers: Option<&Type>) -> TokenStream {
    let ident = &item.ident;
    let name = ident.to_string();
    let name = name.trim_start_matches("r#");
    let description = description_tokens(&item.attrs);
    let contract = headers.map_or_else(
        || quote!(::ruststream::NoHeaders),
        |headers| quote!(::ruststream::WithHeaders<#headers>),
    );
    let header = Header::of(&item.generics);
    let (params, args, bounds) = (
        header.params(&TokenStream::new()),
        header.args(),
        header.bounds(),
    );
    quote! {
        impl #params ::ruststream::MessageInfo for #ident #args #bounds {
            const NAME: &'static str = #name;
            const DESCRIPTION: ::core::option::Option<&'static str> = #description;
        }

        impl #params ::ruststream::MessageHeaders for #ident #args #bounds {
            type Contract = #contract;
        }
    }
}
