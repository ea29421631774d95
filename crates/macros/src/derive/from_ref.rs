//! `#[derive(FromRef)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Field, Fields, FieldsNamed, Result};

use super::options::{each_option, unknown};
use crate::path_kind::spelling;
use crate::refusal::{at, refuse};

const KEYS: &str = "`skip`";

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    let fields = named_fields(item)?;
    if !item.generics.params.is_empty() || item.generics.where_clause.is_some() {
        return refuse(
            &item.generics,
            "`FromRef` takes fields out of one concrete state: remove the generics",
        );
    }
    let mut taken: Vec<&Field> = Vec::new();
    for field in &fields.named {
        if is_skipped(field)? {
            continue;
        }
        if taken
            .iter()
            .any(|known| spelling(&known.ty) == spelling(&field.ty))
        {
            return refuse(
                &field.ty,
                format!(
                    "a second field of type `{}`: a handler asks by type, so mark one of them `#[from_ref(skip)]` \
                     or give it a type of its own",
                    spelling(&field.ty)
                ),
            );
        }
        taken.push(field);
    }
    if taken.is_empty() {
        return refuse(
            &item.ident,
            "no field is left to take: remove the derive, or a `#[from_ref(skip)]`",
        );
    }
    let state = &item.ident;
    let impls = taken.into_iter().map(|field| {
        let (name, ty) = (&field.ident, &field.ty);
        quote_spanned! {at(ty)=>
            impl ::ruststream::runtime::FromRef<#state> for #ty {
                fn from_ref(__rs_state: &#state) -> Self {
                    ::core::clone::Clone::clone(&__rs_state.#name)
                }
            }
        }
    });
    Ok(quote!(#(#impls)*))
}

fn named_fields(item: &DeriveInput) -> Result<&FieldsNamed> {
    match &item.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => Ok(fields),
            _ => refuse(
                &item.ident,
                "`FromRef` takes the fields of a state by type: name them, `struct State { pool: Pool }`",
            ),
        },
        _ => refuse(
            &item.ident,
            "`FromRef` takes the fields of a state: derive it on a struct with named fields",
        ),
    }
}

fn is_skipped(field: &Field) -> Result<bool> {
    let mut skipped = false;
    each_option(&field.attrs, "from_ref", KEYS, |key, _| {
        if key != "skip" {
            return unknown(key, KEYS);
        }
        skipped = true;
        Ok(())
    })?;
    Ok(skipped)
}
