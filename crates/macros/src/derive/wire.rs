//! `#[wire(..)]`: who reads and writes a type's bytes; `Deserialized` and `Serialized` share it.

use proc_macro2::Span;
use syn::{Attribute, Ident, Path, Result, parse_quote_spanned};

use super::options::{each_option, equals, path, unknown};
use crate::refusal::refuse;

/// The two halves of the attribute.
#[derive(Default)]
pub(super) struct Wire {
    pub(super) decode: Option<Path>,
    pub(super) encode: Option<Path>,
}

const KEYS: &str = "`decode = path`, `encode = path`, or `prost` for both";

impl Wire {
    /// Reads every `#[wire(..)]`; `None` when there is none.
    pub(super) fn read(attrs: &[Attribute]) -> Result<Option<Self>> {
        let Some(first) = attrs.iter().find(|attr| attr.path().is_ident("wire")) else {
            return Ok(None);
        };
        let mut wire = Self::default();
        each_option(attrs, "wire", KEYS, |key, input| {
            match key.to_string().as_str() {
                "prost" => {
                    let place = key.span().resolved_at(Span::call_site());
                    half(&mut wire.decode, key, || {
                        Ok(parse_quote_spanned!(place=> ::prost::Message::decode))
                    })?;
                    half(&mut wire.encode, key, || {
                        Ok(parse_quote_spanned!(place=> ::prost::Message::encode))
                    })
                }
                "decode" => {
                    equals(key, input, KEYS)?;
                    half(&mut wire.decode, key, || path(key, input, "a function"))
                }
                "encode" => {
                    equals(key, input, KEYS)?;
                    half(&mut wire.encode, key, || path(key, input, "a function"))
                }
                _ => unknown(key, KEYS),
            }
        })?;
        if wire.decode.is_none() && wire.encode.is_none() {
            return refuse(
                &first.meta,
                format!("`#[wire()]` says nothing: it takes {KEYS}"),
            );
        }
        Ok(Some(wire))
    }
}

fn half(slot: &mut Option<Path>, key: &Ident, value: impl FnOnce() -> Result<Path>) -> Result<()> {
    if slot.is_some() {
        return refuse(
            key,
            format!("`{key}` names a half that is already named: each of {KEYS} stands once"),
        );
    }
    *slot = Some(value()?);
    Ok(())
}
