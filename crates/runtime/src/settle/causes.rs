//! An error with what caused it, on one line.

use std::error::Error;
use std::fmt::{self, Display};

/// Displays an error and its sources; a source that the text before it ends with isn't told twice.
pub(super) struct Causes<'e>(pub(super) &'e (dyn Error + 'static));

impl Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = self.0.to_string();
        f.write_str(&told)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !told.ends_with(&text) {
                write!(f, ": {text}")?;
            }
            told = text;
            cause = error.source();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("refused")]
    struct Refused;

    #[derive(Debug, thiserror::Error)]
    enum Outer {
        #[error("not sent")]
        Silent(#[source] Refused),
        #[error("not sent: {0}")]
        Telling(#[source] Refused),
    }

    #[test]
    fn each_cause_is_told_once() {
        assert_eq!(Causes(&Refused).to_string(), "refused");
        for outer in [Outer::Silent(Refused), Outer::Telling(Refused)] {
            assert_eq!(Causes(&outer).to_string(), "not sent: refused");
        }
    }
}
