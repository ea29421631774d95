//! `#[derive(OutMessages)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Result};

use super::members::{Member, members};
use crate::refusal::at;

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    let members = members(item, "OutMessages")?;
    let set = &item.ident;
    let contained = members.iter().enumerate().map(|(position, Member { model, .. })| {
        quote_spanned! {at(model)=>
            impl ::ruststream::runtime::ContainsMessage<#model, ::ruststream::runtime::SlotPos<#position>>
                for #set {}
        }
    });
    let models: Vec<_> = members.iter().map(|member| member.model).collect();
    let used = (!members.is_empty()).then(|| used(item, &members));
    Ok(quote! {
        #(#contained)*

        impl<__RsMarker: ::ruststream::runtime::OutSlot> ::ruststream::runtime::OutMessages<__RsMarker> for #set
        where
            #(#models: ::ruststream::runtime::OutMessages<__RsMarker>,)*
        {
            fn outgoing() -> ::std::vec::Vec<::ruststream::runtime::OutgoingMessageMetadata> {
                #[allow(unused_mut)]
                let mut __rs_outgoing = ::std::vec::Vec::new();
                #(
                    __rs_outgoing.append(&mut <#models as ::ruststream::runtime::OutMessages<__RsMarker>>::outgoing());
                )*
                __rs_outgoing
            }
        }

        #used
    })
}

/// A set is never constructed; this keeps its variants and models from being reported as dead.
fn used(item: &DeriveInput, members: &[Member<'_>]) -> TokenStream {
    let set = &item.ident;
    let models = members.iter().map(|member| member.model);
    let variants = members.iter().map(Member::name);
    let read = members.iter().map(Member::name);
    quote! {
        const _: () = {
            #(let _: fn(#models) -> #set = #set::#variants;)*

            #[allow(dead_code)]
            fn __rs_read(__rs_set: #set) {
                match __rs_set { #(#set::#read(__rs_model) => {})* }
            }
        };
    }
}
