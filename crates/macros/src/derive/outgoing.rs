//! `#[derive(Outgoing)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Result, Type};

use super::message_info::declaration;
use super::options::{each_option, equals, once, string, unknown};
use super::template::Template;
use crate::generics::Header;

/// What the attributes say.
#[derive(Default)]
struct Options {
    name: Option<Template>,
    headers: Option<Type>,
}

const KEYS: &str = "`name = \"..\"` or `headers = Type`";

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    let options = Options::read(item)?;
    let declared = declaration(item, options.headers.as_ref());
    let destination = options.destination(item);
    let address = options
        .name
        .as_ref()
        .filter(|name| !name.placeholders.is_empty())
        .map(|template| template.address(item));
    let sets = sets(item, options.name.is_some());
    Ok(quote! {
        #destination
        #declared
        #sets
        #address
    })
}

impl Options {
    fn read(item: &DeriveInput) -> Result<Self> {
        let mut options = Self::default();
        each_option(&item.attrs, "outgoing", KEYS, |key, input| {
            match key.to_string().as_str() {
                "name" => {
                    once(options.name.is_none(), key)?;
                    equals(key, input, KEYS)?;
                    options.name = Some(Template::parse(string(key, input)?)?);
                    Ok(())
                }
                "headers" => {
                    once(options.headers.is_none(), key)?;
                    equals(key, input, KEYS)?;
                    options.headers = Some(input.parse()?);
                    Ok(())
                }
                _ => unknown(key, KEYS),
            }
        })?;
        Ok(options)
    }

    fn destination(&self, item: &DeriveInput) -> TokenStream {
        let (form, name, placeholders) = match &self.name {
            None => (quote!(CallerName), quote!(""), Vec::new()),
            Some(template) => {
                let placeholders: Vec<String> = template
                    .placeholders
                    .iter()
                    .map(|placeholder| placeholder.name.to_string())
                    .collect();
                let form = if placeholders.is_empty() {
                    quote!(FixedName)
                } else {
                    quote!(NameTemplate)
                };
                let name = &template.written;
                (form, quote!(#name), placeholders)
            }
        };
        let ident = &item.ident;
        let header = Header::of(&item.generics);
        let (params, args, bounds) = (
            header.params(&TokenStream::new()),
            header.args(),
            header.bounds(),
        );
        quote! {
            impl #params ::ruststream::OutgoingDestination for #ident #args #bounds {
                type Form = ::ruststream::#form;
                const DESTINATION: &'static str = #name;
                const PARAMETERS: &'static [&'static str] = &[#(#placeholders),*];
            }
        }
    }
}

/// The type as a message set of its own (MAC-53).
fn sets(item: &DeriveInput, named: bool) -> TokenStream {
    let ident = &item.ident;
    let header = Header::of(&item.generics);
    let (params, args, bounds) = (
        header.params(&TokenStream::new()),
        header.args(),
        header.bounds(),
    );
    let with_marker = header.params(&quote!(__RsMarker: ::ruststream::runtime::OutSlot));
    let list = if named {
        quote! {
            #[allow(unused_imports)]
            use ::ruststream::__private::{
                NoHeadersSchemaProbe as _, NoSchemaProbe as _, NoSerializedProbe as _,
            };
            let __rs_probe = ::ruststream::__private::Probe::<Self>::new();
            ::std::vec![
                ::ruststream::runtime::OutgoingMessageMetadata::new(
                    <Self as ::ruststream::OutgoingDestination>::DESTINATION,
                    ::core::any::type_name::<Self>(),
                )
                .with_parameters(<Self as ::ruststream::OutgoingDestination>::PARAMETERS)
                .with_message_name(::core::option::Option::Some(<Self as ::ruststream::MessageInfo>::NAME))
                .with_message_description(<Self as ::ruststream::MessageInfo>::DESCRIPTION)
                .with_payload_schema(__rs_probe.schema_json())
                .with_headers_schema(__rs_probe.headers_schema_json())
                .with_serialized(__rs_probe.serialized_wire())
            ]
        }
    } else {
        quote!(::std::vec::Vec::new())
    };
    quote! {
        impl #params ::ruststream::runtime::ContainsMessage<Self, ::ruststream::runtime::SlotPos<0>>
            for #ident #args #bounds {}

        impl #with_marker ::ruststream::runtime::OutMessages<__RsMarker> for #ident #args #bounds {
            fn outgoing() -> ::std::vec::Vec<::ruststream::runtime::OutgoingMessageMetadata> {
                #list
            }
        }
    }
}
