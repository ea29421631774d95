//! `#[derive(Serialized)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Path, Result};

use super::deserialized::sole_field;
use super::wire::Wire;
use crate::refusal::{at, refuse};

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    if !item.generics.params.is_empty() || item.generics.where_clause.is_some() {
        return refuse(
            &item.generics,
            "`Serialized` writes one concrete type: remove the generics",
        );
    }
    let (error, write) = match Wire::read(&item.attrs)? {
        Some(Wire {
            encode: Some(encode),
            ..
        }) => encoding(&encode),
        Some(Wire { encode: None, .. }) => {
            return refuse(
                &item.ident,
                "`#[wire(..)]` has no `encode` half, which `Serialized` needs: add `encode = path`",
            );
        }
        None => lending(item)?,
    };
    let ident = &item.ident;
    Ok(quote! {
        impl ::ruststream::runtime::Serialized for #ident {
            type Error = #error;

            fn wire_bytes(
                &self,
                __rs_buf: &mut ::ruststream::BytesMut,
            ) -> ::core::result::Result<::ruststream::runtime::WireBytes<'_>, Self::Error> {
                #write
            }
        }

        impl ::ruststream::runtime::MessageWire for #ident {
            type Wire = ::ruststream::runtime::SerializedWire;
        }

        impl ::ruststream::runtime::ReplyShape for #ident {
            type Body = Self;
            type Headers = ();
            type Wire = ::ruststream::runtime::SerializedReply;
        }
    })
}

/// `#[wire(encode = path)]`: the named function writes into the buffer.
fn encoding(encode: &Path) -> (TokenStream, TokenStream) {
    let write = quote_spanned! {at(encode)=>
        ::ruststream::runtime::EncodeOutcome::finish(#encode(self, __rs_buf))?;
        ::core::result::Result::Ok(::ruststream::runtime::WireBytes::InBuffer)
    };
    (quote!(::ruststream::runtime::SerializePayloadError), write)
}

/// No attribute: the one field is the payload.
fn lending(item: &DeriveInput) -> Result<(TokenStream, TokenStream)> {
    const FORM: &str = "a message that is its own bytes is a struct with one field of them, \
                        `struct Blob(Vec<u8>);`; a type that writes its bytes names its function, \
                        `#[wire(encode = path)]`";
    let Data::Struct(data) = &item.data else {
        return refuse(&item.ident, FORM);
    };
    let member = match sole_field(data) {
        Some((member, _)) => member,
        None if data.fields.is_empty() => return refuse(&item.ident, FORM),
        None => return refuse(&data.fields, FORM),
    };
    let write = quote! {
        let _ = __rs_buf;
        let __rs_bytes: &[u8] = &self.#member;
        ::core::result::Result::Ok(::ruststream::runtime::WireBytes::Own(__rs_bytes))
    };
    Ok((quote!(::core::convert::Infallible), write))
}
