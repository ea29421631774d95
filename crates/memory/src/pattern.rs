//! Subscriptions by pattern.

use std::cmp::Ordering;

use ruststream_core::{
    AddressedCopies, IntoSource, RedeliveryAddress, RedeliveryAddressed, SubscriptionSource,
};
use thiserror::Error;

use crate::connected::ConnectedMemoryBroker;
use crate::error::MemoryError;
use crate::log_mode::{Discarding, LogMode};
use crate::subscriber::MemorySubscriber;

const ANY: &str = "*";
const TAIL: &str = ">";

/// Reads every name that a pattern matches.
///
/// Tokens are separated by `.`; `*` stands for exactly one token, `>` as the last token for one or
/// more, anything else for itself. No wildcard stands for an empty token. The pattern is parsed
/// when the subscription opens, where a fault is [`MemoryError::InvalidPattern`].
///
/// A pattern reads many logs, so it can not be replayed: its subscriber is that of a discarding
/// broker on both kinds of broker, without position and seek.
///
/// ```
/// use futures_util::StreamExt;
/// use ruststream_core::{Broker, OutgoingMessage, Publisher, Subscriber, SubscriptionSource};
/// use ruststream_memory::{MemoryBroker, MemoryPattern};
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
///
/// let broker = MemoryBroker::new().connect().await?;
/// let mut readings = MemoryPattern::new("readings.*.hall").subscribe(&broker).await?;
/// let publisher = broker.publisher();
/// publisher.publish(OutgoingMessage::new("readings.eu.hall", b"21"), None).await?;
///
/// let reading = readings.stream().next().await.expect("queued")?;
/// assert_eq!(reading.name(), "readings.eu.hall");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct MemoryPattern {
    pattern: String,
}

impl MemoryPattern {
    /// Describes a subscription to every name that `pattern` matches.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
        }
    }
}

impl<Log: LogMode> SubscriptionSource<ConnectedMemoryBroker<Log>> for MemoryPattern {
    type Subscriber = MemorySubscriber<Discarding>;
    type Copies = AddressedCopies;

    fn name(&self) -> &str {
        &self.pattern
    }

    async fn subscribe(
        self,
        connected: &ConnectedMemoryBroker<Log>,
    ) -> Result<MemorySubscriber<Discarding>, MemoryError> {
        let pattern = Pattern::parse(&self.pattern).map_err(|reason| {
            let pattern = self.pattern.clone();
            MemoryError::InvalidPattern { pattern, reason }
        })?;
        connected.open_pattern(pattern)
    }
}

impl<Log: LogMode> RedeliveryAddressed<ConnectedMemoryBroker<Log>> for MemoryPattern {
    /// The text of the pattern: as a name it matches the pattern, token for token.
    async fn redelivery_address(
        &self,
        _connected: &ConnectedMemoryBroker<Log>,
    ) -> Result<RedeliveryAddress, MemoryError> {
        Ok(RedeliveryAddress::new(self.pattern.clone()))
    }
}

impl IntoSource for MemoryPattern {
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}

/// What is wrong with a pattern.
#[derive(Debug, Error, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PatternError {
    /// Two dots in a row, or one at an end.
    #[error("token {token} is empty")]
    EmptyToken {
        /// The token's place, counted from zero.
        token: usize,
    },
    /// A `>` with something behind it.
    #[error("token {token} is `>`, which only the last token may be")]
    TailNotLast {
        /// The token's place, counted from zero.
        token: usize,
    },
    /// A plain name.
    #[error("it has no wildcard token; `MemorySource` reads one name")]
    NoWildcard,
}

/// Whether a token of `name` is a wildcard.
pub(crate) fn has_wildcard(name: &str) -> bool {
    name.split('.').any(|token| token == ANY || token == TAIL)
}

/// A pattern that parsed.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: String,
    tokens: Vec<Token>,
}

/// In descending order of specificity.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    Literal(String),
    Any,
    Tail,
}

impl Token {
    const fn breadth(&self) -> u8 {
        match self {
            Self::Literal(_) => 0,
            Self::Any => 1,
            Self::Tail => 2,
        }
    }
}

impl Pattern {
    pub(crate) fn parse(text: &str) -> Result<Self, PatternError> {
        let mut tokens: Vec<Token> = Vec::new();
        for (token, part) in text.split('.').enumerate() {
            if tokens.last() == Some(&Token::Tail) {
                return Err(PatternError::TailNotLast { token: token - 1 });
            }
            tokens.push(match part {
                "" => return Err(PatternError::EmptyToken { token }),
                ANY => Token::Any,
                TAIL => Token::Tail,
                literal => Token::Literal(literal.to_owned()),
            });
        }
        if tokens
            .iter()
            .all(|token| matches!(token, Token::Literal(_)))
        {
            return Err(PatternError::NoWildcard);
        }
        Ok(Self {
            text: text.to_owned(),
            tokens,
        })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        let mut parts = name.split('.');
        for token in &self.tokens {
            let Some(part) = parts.next() else {
                return false;
            };
            match token {
                Token::Literal(literal) if literal == part => {}
                Token::Any if !part.is_empty() => {}
                Token::Tail => return !part.is_empty() && parts.all(|part| !part.is_empty()),
                Token::Literal(_) | Token::Any => return false,
            }
        }
        parts.next().is_none()
    }

    /// Orders patterns that match one name, the more specific one first.
    ///
    /// Two such patterns of equal breadth at every token are the same text, and one never is the
    /// other's beginning.
    pub(crate) fn by_specificity(&self, other: &Self) -> Ordering {
        let breadths = self.tokens.iter().map(Token::breadth);
        breadths.cmp(other.tokens.iter().map(Token::breadth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::parse(text).expect("parses")
    }

    // MEM-25
    #[test]
    fn faults_are_reported_from_the_left_and_a_missing_wildcard_last() {
        let fault = |text| Pattern::parse(text).expect_err("does not parse");
        for (text, expected) in [
            ("readings..*", PatternError::EmptyToken { token: 1 }),
            ("*.", PatternError::EmptyToken { token: 1 }),
            (".*", PatternError::EmptyToken { token: 0 }),
            ("", PatternError::EmptyToken { token: 0 }),
            ("readings.>.eu", PatternError::TailNotLast { token: 1 }),
            (">.", PatternError::TailNotLast { token: 0 }),
            ("a..>.b", PatternError::EmptyToken { token: 1 }),
            ("readings.eu*", PatternError::NoWildcard),
            ("a.b.", PatternError::EmptyToken { token: 2 }),
        ] {
            assert_eq!(fault(text), expected, "{text}");
        }
    }

    // MEM-24
    #[test]
    fn wildcards_match_whole_tokens_that_are_not_empty() {
        for (text, name, expected) in [
            ("a.*", "a.b", true),
            ("a.*", "a.", false),
            ("a.*", "a", false),
            ("a.*", "a.b.c", false),
            ("a.*", "A.b", false),
            ("*", "a", true),
            ("*", "", false),
            ("a.>", "a.b", true),
            ("a.>", "a.b.c", true),
            ("a.>", "a", false),
            ("a.>", "a.", false),
            ("a.>", "a..b", false),
            ("a.>", "a.b.", false),
            (">", "a.b.c", true),
            (">", "", false),
            (">", "a..b", false),
            ("*.b", "a.b", true),
            ("*.b", ".b", false),
            ("a*.>", "a*.b", true),
            ("a*.>", "ab.b", false),
        ] {
            assert_eq!(
                pattern(text).matches(name),
                expected,
                "{text} over {name:?}"
            );
        }
    }

    // MEM-20
    #[test]
    fn a_pattern_matches_its_own_text() {
        for text in ["*", ">", "a.*.c", "a.>", "*.>"] {
            assert!(pattern(text).matches(text), "{text}");
        }
    }

    // MEM-26
    #[test]
    fn specificity_is_decided_at_the_first_token_that_differs() {
        let descending = [
            "readings.eu.*",
            "readings.*.hall",
            "readings.*.*",
            "readings.>",
            "*.eu.hall",
            "*.>",
            ">",
        ];
        for pair in descending.windows(2) {
            let [more, less] = pair else { unreachable!() };
            assert_eq!(
                pattern(more).by_specificity(&pattern(less)),
                Ordering::Less,
                "{more} {less}"
            );
        }
    }
}
