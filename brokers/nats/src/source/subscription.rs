use std::time::Duration;

use super::{DEFAULT_MAX_WAIT, JetStreamSubject};
use crate::error::NatsError;
use crate::subject::{LONGEST, fits_the_protocol, is_subscribable, shown};

/// A descriptor of this crate, which [`ConnectedNatsBroker::subscribe_with`] opens.
///
/// [`ConnectedNatsBroker::subscribe_with`]: crate::ConnectedNatsBroker::subscribe_with
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a subscription on NATS: take `CoreSubject`, `CoreWildcard` or `JetStreamSubject`",
    label = "not a descriptor of `ruststream_nats`",
    note = "take `CoreSubject::new(\"subject\")`, `CoreWildcard::new(\"subject.*\")` or \
            `JetStreamSubject::new(\"subject\", \"STREAM\")`"
)]
pub trait NatsSubscription: Opens {
    /// The subject, or the pattern, that the descriptor was made with.
    fn subject(&self) -> &str;

    /// Whether there is something to subscribe to; asked before any I/O.
    ///
    /// # Errors
    ///
    /// [`NatsError::InvalidOptions`] if not.
    fn ensure_subject(&self) -> Result<(), NatsError> {
        if self.subject().is_empty() {
            return Err(NatsError::InvalidOptions(
                "the subject is empty: name one in the descriptor".to_owned(),
            ));
        }
        Ok(())
    }
}

/// How a descriptor is opened; no other crate can say.
#[doc(hidden)]
pub trait Opens {
    #[doc(hidden)]
    fn opening(&self) -> Opening;
}

/// A subscription to be opened.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub enum Opening {
    Core(CoreOpening),
    JetStream(JetStreamSubject),
}

#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoreOpening {
    pub(crate) subject: String,
    pub(crate) group: Option<String>,
    pub(crate) max_wait: Duration,
}

impl CoreOpening {
    pub(super) fn new(subject: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            group: None,
            max_wait: DEFAULT_MAX_WAIT,
        }
    }

    /// What the server would refuse without a word to the client.
    pub(crate) fn ensure_valid(&self) -> Result<(), NatsError> {
        let Self { subject, group, .. } = self;
        if !is_subscribable(subject) {
            return Err(NatsError::subscribe(format!(
                "`{}` is not a subject to subscribe to: it has an empty token, whitespace, a `>` \
                 that is not the last token, or more than {LONGEST} bytes",
                shown(subject)
            )));
        }
        match group {
            // They stand in one line.
            Some(group) if !fits_the_protocol(group) || subject.len() + group.len() > LONGEST => {
                Err(NatsError::subscribe(format!(
                    "`{}` is not the name of a queue group (of `{}`): it is empty, has \
                 whitespace, or more than {LONGEST} bytes",
                    shown(group),
                    shown(subject)
                )))
            }
            _ => Ok(()),
        }
    }
}
