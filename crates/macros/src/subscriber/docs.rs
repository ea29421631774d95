//! What a definition says about itself in the generated document, captured as data.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;

use super::params::{Param, Set, Slot};
use super::signature::{Handler, Returns, pair};
use crate::doc::description_tokens;
use crate::generics::with_lifetime;
use crate::refusal::at;

/// A call of the function that [`docs`] emits; `destination` is the reply's, or nothing.
pub(super) fn docs_call(destination: &TokenStream) -> TokenStream {
    quote!(__rs_docs(#destination))
}

/// The function that captures the documentation (MAC-37).
///
/// It asks through probes, which answer `None` where a type has nothing to say, so that no type is
/// required to be documented (MAC-38).
pub(super) fn docs(handler: &Handler) -> TokenStream {
    let description = description_tokens(&handler.attrs);
    let message = owned(&handler.message.ty);
    let (payload, headers) = match handler.message.pair() {
        Some((headers, body)) => (owned(body), schema(&owned(headers))),
        None => (
            message.clone(),
            typed_headers(handler).unwrap_or_else(|| contract(&message)),
        ),
    };
    let input_schema = schema(&payload);
    let payload = probe(&payload);
    let outgoing = outgoing(handler);
    let param = matches!(handler.returns, Returns::Reply { .. })
        .then(|| quote!(__rs_dest: ::ruststream::runtime::ResolvedDest));
    quote! {
        fn __rs_docs(#param) -> ::ruststream::runtime::ProbedDocs {
            #[allow(unused_imports)]
            use ::ruststream::__private::{
                NoHeadersSchemaProbe as _, NoMessageProbe as _, NoSchemaProbe as _, NoSerializedProbe as _,
            };
            ::ruststream::runtime::ProbedDocs {
                description: #description,
                input_schema: #input_schema,
                headers_schema: #headers,
                message_name: #payload.message_name(),
                message_description: #payload.message_description(),
                outgoing: #outgoing,
            }
        }
    }
}

fn owned(ty: &Type) -> TokenStream {
    let written = ty.to_token_stream();
    with_lifetime(written.clone(), &syn::parse_quote!('static)).unwrap_or(written)
}

fn probe(ty: &TokenStream) -> TokenStream {
    quote!(::ruststream::__private::Probe::<#ty>::new())
}

fn schema(ty: &TokenStream) -> TokenStream {
    let probe = probe(ty);
    quote!(#probe.schema_json())
}

/// The schema of the headers that the type's own declaration demands.
fn contract(ty: &TokenStream) -> TokenStream {
    let probe = probe(ty);
    quote!(#probe.headers_schema_json())
}

/// The schema of the first `Headers<T>` parameter.
fn typed_headers(handler: &Handler) -> Option<TokenStream> {
    handler.params.iter().find_map(|param| match param {
        Param::Headers(headers) => Some(schema(&headers.ty.to_token_stream())),
        _ => None,
    })
}

/// What leaves: the reply, then each slot's messages; `None` leaves it to the markers.
fn outgoing(handler: &Handler) -> TokenStream {
    let answer = match &handler.returns {
        Returns::Reply { reply, .. } => Some(answer(reply)),
        Returns::Outcome => None,
    };
    let narrowed = handler
        .slots()
        .any(|slot| !matches!(slot.set, Set::Unrestricted));
    if answer.is_none() && !narrowed {
        return quote!(::core::option::Option::None);
    }
    let answer = answer.map(|answer| quote!(__rs_outgoing.push(#answer);));
    let slots = handler
        .slots()
        .enumerate()
        .map(|(position, slot)| slot_lists(position, slot));
    quote! {{
        let mut __rs_outgoing: ::std::vec::Vec<::ruststream::runtime::OutgoingMessageMetadata> =
            ::std::vec::Vec::new();
        #answer
        #(#slots)*
        ::core::option::Option::Some(__rs_outgoing)
    }}
}

fn answer(reply: &Type) -> TokenStream {
    let written = reply.to_token_stream();
    let (payload, headers) = match pair(reply) {
        Some((headers, body)) => (body.to_token_stream(), schema(&headers.to_token_stream())),
        None => (written.clone(), contract(&written)),
    };
    let (payload_schema, payload_probe) = (schema(&payload), probe(&payload));
    quote! {
        ::ruststream::runtime::OutgoingMessageMetadata::new(
            ::ruststream::runtime::ResolvedDest::name(__rs_dest),
            ::core::any::type_name::<#payload>(),
        )
        .with_kind(::ruststream::runtime::OutgoingKind::Answer)
        .with_message_name(#payload_probe.message_name())
        .with_message_description(#payload_probe.message_description())
        .with_payload_schema(#payload_schema)
        .with_headers_schema(#headers)
        .with_serialized(#payload_probe.serialized_wire())
    }
}

/// What leaves through the slot at `position`, which each entry then says.
fn slot_lists(position: usize, slot: &Slot) -> TokenStream {
    let marker = slot.marker();
    let numbered = |list: &TokenStream| {
        quote! {
            __rs_outgoing.extend(#list.into_iter().map(|__rs_entry| __rs_entry.in_slot(#position)));
        }
    };
    let list = |ty: &Type| {
        numbered(&quote_spanned! {at(ty)=>
            <#ty as ::ruststream::runtime::OutMessages<#marker>>::outgoing()
        })
    };
    match &slot.set {
        Set::Unrestricted => {
            numbered(&quote!(<#marker as ::ruststream::runtime::OutSlot>::outgoing()))
        }
        Set::Defined(ty) => list(ty),
        Set::Listed(types) => types.iter().map(list).collect(),
    }
}
