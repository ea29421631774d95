use std::error::Error;
use std::fmt::{self, Display};

/// An error with its sources, on one line; a source that the text before it tells is not told again.
pub(crate) struct Causes<'e>(pub(crate) &'e dyn Error);

impl Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = self.0.to_string();
        f.write_str(&told)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !told.contains(&text) {
                write!(f, ": {text}")?;
                told = text;
            }
            cause = error.source();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Layer {
        text: &'static str,
        source: Option<Box<Layer>>,
    }

    fn chain(texts: &[&'static str]) -> Option<Box<Layer>> {
        let (text, rest) = texts.split_first()?;
        Some(Box::new(Layer {
            text,
            source: chain(rest),
        }))
    }

    #[test]
    fn each_cause_is_told_once() {
        for (texts, told) in [
            (&["refused"][..], "refused"),
            (&["not sent", "refused"], "not sent: refused"),
            (&["not sent: refused", "refused"], "not sent: refused"),
            (
                &["not sent: refused (try again)", "refused", "no route"],
                "not sent: refused (try again): no route",
            ),
        ] {
            let error = chain(texts).expect("a layer at least");
            assert_eq!(Causes(&*error).to_string(), told);
        }
    }
}
