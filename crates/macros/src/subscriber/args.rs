//! The arguments of `#[subscriber(..)]`: a source and clauses.

use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, ExprLit, Ident, Lit, Result, Token, parenthesized, token};

use super::failure::OnFailure;
use super::source::{Built, Source};
use crate::path_kind::bare_ident;
use crate::refusal::{refusal, refuse};

/// What the attribute says.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) source: Option<Source>,
    pub(crate) reply: Option<Reply>,
    pub(crate) concurrency: Option<Concurrency>,
    pub(crate) on_failure: Option<OnFailure>,
    pub(crate) start_at: Option<Built>,
}

/// `reply` or `reply(destination)`, under either spelling.
pub(crate) struct Reply {
    pub(crate) destination: Option<Expr>,
}

/// `workers(..)` or `threads(..)`.
pub(crate) struct Concurrency {
    pub(crate) keyword: Ident,
    pub(crate) place: Place,
    pub(crate) count: Expr,
    pub(crate) by_key: Option<Ident>,
}

/// Where handlers run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Runtime,
    Threads,
}

/// The accepted clauses, for messages.
pub(super) const CLAUSES: &str = "`reply`, `reply(\"name\")` (or `publish` for either), `workers(n)`, \
                                  `threads(n)`, `on_failure(..)` and `start_at(..)`";

/// Words that open a clause, or are refused as one, wherever they stand (MAC-11).
const WORDS: [&str; 7] = [
    "on_failure",
    "publish",
    "publish_raw",
    "reply",
    "start_at",
    "threads",
    "workers",
];

impl Parse for Args {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut args = Self::default();
        if input.is_empty() {
            return Ok(args);
        }
        if !opens_clause(input) {
            args.source = Some(Source::parse(input)?);
            separator(input)?;
        }
        while !input.is_empty() {
            args.clause(input)?;
            separator(input)?;
        }
        Ok(args)
    }
}

fn opens_clause(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    ahead
        .parse::<Ident>()
        .is_ok_and(|word| WORDS.iter().any(|known| word == known))
        && (ahead.is_empty() || ahead.peek(Token![,]) || ahead.peek(token::Paren))
}

fn separator(input: ParseStream<'_>) -> Result<()> {
    if input.is_empty() || input.parse::<Option<Token![,]>>()?.is_some() {
        return Ok(());
    }
    Err(input.error(format!(
        "expected `,` before the next clause; the clauses are {CLAUSES}"
    )))
}

impl Args {
    fn clause(&mut self, input: ParseStream<'_>) -> Result<()> {
        let Ok(word) = input.call(Ident::parse_any) else {
            return Err(input.error(format!("expected a clause: {CLAUSES}")));
        };
        match word.to_string().as_str() {
            "reply" | "publish" => self.reply(&word, input),
            "workers" => self.concurrency(word, Place::Runtime, input),
            "threads" => self.concurrency(word, Place::Threads, input),
            "on_failure" => {
                once(self.on_failure.is_none(), &word)?;
                self.on_failure = Some(OnFailure::parse(&word, input)?);
                Ok(())
            }
            "start_at" => self.start_at(&word, input),
            "batch" => refuse(
                &word,
                "`batch` is said where the handler is mounted, `b.include(handler.batch(nonzero!(64)))`",
            ),
            setting @ ("max_attempts" | "dead_letter") => refuse(
                &word,
                format!(
                    "`{setting}` is said where the handler is mounted, \
                     `b.include(handler).max_attempts(nonzero!(3u32)).dead_letter(\"..\")`"
                ),
            ),
            unknown => refuse(
                &word,
                format!("there is no clause `{unknown}`; the clauses are {CLAUSES}"),
            ),
        }
    }

    fn reply(&mut self, word: &Ident, input: ParseStream<'_>) -> Result<()> {
        if self.reply.is_some() {
            return refuse(
                word,
                format!(
                    "`{word}` says a second time where the reply goes: `reply` and `publish` are one \
                     clause, written once"
                ),
            );
        }
        let mut destination = None;
        if input.peek(token::Paren) {
            let content;
            parenthesized!(content in input);
            if content.is_empty() {
                return refuse(
                    word,
                    format!(
                        "`{word}()` names no destination: write `{word}(\"name\")`, or `{word}` alone for \
                         a reply type that fixes its own"
                    ),
                );
            }
            destination = Some(content.parse()?);
            end(&content, || format!("`{word}(..)` takes one destination"))?;
        }
        self.reply = Some(Reply { destination });
        Ok(())
    }

    fn concurrency(&mut self, keyword: Ident, place: Place, input: ParseStream<'_>) -> Result<()> {
        if let Some(first) = &self.concurrency {
            return refuse(
                &keyword,
                format!(
                    "`{keyword}(..)` after `{}(..)`: both say how many messages are handled at once, so \
                     a subscriber has one of them, once",
                    first.keyword
                ),
            );
        }
        let forms = format!("`{keyword}(n)` or `{keyword}(n, by_key)`");
        let content = arguments(&keyword, &forms, input)?;
        let count: Expr = content.parse()?;
        refuse_zero(&keyword, &count)?;
        if matches!(&count, Expr::Path(path) if bare_ident(path).is_some_and(|word| word == "by_key"))
        {
            return refuse(&count, format!("the number comes first: {forms}"));
        }
        let mut by_key = None;
        if content.parse::<Option<Token![,]>>()?.is_some() && !content.is_empty() {
            by_key = Some(marker(&content, &forms)?);
            end(&content, || format!("nothing may follow `by_key`: {forms}"))?;
        } else if !content.is_empty() {
            return Err(content.error(format!("expected {forms}")));
        }
        self.concurrency = Some(Concurrency {
            keyword,
            place,
            count,
            by_key,
        });
        Ok(())
    }

    fn start_at(&mut self, word: &Ident, input: ParseStream<'_>) -> Result<()> {
        once(self.start_at.is_none(), word)?;
        let content = arguments(word, "`start_at(position)`", input)?;
        self.start_at = Some(Built::parse_position(&content)?);
        end(&content, || "`start_at(..)` takes one position".to_owned())
    }
}

pub(super) fn once(free: bool, word: &Ident) -> Result<()> {
    if free {
        Ok(())
    } else {
        refuse(word, format!("`{word}` is given twice; write it once"))
    }
}

/// The parenthesised arguments of a clause that cannot do without.
fn arguments<'a>(
    word: &Ident,
    forms: &str,
    input: ParseStream<'a>,
) -> Result<syn::parse::ParseBuffer<'a>> {
    if !input.peek(token::Paren) {
        return refuse(word, format!("`{word}` takes an argument: {forms}"));
    }
    let content;
    parenthesized!(content in input);
    if content.is_empty() {
        return refuse(word, format!("`{word}()` is empty: write {forms}"));
    }
    Ok(content)
}

/// The end of a clause's arguments, with or without a trailing comma.
fn end(content: ParseStream<'_>, complaint: impl FnOnce() -> String) -> Result<()> {
    content.parse::<Option<Token![,]>>()?;
    if content.is_empty() {
        Ok(())
    } else {
        Err(content.error(complaint()))
    }
}

fn marker(content: ParseStream<'_>, forms: &str) -> Result<Ident> {
    let place = content.cursor().token_stream().into_iter().next();
    match content.call(Ident::parse_any) {
        Ok(word) if word == "by_key" => Ok(word),
        _ => Err(place.map_or_else(
            || Error::new(content.span(), "expected `by_key`"),
            |token| {
                refusal(
                    &token,
                    format!("`{token}` is not `by_key`, the one marker: write {forms}"),
                )
            },
        )),
    }
}

fn refuse_zero(keyword: &Ident, count: &Expr) -> Result<()> {
    let Expr::Lit(ExprLit {
        lit: Lit::Int(number),
        ..
    }) = count
    else {
        return Ok(());
    };
    if number.base10_parse::<u128>().is_ok_and(|n| n == 0) {
        return refuse(
            number,
            format!("`{keyword}(0)` would handle nothing: the minimum is 1"),
        );
    }
    Ok(())
}
