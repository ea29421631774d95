use std::borrow::Cow;
use std::time::Duration;

#[cfg(feature = "asyncapi")]
use ruststream::asyncapi::Bindings;
use ruststream::runtime::IntoSource;
use ruststream::{
    AddressedCopies, FromName, RedeliveryAddress, RedeliveryAddressed, SubscriptionSource,
};

use super::subscription::Opens;
use super::{CoreOpening, NatsSubscription, Opening};
use crate::connected::ConnectedNatsBroker;
use crate::error::NatsError;
use crate::subject::is_pattern;
use crate::subscriber::NatsSubscriber;

/// A subscription to one Core subject.
///
/// Retry copies go back to the subject itself. Without a [queue group](Self::queue_group) they
/// reach every other subscription of the subject too, and each replica of the service publishes its
/// own; so give a retrying subscription a group as soon as the service runs more than once.
///
/// As the type alone, `#[subscriber(CoreSubject)]`, it takes its subject at the mount.
///
/// ```
/// use ruststream_nats::CoreSubject;
///
/// let scans = CoreSubject::new("scans.belt").queue_group("sorters");
/// ```
///
/// Settings of a stream's consumer are not its settings:
///
/// ```compile_fail,E0599
/// use ruststream_nats::CoreSubject;
///
/// let scans = CoreSubject::new("scans.belt").durable("sorters");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct CoreSubject {
    opening: CoreOpening,
}

impl CoreSubject {
    /// Reads `subject`, which has no wildcard.
    pub fn new(subject: impl Into<String>) -> Self {
        let opening = CoreOpening::new(subject);
        Self { opening }
    }

    /// Joins a queue group, of which the server hands each message to one member.
    ///
    /// A group is its name alone: subscriptions to different subjects under one name are one group.
    /// The last call wins.
    pub fn queue_group(mut self, name: impl Into<String>) -> Self {
        self.opening.group = Some(name.into());
        self
    }

    /// How long a partial batch stays open after its first delivery; 10 ms unless set.
    ///
    /// Zero closes a batch with what is there already. A subscription that reads deliveries one by
    /// one does not wait.
    pub const fn max_wait(mut self, max_wait: Duration) -> Self {
        self.opening.max_wait = max_wait;
        self
    }
}

impl Opens for CoreSubject {
    fn opening(&self) -> Opening {
        Opening::Core(self.opening.clone())
    }
}

impl NatsSubscription for CoreSubject {
    fn subject(&self) -> &str {
        &self.opening.subject
    }

    fn ensure_subject(&self) -> Result<(), NatsError> {
        let subject = self.subject();
        if subject.is_empty() {
            let reason = "the subject is empty: name one in `CoreSubject::new(..)`";
            return Err(NatsError::InvalidOptions(reason.to_owned()));
        }
        if is_pattern(subject) {
            return Err(NatsError::InvalidOptions(format!(
                "the subject `{subject}` has a wildcard, and `CoreSubject` reads one subject: \
                 subscribe with `CoreWildcard::new(\"{subject}\")`"
            )));
        }
        Ok(())
    }
}

impl IntoSource for CoreSubject {
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}

impl FromName for CoreSubject {
    fn from_name(name: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name.into())
    }
}

impl SubscriptionSource<ConnectedNatsBroker> for CoreSubject {
    type Subscriber = NatsSubscriber;
    type Copies = AddressedCopies;

    fn name(&self) -> &str {
        &self.opening.subject
    }

    async fn subscribe(self, connected: &ConnectedNatsBroker) -> Result<NatsSubscriber, NatsError> {
        connected.subscribe_with(self).await
    }

    #[cfg(feature = "asyncapi")]
    fn operation_bindings(&self) -> Bindings {
        crate::asyncapi::queue(self.opening.group.as_deref())
    }
}

/// The subject itself.
impl RedeliveryAddressed<ConnectedNatsBroker> for CoreSubject {
    async fn redelivery_address(
        &self,
        _connected: &ConnectedNatsBroker,
    ) -> Result<RedeliveryAddress, NatsError> {
        Ok(RedeliveryAddress::new(self.opening.subject.clone()))
    }
}
