//! Which subscriptions a publish reaches.

/// Which of the subscriptions that match a publish receive it.
///
/// Set with [`MemoryBroker::routing`](crate::MemoryBroker::routing). Specificity compares patterns
/// token by token from the left; at the first difference a literal beats `*`, and `*` beats `>`.
/// For `readings.eu.hall` that is `readings.eu.*`, `readings.*.hall`, `readings.>`, `*.eu.hall`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Routing {
    /// Every subscription of the name, and every pattern that matches it.
    #[default]
    EveryMatch,
    /// The subscriptions of the name if there are any, else those of the most specific pattern
    /// that matches it.
    MostSpecific,
}
