use std::fmt::Debug;

use super::{Check, Step};

/// The values a check publishes, and which of them were lent back.
pub(crate) struct Lent<'v, Value> {
    values: &'v [Value],
    seen: Vec<bool>,
}

impl<'v, Value: PartialEq + Debug> Lent<'v, Value> {
    pub(crate) fn none_of(values: &'v [Value]) -> Self {
        Self {
            values,
            seen: vec![false; values.len()],
        }
    }

    /// Takes note of a value that a delivery lent; the one it is.
    pub(crate) fn take(&mut self, step: Step<'_>, lent: &Value) -> &'v Value {
        let mut values = self.values.iter().zip(&mut self.seen);
        let Some((value, seen)) = values.find(|(value, seen)| !**seen && *value == lent) else {
            step.fail(format_args!(
                "{lent:?} was lent, which was lent already or never published"
            ))
        };
        *seen = true;
        value
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.seen.iter().all(|&seen| seen)
    }
}

/// Two values that differ. Fails if all are the same: a stale one would then go unseen.
pub(crate) fn two_distinct<'v, Value>(check: &Check, values: &'v [Value]) -> [&'v Value; 2]
where
    Value: PartialEq + Debug,
{
    let first = values.first();
    let other = values.iter().find(|&value| Some(value) != first);
    let (Some(first), Some(other)) = (first, other) else {
        check
            .step("values", "the caller names at least two different values")
            .fail(format_args!("the values are {values:?}"))
    };
    [first, other]
}
