//! `#[derive(OutSlot)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::{Data, DeriveInput, Fields, Result, Token, Type};

use crate::path_kind::spelling;
use crate::refusal::{at, refuse};

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    refuse_shape(item)?;
    let listed = listed(item)?;
    let marker = &item.ident;
    let name = marker.to_string();
    let name = name.trim_start_matches("r#");
    let published = listed.iter().map(|ty| {
        quote_spanned!(at(ty)=> impl ::ruststream::runtime::PublishedThrough<#marker> for #ty {})
    });
    let destination = if listed.is_empty() {
        quote!(::ruststream::runtime::Reads)
    } else {
        let list = listed
            .iter()
            .rev()
            .fold(quote!(()), |tail, head| quote!((#head, #tail)));
        quote!(<#list as ::ruststream::runtime::ListOffer>::Offer)
    };
    let outgoing = (!listed.is_empty()).then(|| {
        let lists = listed.iter().map(|ty| {
            quote_spanned! {at(ty)=>
                __rs_outgoing.append(&mut <#ty as ::ruststream::runtime::OutMessages<Self>>::outgoing());
            }
        });
        quote! {
            fn outgoing() -> ::std::vec::Vec<::ruststream::runtime::OutgoingMessageMetadata> {
                let mut __rs_outgoing = ::std::vec::Vec::new();
                #(#lists)*
                __rs_outgoing
            }
        }
    });
    Ok(quote! {
        impl ::ruststream::OutSlot for #marker {
            const NAME: &'static str = #name;
            type Destination = #destination;
            #outgoing
        }

        #(#published)*
    })
}

fn refuse_shape(item: &DeriveInput) -> Result<()> {
    const FORM: &str = "a slot marker is a unit struct: `struct Audit;`";
    let Data::Struct(data) = &item.data else {
        return refuse(&item.ident, FORM);
    };
    if !item.generics.params.is_empty() || item.generics.where_clause.is_some() {
        return refuse(&item.generics, format!("{FORM}, without generics"));
    }
    match &data.fields {
        Fields::Unit => Ok(()),
        fields => refuse(fields, format!("{FORM}, without fields")),
    }
}

fn listed(item: &DeriveInput) -> Result<Vec<Type>> {
    let mut listed: Vec<Type> = Vec::new();
    for attr in item
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("publishes"))
    {
        if attr.meta.require_list().is_err() {
            return refuse(
                &attr.meta,
                "`publishes` lists message types: `#[publishes(A, B)]`",
            );
        }
        let types = attr.parse_args_with(Punctuated::<Type, Token![,]>::parse_terminated)?;
        if types.is_empty() {
            return refuse(
                &attr.meta,
                "`publishes` lists nothing: name the message types, `#[publishes(A, B)]`",
            );
        }
        for ty in types {
            if listed.iter().any(|known| spelling(known) == spelling(&ty)) {
                return refuse(
                    &ty,
                    format!(
                        "`{}` is listed twice for this slot: remove one",
                        spelling(&ty)
                    ),
                );
            }
            listed.push(ty);
        }
    }
    Ok(listed)
}
