use std::borrow::Cow;
use std::time::Duration;

#[cfg(feature = "asyncapi")]
use ruststream::asyncapi::Bindings;
use ruststream::runtime::IntoSource;
use ruststream::{FromName, NamedCopies, SubscriptionSource};

use super::subscription::Opens;
use super::{CoreOpening, NatsSubscription, Opening};
use crate::connected::ConnectedNatsBroker;
use crate::error::NatsError;
use crate::subscriber::NatsSubscriber;

/// A subscription to all Core subjects that a pattern matches.
///
/// `*` stands for one token, `>` for one or more at the end. A pattern publishes to nothing, so the
/// mount names the subject for retry copies, `.out_retry(Publish).to("doors.again")`, or the
/// service refuses to start. That subject must match the pattern, or the copy never comes back; a
/// dead-letter subject must not, or the dead letter arrives at the handler that gave up on it.
/// Neither is checked.
///
/// ```
/// use ruststream_nats::CoreWildcard;
///
/// let doors = CoreWildcard::new("doors.*").queue_group("watch");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct CoreWildcard {
    opening: CoreOpening,
}

impl CoreWildcard {
    /// Reads what `subject` matches; a subject without a wildcard is allowed.
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

impl Opens for CoreWildcard {
    fn opening(&self) -> Opening {
        Opening::Core(self.opening.clone())
    }
}

impl NatsSubscription for CoreWildcard {
    fn subject(&self) -> &str {
        &self.opening.subject
    }
}

impl IntoSource for CoreWildcard {
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}

impl FromName for CoreWildcard {
    fn from_name(name: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name.into())
    }
}

impl SubscriptionSource<ConnectedNatsBroker> for CoreWildcard {
    type Subscriber = NatsSubscriber;
    type Copies = NamedCopies;

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
