//! Reading helper attributes: `#[name(key = value, ..)]`.

use proc_macro2::TokenTree;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Path, Result, Token, TypePath};

use crate::refusal::{refusal, refuse};

/// Hands each option of every `#[name(..)]` to `set`; `keys` describes the options in messages.
pub(super) fn each_option(
    attrs: &[Attribute],
    name: &str,
    keys: &str,
    mut set: impl FnMut(&Ident, ParseStream<'_>) -> Result<()>,
) -> Result<()> {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
        if attr.meta.require_list().is_err() {
            return refuse(&attr.meta, format!("`#[{name}(..)]` takes {keys}"));
        }
        attr.parse_args_with(|input: ParseStream<'_>| {
            while !input.is_empty() {
                let key = key(input, keys)?;
                set(&key, input)?;
                if !input.is_empty() && input.parse::<Option<Token![,]>>()?.is_none() {
                    return Err(input.error(format!("expected `,`; `#[{name}(..)]` takes {keys}")));
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn key(input: ParseStream<'_>, keys: &str) -> Result<Ident> {
    let place: Option<TokenTree> = input.cursor().token_stream().into_iter().next();
    input.call(Ident::parse_any).map_err(|error| {
        place.map_or(error, |token| {
            refusal(token, format!("not `key = value`: expected {keys}"))
        })
    })
}

/// The `=` between a key and its value.
pub(super) fn equals(key: &Ident, input: ParseStream<'_>, keys: &str) -> Result<()> {
    if input.parse::<Option<Token![=]>>()?.is_none() || input.is_empty() {
        return refuse(
            key,
            format!("`{key}` is not `key = value`: expected {keys}"),
        );
    }
    Ok(())
}

pub(super) fn once(free: bool, key: &Ident) -> Result<()> {
    if free {
        Ok(())
    } else {
        refuse(key, format!("`{key}` is given twice; write it once"))
    }
}

pub(super) fn unknown<T>(key: &Ident, keys: &str) -> Result<T> {
    refuse(key, format!("there is no `{key}`; expected {keys}"))
}

/// A value that must be a string literal.
pub(super) fn string(key: &Ident, input: ParseStream<'_>) -> Result<LitStr> {
    let value: Expr = input.parse()?;
    match ungrouped(&value) {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Ok(text.clone()),
        other => refuse(
            other,
            format!("`{key}` takes a string literal: `{key} = \"..\"`"),
        ),
    }
}

/// A value that must be the path of a type.
pub(super) fn type_path(key: &Ident, input: ParseStream<'_>, what: &str) -> Result<TypePath> {
    let ahead = input.fork();
    if ahead.parse::<TypePath>().is_ok() && (ahead.is_empty() || ahead.peek(Token![,])) {
        return input.parse();
    }
    refuse(
        input.parse::<Expr>()?,
        format!("`{key}` takes {what}: `{key} = Type`"),
    )
}

/// A value that must be a plain path.
pub(super) fn path(key: &Ident, input: ParseStream<'_>, what: &str) -> Result<Path> {
    let value: Expr = input.parse()?;
    match ungrouped(&value) {
        Expr::Path(path) if path.qself.is_none() => Ok(path.path.clone()),
        other => refuse(
            other,
            format!("`{key}` takes the path of {what}: `{key} = path`"),
        ),
    }
}

fn ungrouped(value: &Expr) -> &Expr {
    match value {
        Expr::Group(group) => ungrouped(&group.expr),
        other => other,
    }
}
