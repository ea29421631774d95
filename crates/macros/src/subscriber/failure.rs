//! The `on_failure(..)` clause.

use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Error, Expr, Ident, Result, Token, parenthesized, token};

use super::args::once;
use crate::path_kind::bare_ident;
use crate::refusal::refuse;

/// The policies the clause names; what it leaves out keeps the default.
pub(crate) struct OnFailure {
    pub(crate) panic: Option<Policy>,
    pub(crate) decode: Option<Policy>,
}

/// One policy.
pub(crate) enum Policy {
    FailFast,
    Drop,
    Retry,
    Skip,
    RetryAfter(Expr),
    /// A `FailurePolicy` value of the user's.
    Value(Expr),
}

const KEYS: &str = "`panic = policy` and `decode = policy`";
const VOCABULARY: &str =
    "`fail_fast`, `drop`, `retry`, `retry_after(delay)`, `skip`, or a `FailurePolicy` value";

impl OnFailure {
    pub(super) fn parse(word: &Ident, input: ParseStream<'_>) -> Result<Self> {
        if !input.peek(token::Paren) {
            return refuse(
                word,
                format!("`{word}` takes an argument: {KEYS}, one or both"),
            );
        }
        let content;
        parenthesized!(content in input);
        if content.is_empty() {
            return Err(Error::new(
                content.span(),
                format!("`{word}(..)` names nothing: write {KEYS}, one or both"),
            ));
        }
        let mut policies = Self {
            panic: None,
            decode: None,
        };
        while !content.is_empty() {
            let Ok(key) = content.call(Ident::parse_any) else {
                return Err(content.error(format!("expected {KEYS}")));
            };
            let slot = match key.to_string().as_str() {
                "panic" => &mut policies.panic,
                "decode" => &mut policies.decode,
                other => {
                    return refuse(
                        &key,
                        format!("`on_failure` has no `{other}`; it takes {KEYS}"),
                    );
                }
            };
            once(slot.is_none(), &key)?;
            if content.parse::<Option<Token![=]>>()?.is_none() {
                return refuse(
                    &key,
                    format!("`{key}` needs a policy: write `{key} = ..` with {VOCABULARY}"),
                );
            }
            *slot = Some(Policy::parse(&content)?);
            if !content.is_empty() && content.parse::<Option<Token![,]>>()?.is_none() {
                return Err(content.error(format!("expected `,` between {KEYS}")));
            }
        }
        Ok(policies)
    }
}

impl Policy {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.is_empty() {
            return Err(Error::new(
                input.span(),
                format!("expected a policy: {VOCABULARY}"),
            ));
        }
        let value: Expr = input.parse()?;
        match &value {
            Expr::Path(path) => match bare_ident(path) {
                Some(word) => Self::word(word, &value),
                None => Ok(Self::Value(value)),
            },
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) if path.path.is_ident("retry_after") => {
                    let mut delays = call.args.iter();
                    match (delays.next(), delays.next()) {
                        (Some(delay), None) => Ok(Self::RetryAfter(delay.clone())),
                        _ => refuse(&value, "`retry_after(delay)` takes exactly one delay"),
                    }
                }
                _ => Ok(Self::Value(value)),
            },
            _ => Ok(Self::Value(value)),
        }
    }

    fn word(word: &Ident, value: &Expr) -> Result<Self> {
        let text = word.to_string();
        match text.as_str() {
            "fail_fast" => Ok(Self::FailFast),
            "drop" => Ok(Self::Drop),
            "retry" => Ok(Self::Retry),
            "skip" => Ok(Self::Skip),
            "retry_after" => refuse(
                word,
                "`retry_after` needs its delay: write `retry_after(delay)`",
            ),
            // A constant is not spelled so; a misspelt policy is.
            _ if text.chars().all(|c| c.is_ascii_lowercase() || c == '_') => refuse(
                word,
                format!("`{word}` is no failure policy; one is {VOCABULARY}"),
            ),
            _ => Ok(Self::Value(value.clone())),
        }
    }
}
