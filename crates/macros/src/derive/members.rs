//! The shape that message sets share: an enum whose variants each wrap one message type.

use syn::{Data, DataEnum, DeriveInput, Fields, Ident, Result, Type, Variant};

use crate::path_kind::spelling;
use crate::refusal::refuse;

/// One variant of a set.
pub(super) struct Member<'a> {
    pub(super) variant: &'a Variant,
    pub(super) model: &'a Type,
}

impl Member<'_> {
    pub(super) fn name(&self) -> &Ident {
        &self.variant.ident
    }
}

/// The variants of the set `item`, or why it is none; `derive` is the derive's name.
pub(super) fn members<'a>(item: &'a DeriveInput, derive: &str) -> Result<Vec<Member<'a>>> {
    let Data::Enum(DataEnum { variants, .. }) = &item.data else {
        return refuse(
            &item.ident,
            format!(
                "`{derive}` makes a set of messages: derive it on an enum with one message type per variant"
            ),
        );
    };
    if !item.generics.params.is_empty() || item.generics.where_clause.is_some() {
        return refuse(
            &item.generics,
            format!("`{derive}` is one concrete set of messages: remove the generics"),
        );
    }
    let mut members: Vec<Member<'a>> = Vec::new();
    for variant in variants {
        let model = match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => &fields.unnamed[0].ty,
            _ => {
                return refuse(
                    variant,
                    format!(
                        "a variant wraps exactly one message type: write `{0}({0})`",
                        variant.ident
                    ),
                );
            }
        };
        if let Some(first) = members
            .iter()
            .find(|member| spelling(member.model) == spelling(model))
        {
            return refuse(
                model,
                format!(
                    "`{}` is already the variant `{}`: each message type has one variant",
                    spelling(model),
                    first.name()
                ),
            );
        }
        members.push(Member { variant, model });
    }
    Ok(members)
}
