//! `#[derive(Deserialized)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Data, DataStruct, DeriveInput, Field, Fields, GenericParam, LifetimeParam, Member, Path,
    Result, Type,
};

use super::wire::Wire;
use crate::path_kind::{named, plain};
use crate::refusal::{at, refuse};

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    let lifetime = sole_lifetime(item)?;
    let (error, construct) = match Wire::read(&item.attrs)? {
        Some(Wire {
            decode: Some(decode),
            ..
        }) => decoding(item, lifetime, &decode),
        Some(Wire { decode: None, .. }) => {
            return refuse(
                &item.ident,
                "`#[wire(..)]` has no `decode` half, which `Deserialized` needs: add `decode = path`",
            );
        }
        None => viewing(item, lifetime)?,
    };
    let ident = &item.ident;
    let header = lifetime.map(|_| quote!(<'__rs>));
    let owned = lifetime.map(|_| quote!(<'static>));
    let output = lifetime.map(|_| quote!(<'__rs_payload>));
    let lent = lifetime.map(|_| quote!(<'_>));
    Ok(quote! {
        impl #header ::ruststream::runtime::Deserialized for #ident #header {
            type Output<'__rs_payload> = #ident #output;
            type Error = #error;

            fn from_payload(
                __rs_payload: &[u8],
            ) -> ::core::result::Result<#ident #lent, Self::Error> {
                #construct
            }
        }

        impl #header ::ruststream::runtime::Input for #ident #header {
            type Axis = ::ruststream::runtime::SoloDeserialized<#ident #owned>;
        }
    })
}

/// The item's lifetime; anything more than one is refused.
fn sole_lifetime(item: &DeriveInput) -> Result<Option<&LifetimeParam>> {
    let mut found = None;
    for param in &item.generics.params {
        match param {
            GenericParam::Lifetime(lifetime) if found.is_none() => found = Some(lifetime),
            GenericParam::Lifetime(second) => {
                return refuse(
                    second,
                    "a view borrows from one place, the payload: keep one lifetime",
                );
            }
            GenericParam::Type(_) | GenericParam::Const(_) => {
                return refuse(
                    param,
                    "`Deserialized` builds one concrete type: remove this parameter (one lifetime may stay)",
                );
            }
        }
    }
    Ok(found)
}

/// `#[wire(decode = path)]`: the named function builds the value.
fn decoding(
    item: &DeriveInput,
    lifetime: Option<&LifetimeParam>,
    decode: &Path,
) -> (TokenStream, TokenStream) {
    let ident = &item.ident;
    let lent = lifetime.map(|_| quote!(<'_>));
    let error = quote! {
        ::std::boxed::Box<dyn ::std::error::Error + ::core::marker::Send + ::core::marker::Sync>
    };
    let construct = quote_spanned! {at(decode)=>
        let __rs_decoded: ::core::result::Result<#ident #lent, _> = #decode(__rs_payload);
        ::ruststream::runtime::DecodeOutcome::finish(__rs_decoded)
    };
    (error, construct)
}

/// No attribute: the one field is the payload.
fn viewing(
    item: &DeriveInput,
    lifetime: Option<&LifetimeParam>,
) -> Result<(TokenStream, TokenStream)> {
    const FORM: &str = "a view of the payload is a struct with one field of bytes, \
                        `struct Frame<'a>(&'a [u8]);`; a type that is built from the payload names its \
                        function, `#[wire(decode = path)]`";
    let Data::Struct(data) = &item.data else {
        return refuse(&item.ident, FORM);
    };
    let (member, field) = match sole_field(data) {
        Some(sole) => sole,
        None if data.fields.is_empty() => return refuse(&item.ident, FORM),
        None => return refuse(&data.fields, FORM),
    };
    let Some(lifetime) = lifetime else {
        return refuse(&field.ty, FORM);
    };
    if !is_payload(&field.ty, lifetime) {
        return refuse(&field.ty, FORM);
    }
    let ident = &item.ident;
    Ok((
        quote!(::core::convert::Infallible),
        quote!(::core::result::Result::Ok(#ident { #member: __rs_payload })),
    ))
}

/// The only field of a struct, and how to name it.
pub(super) fn sole_field(data: &DataStruct) -> Option<(Member, &Field)> {
    let field = match &data.fields {
        Fields::Named(fields) if fields.named.len() == 1 => &fields.named[0],
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => &fields.unnamed[0],
        _ => return None,
    };
    Some((
        field.ident.clone().map_or(Member::from(0), Member::from),
        field,
    ))
}

/// `&'a [u8]` over the item's own lifetime.
fn is_payload(ty: &Type, lifetime: &LifetimeParam) -> bool {
    let Type::Reference(reference) = plain(ty) else {
        return false;
    };
    let Type::Slice(slice) = plain(&reference.elem) else {
        return false;
    };
    reference.mutability.is_none()
        && named(&slice.elem, "u8").is_some()
        && reference.lifetime.to_token_stream().to_string() == lifetime.lifetime.to_string()
}
