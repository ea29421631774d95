//! Destination names with `{placeholders}`, and the address builder that fills them in.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, Ident, LitStr, Result};

use crate::generics::Header;
use crate::refusal::{refusal, refuse};

/// A destination name as the derive reads it.
pub(super) struct Template {
    pub(super) written: LitStr,
    /// The placeholders in order; none makes it a plain name.
    pub(super) placeholders: Vec<Placeholder>,
    /// The name with `{}` for each placeholder, a format string.
    format: String,
}

/// One `{placeholder}`.
pub(super) struct Placeholder {
    pub(super) name: Ident,
    /// The type that stands for it in a compile error.
    marker: Ident,
}

/// Methods of the builder that a setter may not be called.
const TAKEN: [&str; 1] = ["publish"];

impl Template {
    /// Splits `written` at its placeholders (MAC-52, MAC-55).
    pub(super) fn parse(written: LitStr) -> Result<Self> {
        let text = written.value();
        let mut placeholders: Vec<Placeholder> = Vec::new();
        let mut format = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['{', '}']) {
            let (plain, found) = rest.split_at(at);
            format.push_str(plain);
            let Some(opened) = found.strip_prefix('{') else {
                return refuse(
                    &written,
                    "`}` closes no placeholder: write `{name}`, or leave the brace out",
                );
            };
            let Some((name, after)) = opened.split_once('}') else {
                return refuse(
                    &written,
                    "`{` opens a placeholder that is not closed: write `{name}`",
                );
            };
            placeholders.push(Placeholder::parse(name, &placeholders, &written)?);
            format.push_str("{}");
            rest = after;
        }
        format.push_str(rest);
        Ok(Self {
            written,
            placeholders,
            format,
        })
    }

    /// The hidden module with the builder, and `TemplateAddress` for the message.
    pub(super) fn address(&self, item: &DeriveInput) -> TokenStream {
        let module = format_ident!("__rs_address_of_{}", item.ident);
        let builder = self.builder(item, &module);
        let ident = &item.ident;
        let header = Header::of(&item.generics);
        let (params, args, bounds) = (
            header.params(&quote!(__RsCont)),
            header.args(),
            header.bounds(),
        );
        let markers = self
            .placeholders
            .iter()
            .map(|placeholder| &placeholder.marker);
        let missing: Vec<TokenStream> = markers
            .map(|marker| quote!(::ruststream::runtime::MissingSegment<#module::#marker>))
            .collect();
        let fields = (0..missing.len()).map(segment);
        quote! {
            #builder

            impl #params ::ruststream::runtime::TemplateAddress<__RsCont> for #ident #args #bounds {
                type Builder = #module::__RsAddress<__RsCont, #(#missing),*>;

                fn begin(__rs_cont: __RsCont) -> Self::Builder {
                    #module::__RsAddress {
                        __rs_cont,
                        #(#fields: ::ruststream::runtime::MissingSegment::new(),)*
                    }
                }
            }
        }
    }

    fn builder(&self, item: &DeriveInput, module: &Ident) -> TokenStream {
        let vis = &item.vis;
        let count = self.placeholders.len();
        let states: Vec<Ident> = (0..count)
            .map(|index| format_ident!("__RsSegment{index}"))
            .collect();
        let fields: Vec<Ident> = (0..count).map(segment).collect();
        let markers = self.placeholders.iter().map(|placeholder| {
            let marker = &placeholder.marker;
            let doc = format!("The segment `{{{}}}`.", placeholder.name);
            quote! {
                #[doc = #doc]
                #[derive(::core::fmt::Debug)]
                pub struct #marker;
            }
        });
        let setters = (0..count).map(|index| self.setter(index, &states, &fields));
        let format = &self.format;
        let doc = format!(
            "The address of a `{}` while its segments are being bound.",
            item.ident
        );
        quote! {
            #[doc(hidden)]
            #[allow(non_snake_case, non_camel_case_types, unreachable_pub, dead_code, clippy::all)]
            #vis mod #module {
                #(#markers)*

                #[doc = #doc]
                #[must_use = "an address does nothing until `.publish()`"]
                pub struct __RsAddress<__RsCont, #(#states),*> {
                    pub(super) __rs_cont: __RsCont,
                    #(pub(super) #fields: #states,)*
                }

                impl<__RsCont, #(#states),*> ::core::fmt::Debug for __RsAddress<__RsCont, #(#states),*> {
                    fn fmt(&self, __rs_f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                        ::core::fmt::Formatter::debug_struct(__rs_f, "Address").finish_non_exhaustive()
                    }
                }

                #(#setters)*

                impl<__RsCont, #(#states),*> __RsAddress<__RsCont, #(#states),*> {
                    /// Publishes to the address that the bound segments make.
                    ///
                    /// # Errors
                    ///
                    /// As the publish that this address belongs to.
                    pub async fn publish(
                        self,
                    ) -> ::core::result::Result<
                        (),
                        ::ruststream::runtime::PublishError<<__RsCont as ::ruststream::runtime::PublishAt>::Error>,
                    >
                    where
                        __RsCont: ::ruststream::runtime::PublishAt,
                        #(#states: ::ruststream::runtime::BoundSegment,)*
                    {
                        let __rs_name = ::std::format!(#format, #(self.#fields),*);
                        ::ruststream::runtime::PublishAt::publish_at(self.__rs_cont, &__rs_name).await
                    }
                }
            }
        }
    }

    /// The method that binds one segment, whatever the others are.
    fn setter(&self, index: usize, states: &[Ident], fields: &[Ident]) -> TokenStream {
        let Placeholder { name, marker } = &self.placeholders[index];
        let doc = format!("Writes `value` into the name as its `{{{name}}}`, as it displays.");
        let others = states
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index)
            .map(|(_, state)| state);
        let with = |bound: TokenStream| {
            let args = states.iter().enumerate().map(move |(other, state)| {
                if other == index {
                    bound.clone()
                } else {
                    quote!(#state)
                }
            });
            quote!(__RsAddress<__RsCont, #(#args),*>)
        };
        let before = with(quote!(::ruststream::runtime::MissingSegment<#marker>));
        let after = with(quote!(::std::string::String));
        let moved = fields.iter().enumerate().map(|(other, field)| {
            if other == index {
                quote!(#field: ::std::string::ToString::to_string(&value))
            } else {
                quote!(#field: self.#field)
            }
        });
        quote! {
            impl<__RsCont, #(#others),*> #before {
                #[doc = #doc]
                pub fn #name(self, value: impl ::core::fmt::Display) -> #after {
                    __RsAddress { __rs_cont: self.__rs_cont, #(#moved),* }
                }
            }
        }
    }
}

fn segment(index: usize) -> Ident {
    format_ident!("__rs_segment_{index}")
}

impl Placeholder {
    fn parse(name: &str, before: &[Self], written: &LitStr) -> Result<Self> {
        if name.is_empty() {
            return refuse(written, "`{}` names no placeholder: write `{name}`");
        }
        let ident = match syn::parse_str::<Ident>(name) {
            Ok(ident) if ident == name && !name.starts_with("r#") => {
                Ident::new(name, written.span())
            }
            _ => {
                return refuse(
                    written,
                    format!(
                        "`{{{name}}}` becomes a method, so a placeholder is an identifier and no keyword: \
                         write for instance `{{segment}}`"
                    ),
                );
            }
        };
        if TAKEN.contains(&name) {
            return refuse(
                written,
                format!("`{{{name}}}` would hide the method that ends the publish: rename it"),
            );
        }
        let marker = marker(name);
        match before.iter().find(|other| other.marker == marker) {
            Some(other) if other.name == name => Err(refusal(
                written,
                format!("the placeholder `{{{name}}}` appears twice: each is bound once"),
            )),
            Some(other) => Err(refusal(
                written,
                format!(
                    "the placeholders `{{{}}}` and `{{{name}}}` are too alike, both are `{marker}`: rename one",
                    other.name
                ),
            )),
            None => Ok(Self {
                name: ident,
                marker: Ident::new(&marker, written.span()),
            }),
        }
    }
}

/// `tenant_id` as `TenantId`, always a type name.
fn marker(name: &str) -> String {
    let pascal: String = name
        .split('_')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .map(char::to_uppercase)
                .into_iter()
                .flatten()
                .chain(letters)
                .collect::<Vec<_>>()
        })
        .collect();
    match pascal.chars().next() {
        None => "Segment".to_owned(),
        Some(first) if first.is_numeric() => format!("Segment{pascal}"),
        _ if pascal == "Self" => "SelfSegment".to_owned(),
        _ => pascal,
    }
}
