/// The cases that [`publish_options`](super::publish_options) plays.
///
/// ```
/// use ruststream_conformance::message_shape::OptionCases;
///
/// #[derive(Clone, Debug)]
/// struct Urgency(u8);
///
/// // The policy is configured to 1; 3 is honoured; 9 cannot be.
/// let cases = OptionCases::new(1)
///     .overrides(Urgency(3), 3)
///     .refuses(Urgency(9));
/// # drop(cases);
/// ```
#[derive(Debug, Clone)]
pub struct OptionCases<Options, Observed> {
    pub(super) policy_default: Observed,
    pub(super) overrides: Vec<(Options, Observed)>,
    pub(super) refused: Vec<Options>,
}

impl<Options, Observed> OptionCases<Options, Observed> {
    /// What a delivery shows when its publish set nothing: the value the policy fixed.
    #[must_use]
    pub const fn new(policy_default: Observed) -> Self {
        Self {
            policy_default,
            overrides: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Options that a publish can set, and what its delivery then shows.
    #[must_use]
    pub fn overrides(mut self, options: Options, observed: Observed) -> Self {
        self.overrides.push((options, observed));
        self
    }

    /// Options that the transport cannot honour, and so has to refuse.
    #[must_use]
    pub fn refuses(mut self, options: Options) -> Self {
        self.refused.push(options);
        self
    }
}
