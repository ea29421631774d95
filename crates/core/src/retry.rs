use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::num::NonZeroU32;

use crate::{ConnectedBroker, SubscriptionSource, sealed};

/// The header in which the runtime counts the copies it published of a message, where the transport
/// counts nothing itself.
pub const RETRY_COUNT_HEADER: &str = "x-ruststream-retry-count";

/// Who publishes the copies that retries and dead letters need, and who addresses them.
///
/// The vocabulary is closed: [`AddressedCopies`], [`NamedCopies`], [`BrokerMoves`].
pub trait CopyPath: sealed::CopyPath {
    /// Whether the server or client library moves a spent delivery itself.
    #[doc(hidden)]
    const MOVED_BY_BROKER: bool;
}

/// This process publishes the copies, and the source knows where they go.
///
/// Topics, subjects, streams and queues: what a service can publish back to. The source implements
/// [`RedeliveryAddressed`] beside [`SubscriptionSource`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct AddressedCopies;

/// This process publishes the copies, but the source cannot address them.
///
/// Wildcards, filters, patterns and lists read many names. The mount site names one destination.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct NamedCopies;

/// The server or client library moves a spent delivery itself; this process publishes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct BrokerMoves;

impl sealed::CopyPath for AddressedCopies {}
impl CopyPath for AddressedCopies {
    const MOVED_BY_BROKER: bool = false;
}

impl sealed::CopyPath for NamedCopies {}
impl CopyPath for NamedCopies {
    const MOVED_BY_BROKER: bool = false;
}

impl sealed::CopyPath for BrokerMoves {}
impl CopyPath for BrokerMoves {
    const MOVED_BY_BROKER: bool = true;
}

/// A source that says where the copies of its deliveries are published.
///
/// The other half of [`AddressedCopies`]: the address is a property of the type, not an answer
/// that startup has to check.
#[diagnostic::on_unimplemented(
    message = "`{Self}` declares `AddressedCopies` but says no address for them on `{C}`: implement `RedeliveryAddressed`, or declare `NamedCopies`",
    label = "`RedeliveryAddressed` is missing",
    note = "implement `RedeliveryAddressed` to name the destination that reaches this subscription again",
    note = "or declare `type Copies = NamedCopies` and let the mount site name it: `.out_retry(policy).to(\"..\")`"
)]
pub trait RedeliveryAddressed<C: ConnectedBroker>:
    SubscriptionSource<C, Copies = AddressedCopies>
{
    /// The destination at which a publisher of the same broker reaches this subscription again.
    ///
    /// Asked once per subscription, at startup, and never while delivering; it may ask the server.
    ///
    /// # Errors
    ///
    /// A lookup that failed, or found nothing; the registration then refuses to start.
    fn redelivery_address(
        &self,
        connected: &C,
    ) -> impl Future<Output = Result<RedeliveryAddress, C::Error>> + Send;
}

/// Where a copy of a delivery is published so that its subscription receives it again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RedeliveryAddress(Cow<'static, str>);

impl RedeliveryAddress {
    /// The destination `name`.
    #[must_use]
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }

    /// The destination.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RedeliveryAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// What a registration declares about its retries: an attempt cap, a dead-letter destination, both
/// or neither.
///
/// # Examples
///
/// ```
/// use ruststream_core::{RetryDeclaration, nonzero};
///
/// let declared = RetryDeclaration::new()
///     .with_max_attempts(nonzero!(5))
///     .with_dead_letter("parcels.dead");
/// assert_eq!(declared.both(), Some((nonzero!(5), "parcels.dead")));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct RetryDeclaration {
    max_attempts: Option<NonZeroU32>,
    dead_letter: Option<Cow<'static, str>>,
}

impl RetryDeclaration {
    /// A declaration that declares nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            max_attempts: None,
            dead_letter: None,
        }
    }

    /// Caps the deliveries of one message at `attempts`, the first included.
    #[must_use]
    pub fn with_max_attempts(mut self, attempts: NonZeroU32) -> Self {
        self.max_attempts = Some(attempts);
        self
    }

    /// Sends a message whose attempts are spent to `destination`.
    #[must_use]
    pub fn with_dead_letter(mut self, destination: impl Into<Cow<'static, str>>) -> Self {
        self.dead_letter = Some(destination.into());
        self
    }

    /// The cap on deliveries, the first counted as one.
    #[must_use]
    pub const fn max_attempts(&self) -> Option<NonZeroU32> {
        self.max_attempts
    }

    /// The dead-letter destination. Without one, a delivery at the cap is rejected.
    #[must_use]
    pub fn dead_letter(&self) -> Option<&str> {
        self.dead_letter.as_deref()
    }

    /// Cap and destination, when both are declared: what a native dead-letter mechanism needs.
    #[must_use]
    pub fn both(&self) -> Option<(NonZeroU32, &str)> {
        self.max_attempts.zip(self.dead_letter())
    }

    /// Whether neither half is declared.
    #[must_use]
    pub const fn declares_nothing(&self) -> bool {
        self.max_attempts.is_none() && self.dead_letter.is_none()
    }
}

/// Why a broker cannot honour what a registration declares about its retries.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeclareRetryError {
    /// Nothing would apply the declaration of a subscription opened by a bare name.
    #[error(
        "`{broker}` moves spent deliveries itself and a bare name maps no retry declaration: set the \
         attempt cap and the dead-letter destination on the broker's own descriptor, and mount that"
    )]
    Unsupported {
        /// The type name of the connected form.
        broker: &'static str,
    },

    /// The broker refused the declaration.
    #[error("the broker refused the retry declaration: {0}")]
    Broker(#[source] Box<dyn Error + Send + Sync>),
}
