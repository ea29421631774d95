//! `#[derive(InMessages)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{DeriveInput, Ident, LitByteStr, LitStr, Path, Result, TypePath};

use super::members::{Member, members};
use super::options::{each_option, equals, once, path, string, type_path, unknown};
use crate::path_kind::borrows;
use crate::refusal::{at, refuse};

/// How a delivery's variant is found.
enum Rule {
    /// The first that decodes.
    Trial,
    /// A function over the delivery.
    Function(Path),
    /// A type that reads the payload through the codec.
    Codec(TypePath),
    /// A header, with one value per variant.
    Header(LitStr, Vec<LitStr>),
}

const KEYS: &str = "`discriminate = path`, `discriminate_with_codec = Type`, or `header = \"..\"`";
const VARIANT_KEYS: &str = "`value = \"..\"`";

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    let members = members(item, "InMessages")?;
    if members.is_empty() {
        return refuse(
            &item.ident,
            "a set without variants decodes nothing: add one variant per message type",
        );
    }
    for member in &members {
        if borrows(member.model.to_token_stream()) {
            return refuse(
                member.model,
                "a model of a set owns its data: the set outlives the payload, so no reference and no \
                 lifetime argument",
            );
        }
    }
    let rule = Rule::read(item, &members)?;
    Ok(Set {
        item,
        members: &members,
        kind: format_ident!("{}Kind", item.ident),
    }
    .emit(&rule))
}

impl Rule {
    fn read(item: &DeriveInput, members: &[Member<'_>]) -> Result<Self> {
        let (mut function, mut codec, mut header) = (None, None, None);
        each_option(&item.attrs, "in_messages", KEYS, |key, input| {
            match key.to_string().as_str() {
                "discriminate" => {
                    once(function.is_none(), key)?;
                    equals(key, input, KEYS)?;
                    function = Some(path(
                        key,
                        input,
                        "a function from the delivery to the kind",
                    )?);
                    Ok(())
                }
                "discriminate_with_codec" => {
                    once(codec.is_none(), key)?;
                    equals(key, input, KEYS)?;
                    codec = Some(type_path(key, input, "a `CodecDiscriminator` type")?);
                    Ok(())
                }
                "header" => {
                    once(header.is_none(), key)?;
                    equals(key, input, KEYS)?;
                    header = Some(string(key, input)?);
                    Ok(())
                }
                "value" => refuse(
                    key,
                    "`value` belongs to a variant: the set itself names the header, `header = \"..\"`",
                ),
                _ => unknown(key, KEYS),
            }
        })?;
        let values = values(members)?;
        match (function, codec, header) {
            (Some(_), Some(codec), _) => two("discriminate", "discriminate_with_codec", codec),
            (Some(_), None, Some(header)) => two("discriminate", "header", header),
            (None, Some(_), Some(header)) => two("discriminate_with_codec", "header", header),
            (None, None, Some(header)) => Self::header(header, members, values),
            (function, codec, None) => {
                if let Some(value) = values.into_iter().flatten().next() {
                    return refuse(
                        value,
                        "`value` is the value of a header, and the set names none: add `#[in_messages(header = \
                         \"..\")]` to the enum",
                    );
                }
                Ok(match (function, codec) {
                    (Some(function), _) => Self::Function(function),
                    (_, Some(codec)) => Self::Codec(codec),
                    _ => Self::Trial,
                })
            }
        }
    }

    fn header(header: LitStr, members: &[Member<'_>], values: Vec<Option<LitStr>>) -> Result<Self> {
        let mut known: Vec<LitStr> = Vec::new();
        for (member, value) in members.iter().zip(values) {
            let Some(value) = value else {
                return refuse(
                    member.variant,
                    format!(
                        "which value of the `{}` header is `{}`? add `#[in_messages(value = \"..\")]`",
                        header.value(),
                        member.name()
                    ),
                );
            };
            if let Some(position) = known
                .iter()
                .position(|other| other.value() == value.value())
            {
                return refuse(
                    &value,
                    format!(
                        "\"{}\" is already the value of `{}`: give each variant its own",
                        value.value(),
                        members[position].name()
                    ),
                );
            }
            known.push(value);
        }
        Ok(Self::Header(header, known))
    }
}

fn two(first: &str, second: &str, place: impl ToTokens) -> Result<Rule> {
    refuse(
        place,
        format!("`{first}` and `{second}` both choose the variant: keep one of them"),
    )
}

/// The value each variant names.
fn values(members: &[Member<'_>]) -> Result<Vec<Option<LitStr>>> {
    let of = |member: &Member<'_>| {
        let mut value = None;
        each_option(
            &member.variant.attrs,
            "in_messages",
            VARIANT_KEYS,
            |key, input| {
                if key != "value" {
                    return unknown(key, VARIANT_KEYS);
                }
                once(value.is_none(), key)?;
                equals(key, input, VARIANT_KEYS)?;
                value = Some(string(key, input)?);
                Ok(())
            },
        )?;
        Ok(value)
    };
    members.iter().map(of).collect()
}

/// The set being written.
struct Set<'a> {
    item: &'a DeriveInput,
    members: &'a [Member<'a>],
    kind: Ident,
}

impl Set<'_> {
    fn name(&self) -> String {
        self.item
            .ident
            .to_string()
            .trim_start_matches("r#")
            .to_owned()
    }

    fn emit(&self, rule: &Rule) -> TokenStream {
        let set = &self.item.ident;
        let kind = self.kind_enum();
        let variants_of = self.members.iter().map(|Member { variant, model }| {
            quote_spanned!(at(variant)=> impl ::ruststream::runtime::VariantOf<#set> for #model {})
        });
        let declaration =
            quote_spanned!(at(set)=> impl ::ruststream::runtime::MessageDeclaration for #set {});
        let decodes = self.decodes(rule);
        quote! {
            #kind

            impl ::ruststream::runtime::Input for #set {
                type Axis = ::ruststream::runtime::SoloSet<#set>;
            }

            #declaration
            #(#variants_of)*
            #decodes
        }
    }

    fn kind_enum(&self) -> TokenStream {
        let (vis, kind) = (&self.item.vis, &self.kind);
        let doc = format!("Which message of [`{}`] a delivery is.", self.name());
        let variants = self.members.iter().map(|member| {
            let name = member.name();
            let doc = format!("[`{}::{name}`].", self.name());
            quote!(#[doc = #doc] #name)
        });
        quote! {
            #[doc = #doc]
            #[derive(
                ::core::fmt::Debug,
                ::core::clone::Clone,
                ::core::marker::Copy,
                ::core::cmp::PartialEq,
                ::core::cmp::Eq,
                ::core::hash::Hash,
            )]
            #[allow(dead_code)]
            #vis enum #kind { #(#variants),* }
        }
    }

    /// The set impl: of `DecodeSet` for the codecs a discriminator takes, else of `InMessages`.
    fn decodes(&self, rule: &Rule) -> TokenStream {
        let (set, kind) = (&self.item.ident, &self.kind);
        let incoming = self.incoming(rule);
        let signature = quote! {
            __rs_codec: &__RsCodec,
            __rs_message: &__RsMessage,
        };
        let result = quote!(::core::result::Result<Self, ::ruststream::codec::CodecError>);
        let choose = self.choose(rule);
        if let Rule::Codec(discriminator) = rule {
            return quote! {
                impl<__RsCodec> ::ruststream::runtime::DecodeSet<__RsCodec> for #set
                where
                    __RsCodec: ::ruststream::codec::Codec,
                    #discriminator: ::ruststream::runtime::CodecDiscriminator<#kind, __RsCodec>,
                {
                    fn decode<__RsMessage: ::ruststream::IncomingMessage>(#signature) -> #result {
                        #choose
                    }

                    #incoming
                }
            };
        }
        quote! {
            impl ::ruststream::runtime::InMessages for #set {
                type Kind = #kind;

                fn decode<__RsCodec, __RsMessage>(#signature) -> #result
                where
                    __RsCodec: ::ruststream::codec::Codec,
                    __RsMessage: ::ruststream::IncomingMessage,
                {
                    #choose
                }

                #incoming
            }
        }
    }

    /// The body of `decode`.
    fn choose(&self, rule: &Rule) -> TokenStream {
        let (name, kind) = (self.name(), &self.kind);
        match rule {
            Rule::Trial => self.trial(),
            Rule::Function(function) => {
                let chosen = quote_spanned!(at(function)=> #function(__rs_message));
                self.by_kind(&chosen)
            }
            Rule::Codec(discriminator) => self.by_kind(&quote! {
                <#discriminator as ::ruststream::runtime::CodecDiscriminator<#kind, __RsCodec>>::kind(
                    __rs_codec,
                    __rs_message,
                )
            }),
            Rule::Header(header, values) => {
                let bytes = values.iter().map(|value| LitByteStr::new(value.value().as_bytes(), value.span()));
                let decodes = self.members.iter().map(|member| self.decode(member));
                quote! {
                    let ::core::option::Option::Some(__rs_value) = ::ruststream::HeaderMap::get(
                        ::ruststream::IncomingMessage::headers(__rs_message),
                        #header,
                    ) else {
                        return ::core::result::Result::Err(
                            ::ruststream::__private::in_messages::header_missing(#name, #header),
                        );
                    };
                    match __rs_value {
                        #(#bytes => #decodes,)*
                        __rs_unknown => ::core::result::Result::Err(
                            ::ruststream::__private::in_messages::header_unknown(
                                #name, #header, __rs_unknown, &[#(#values),*],
                            ),
                        ),
                    }
                }
            }
        }
    }

    fn trial(&self) -> TokenStream {
        let name = self.name();
        let failures: Vec<Ident> = (0..self.members.len())
            .map(|index| format_ident!("__rs_failure{index}"))
            .collect();
        let labels = self.members.iter().map(|member| member.name().to_string());
        let tries = self.members.iter().zip(&failures).map(|(member, failure)| {
            let decode = self.decode(member);
            quote! {
                let #failure = match #decode {
                    ::core::result::Result::Err(__rs_failure) => __rs_failure,
                    __rs_decoded => return __rs_decoded,
                };
            }
        });
        quote! {
            #(#tries)*
            ::core::result::Result::Err(::ruststream::__private::in_messages::every_variant_failed(
                #name,
                [#((#labels, #failures)),*],
            ))
        }
    }

    fn by_kind(&self, chosen: &TokenStream) -> TokenStream {
        let (name, kind) = (self.name(), &self.kind);
        let arms = self.members.iter().map(|member| {
            let (variant, decode) = (member.name(), self.decode(member));
            quote!(::core::option::Option::Some(#kind::#variant) => #decode)
        });
        quote! {
            let __rs_chosen: ::core::option::Option<#kind> = #chosen;
            match __rs_chosen {
                #(#arms,)*
                ::core::option::Option::None => ::core::result::Result::Err(
                    ::ruststream::__private::in_messages::no_variant_chosen(#name),
                ),
            }
        }
    }

    /// One variant's own decode, as a `Result` of the set.
    fn decode(&self, member: &Member<'_>) -> TokenStream {
        let (set, variant, model) = (&self.item.ident, member.name(), member.model);
        quote_spanned! {at(member.variant)=>
            <#model as ::ruststream::runtime::InVariant<#set>>::decode_variant(
                __rs_codec,
                ::ruststream::IncomingMessage::payload(__rs_message),
            )
            .map(#set::#variant)
        }
    }

    fn incoming(&self, rule: &Rule) -> TokenStream {
        let set = &self.item.ident;
        let entries = self.members.iter().enumerate().map(|(position, member)| {
            let model = member.model;
            let probe = quote!(::ruststream::__private::Probe::<#model>::new());
            let discriminator = match rule {
                Rule::Header(header, values) => {
                    let value = &values[position];
                    Some(quote! {
                        .with_discriminator(::ruststream::runtime::HeaderDiscriminator::new(#header, #value))
                    })
                }
                _ => None,
            };
            quote_spanned! {at(member.variant)=>
                <#model as ::ruststream::runtime::InVariant<#set>>::describe()
                    .with_payload_schema(#probe.schema_json())
                    .with_headers_schema(#probe.headers_schema_json())
                    #discriminator
            }
        });
        quote! {
            fn incoming() -> ::std::vec::Vec<::ruststream::runtime::IncomingMessageMetadata> {
                #[allow(unused_imports)]
                use ::ruststream::__private::{NoHeadersSchemaProbe as _, NoSchemaProbe as _};
                ::std::vec![#(#entries),*]
            }
        }
    }
}
