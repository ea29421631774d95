//! What is subscribed, and descriptor values whose type is read off how they are built.

use syn::parse::ParseStream;
use syn::{Expr, LitStr, Path, PathArguments, Result, Token, Type, TypePath, parse_quote};

use crate::refusal::{refusal, refuse};

/// What the attribute subscribes.
pub(crate) enum Source {
    /// By a name.
    Name(LitStr),
    /// By a descriptor type that the mount names.
    Kind(Type),
    /// By this descriptor value.
    Value(Built),
}

/// A value with the type it was built as.
pub(crate) struct Built {
    pub(crate) ty: Type,
    pub(crate) value: Expr,
}

const FORMS: &str = "a source is a name (`\"orders\"`), a descriptor type that the mount names \
                     (`OrdersStream`), or a descriptor whose type is visible where it is built: \
                     `OrdersStream::new(..)`, `OrdersStream { .. }`, either with builder calls after it";

impl Source {
    pub(crate) fn parse(input: ParseStream<'_>) -> Result<Self> {
        if let Some(kind) = parse_kind(input)? {
            return Ok(kind);
        }
        let value: Expr = input.parse()?;
        match ungrouped(&value) {
            Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Str(name) => Ok(Self::Name(name.clone())),
                other => refuse(other, format!("not a subscription source: {FORMS}")),
            },
            _ => match built_type(&value) {
                Some(ty) => Ok(Self::Value(Built { ty, value })),
                None => Err(not_a_source(&value)),
            },
        }
    }
}

/// A type path that is the whole source, generic arguments included.
fn parse_kind(input: ParseStream<'_>) -> Result<Option<Source>> {
    let ahead = input.fork();
    let ends_there = |at: ParseStream<'_>| at.is_empty() || at.peek(Token![,]);
    if ahead.parse::<TypePath>().is_err() || !ends_there(&ahead) {
        return Ok(None);
    }
    let kind: TypePath = input.parse()?;
    match kind.path.segments.last() {
        Some(last) if last.arguments.is_none() && is_screaming(&last.ident.to_string()) => refuse(
            &kind,
            format!(
                "`{name}` reads as a constant, and a bare path is a descriptor type: leave the source \
                 out and write `.name({name})` at the mount, or write the name as a string here (a \
                 type of this name needs an alias in CamelCase)",
                name = last.ident,
            ),
        ),
        _ => Ok(Some(Source::Kind(Type::Path(kind)))),
    }
}

fn is_screaming(name: &str) -> bool {
    name.chars().count() > 1
        && name.chars().any(char::is_uppercase)
        && name
            .chars()
            .all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_')
}

impl Built {
    /// Reads a constructor where no name and no bare type will do, as a start position.
    pub(crate) fn parse_position(input: ParseStream<'_>) -> Result<Self> {
        let value: Expr = input.parse()?;
        match built_type(&value) {
            Some(ty) => Ok(Self { ty, value }),
            None => refuse(
                &value,
                "the type of this start position is not visible: build it as `Position::new(..)` or \
                 `Position { .. }`, either with builder calls after it",
            ),
        }
    }
}

/// The type of a constructor expression; builder calls after it are taken to return the same type.
fn built_type(value: &Expr) -> Option<Type> {
    match ungrouped(value) {
        Expr::Struct(literal) => {
            let (qself, path) = (&literal.qself, &literal.path);
            Some(Type::Path(TypePath {
                attrs: Vec::new(),
                qself: qself.clone(),
                path: path.clone(),
            }))
        }
        Expr::MethodCall(call) => built_type(&call.receiver),
        Expr::Call(call) => match ungrouped(&call.func) {
            Expr::Path(function) => match &function.qself {
                Some(qself) => Some((*qself.ty).clone()),
                None => constructed_type(&function.path),
            },
            _ => None,
        },
        _ => None,
    }
}

/// `OrdersStream` of `orders::OrdersStream::new`; nothing of `orders::open`, a free function.
fn constructed_type(function: &Path) -> Option<Type> {
    let mut path = function.clone();
    path.segments.pop()?;
    let owner = path.segments.pop()?;
    let first = owner.ident.to_string().chars().next()?;
    if first.is_lowercase() && matches!(owner.arguments, PathArguments::None) {
        return None;
    }
    path.segments.push(owner);
    Some(parse_quote!(#path))
}

fn ungrouped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => ungrouped(&group.expr),
        other => other,
    }
}

fn not_a_source(value: &Expr) -> syn::Error {
    let free_function = match ungrouped(value) {
        Expr::Call(call) => match ungrouped(&call.func) {
            Expr::Path(function) => Some(function),
            _ => None,
        },
        _ => None,
    };
    match free_function {
        Some(function) => refusal(
            function,
            format!(
                "a free function hides the type of what it builds: {FORMS}; the clauses are {}",
                super::args::CLAUSES
            ),
        ),
        None => refusal(value, format!("not a subscription source: {FORMS}")),
    }
}
