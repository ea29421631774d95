//! What an error of the client was about.

use std::error::Error;
use std::fmt::{self, Debug, Display};

use async_nats::error::Error as ClientError;

/// Puts `what` between the kind of an error and its cause.
///
/// It stays an error of the client's type and kind, which callers look for.
pub(crate) fn about<Kind>(cause: ClientError<Kind>, what: String) -> ClientError<Kind>
where
    Kind: Clone + Debug + Display + PartialEq + Send + Sync + 'static,
{
    ClientError::with_source(cause.kind(), About { what, cause })
}

#[derive(Debug)]
struct About<Kind>
where
    Kind: Clone + Debug + Display + PartialEq,
{
    what: String,
    cause: ClientError<Kind>,
}

impl<Kind> Display for About<Kind>
where
    Kind: Clone + Debug + Display + PartialEq,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match self.cause.source() {
            Some(cause) => write!(f, ": {cause}"),
            None => Ok(()),
        }
    }
}

/// The kind is said by the error around it, so that the chain goes on with the cause.
impl<Kind> Error for About<Kind>
where
    Kind: Clone + Debug + Display + PartialEq,
{
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.source()
    }
}

#[cfg(test)]
mod tests {
    use async_nats::{ConnectError, ConnectErrorKind};

    use super::*;

    // NATS-180
    #[test]
    fn an_error_says_its_kind_what_it_was_about_and_its_cause() {
        let cause = ConnectError::with_source(ConnectErrorKind::Io, "refused");

        let error = about(cause, "at one:4222".to_owned());

        assert_eq!(error.to_string(), "IO error: at one:4222: refused");
        assert_eq!(error.kind(), ConnectErrorKind::Io);
        let about = error.source().expect("what it was about");
        let cause = about.source().expect("its cause");
        assert_eq!(cause.to_string(), "refused");
    }

    // NATS-180
    #[test]
    fn an_error_without_a_cause_ends_with_what_it_was_about() {
        let cause = ConnectError::new(ConnectErrorKind::TimedOut);

        let error = about(cause, "at one:4222".to_owned());

        assert_eq!(error.to_string(), "timed out: at one:4222");
    }
}
