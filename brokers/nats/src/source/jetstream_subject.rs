use std::time::Duration;

use async_nats::jetstream::consumer::pull::Config;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, ReplayPolicy};
#[cfg(feature = "asyncapi")]
use ruststream::asyncapi::Bindings;
use ruststream::runtime::IntoSource;
use ruststream::{AddressedCopies, RedeliveryAddress, RedeliveryAddressed, SubscriptionSource};

use super::subscription::Opens;
use super::{NatsSubscription, NonZeroDuration, Opening};
use crate::connected::ConnectedNatsBroker;
use crate::error::NatsError;
use crate::redelivery;
use crate::subject::{LONGEST, is_name, is_subscribable, shown};
use crate::subscriber::NatsSubscriber;

const DEFAULT_ACK_WAIT: Duration = Duration::from_secs(30);
const DEFAULT_MAX_ACK_PENDING: i64 = 1024;
const DEFAULT_PULL_EXPIRES: Duration = Duration::from_secs(5);

/// A subscription to a stream, through a pull consumer.
///
/// The stream must exist; this crate never creates one. The consumer is created when the
/// subscription opens, or updated if there is one of its [durable](Self::durable) name: every
/// subscription on it, in every process, then reads through the new settings. Where no step says
/// otherwise it is ephemeral, reads the constructor's subject from the start of the stream, waits
/// 30 s for an acknowledgement, and has at most 1024 deliveries unacknowledged.
///
/// The server settles: see [`NatsMessage`](crate::NatsMessage). Nothing of a declared retry cap
/// reaches it; the runtime counts by the server's own delivery count, which also grows with
/// deliveries that no handler saw: those that a process fetched ahead and took with it.
///
/// One by one, up to 200 deliveries are fetched ahead, and their ack window runs while they wait.
///
/// ```
/// use ruststream::nonzero;
/// use ruststream_nats::{JetStreamSubject, NonZeroDuration};
///
/// let ledger = JetStreamSubject::new("ledger.*", "LEDGER")
///     .durable("book")
///     .ack_wait(NonZeroDuration::from_secs(nonzero!(60)));
/// ```
///
/// A queue group is Core's word; replicas of a consumer share its durable name instead:
///
/// ```compile_fail,E0599
/// use ruststream_nats::JetStreamSubject;
///
/// let ledger = JetStreamSubject::new("ledger.*", "LEDGER").queue_group("books");
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct JetStreamSubject {
    subject: String,
    stream: String,
    durable: Option<String>,
    filter: Option<String>,
    ack_wait: Option<NonZeroDuration>,
    max_ack_pending: Option<i64>,
    deliver_policy: DeliverPolicy,
    pull_expires: Option<NonZeroDuration>,
}

impl JetStreamSubject {
    /// Reads `subject`, which may be a pattern, from `stream`.
    pub fn new(subject: impl Into<String>, stream: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            stream: stream.into(),
            durable: None,
            filter: None,
            ack_wait: None,
            max_ack_pending: None,
            deliver_policy: DeliverPolicy::All,
            pull_expires: None,
        }
    }

    /// Keeps the position on the server, under this name.
    ///
    /// All subscriptions of the name share it, and each message goes to one of them. Without it the
    /// server removes the consumer, and its position, some seconds after the last pull.
    pub fn durable(mut self, name: impl Into<String>) -> Self {
        self.durable = Some(name.into());
        self
    }

    /// Reads this subject or pattern in place of the constructor's, which stays the name that the
    /// registration is known by.
    pub fn filter_subject(mut self, subject: impl Into<String>) -> Self {
        self.filter = Some(subject.into());
        self
    }

    /// How long the server waits for a settlement before it sends a delivery again; 30 s unless
    /// set.
    pub const fn ack_wait(mut self, ack_wait: NonZeroDuration) -> Self {
        self.ack_wait = Some(ack_wait);
        self
    }

    /// How many deliveries of the consumer may be unacknowledged, all subscriptions together; 1024
    /// unless set.
    ///
    /// Deliveries that wait out a delay count. `-1` is no limit, `0` the server's own default.
    pub const fn max_ack_pending(mut self, max: i64) -> Self {
        self.max_ack_pending = Some(max);
        self
    }

    /// Where a newly created consumer starts; at the start of the stream unless set.
    ///
    /// A durable consumer that exists keeps its own; with another one declared, the subscription
    /// does not open.
    pub const fn deliver_policy(mut self, policy: DeliverPolicy) -> Self {
        self.deliver_policy = policy;
        self
    }

    /// How long one batch waits to become full; 5 s unless set.
    ///
    /// A subscription that reads deliveries one by one does not wait.
    pub const fn pull_expires(mut self, expires: NonZeroDuration) -> Self {
        self.pull_expires = Some(expires);
        self
    }

    pub(crate) fn stream(&self) -> &str {
        &self.stream
    }

    /// What the consumer reads.
    pub(crate) fn filter(&self) -> &str {
        self.filter.as_deref().unwrap_or(&self.subject)
    }

    #[cfg(any(feature = "asyncapi", feature = "testing"))]
    pub(crate) fn durable_name(&self) -> Option<&str> {
        self.durable.as_deref()
    }

    #[inline]
    pub(crate) const fn is_ephemeral(&self) -> bool {
        self.durable.is_none()
    }

    pub(crate) fn ack_window(&self) -> Duration {
        self.ack_wait.map_or(DEFAULT_ACK_WAIT, NonZeroDuration::get)
    }

    pub(crate) fn ack_pending_limit(&self) -> i64 {
        self.max_ack_pending.unwrap_or(DEFAULT_MAX_ACK_PENDING)
    }

    #[cfg(feature = "asyncapi")]
    pub(crate) const fn starts_at(&self) -> &DeliverPolicy {
        &self.deliver_policy
    }

    pub(crate) fn batch_expires(&self) -> Duration {
        self.pull_expires
            .map_or(DEFAULT_PULL_EXPIRES, NonZeroDuration::get)
    }

    /// The consumer, for the server. `max_deliver` stays unset: JetStream has nowhere to put what
    /// it gives up on.
    pub(crate) fn config(&self) -> Config {
        Config {
            durable_name: self.durable.clone(),
            deliver_policy: self.deliver_policy,
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.ack_window(),
            filter_subject: self.filter().to_owned(),
            replay_policy: ReplayPolicy::Instant,
            max_ack_pending: self.ack_pending_limit(),
            ..Config::default()
        }
    }

    /// Names that would become part of a request's subject, and change its meaning.
    pub(crate) fn ensure_names(&self) -> Result<(), NatsError> {
        let named = [
            ("stream", Some(&self.stream)),
            ("consumer", self.durable.as_ref()),
        ];
        for (what, name) in named {
            if let Some(name) = name.filter(|name| !is_name(name)) {
                return Err(NatsError::jetstream(format!(
                    "`{}` is not the name of a {what}: it is empty, longer than 255 bytes, or has \
                     whitespace or one of `. * > / \\`",
                    shown(name)
                )));
            }
        }
        if !is_subscribable(self.filter()) {
            return Err(NatsError::jetstream(format!(
                "`{}` is not a subject to read from the stream `{}`: it has an empty token, \
                 whitespace, a `>` that is not the last token, or more than {LONGEST} bytes",
                shown(self.filter()),
                self.stream
            )));
        }
        Ok(())
    }
}

impl Opens for JetStreamSubject {
    fn opening(&self) -> Opening {
        Opening::JetStream(self.clone())
    }
}

impl NatsSubscription for JetStreamSubject {
    fn subject(&self) -> &str {
        &self.subject
    }
}

impl IntoSource for JetStreamSubject {
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}

impl SubscriptionSource<ConnectedNatsBroker> for JetStreamSubject {
    type Subscriber = NatsSubscriber;
    type Copies = AddressedCopies;

    fn name(&self) -> &str {
        &self.subject
    }

    async fn subscribe(self, connected: &ConnectedNatsBroker) -> Result<NatsSubscriber, NatsError> {
        connected.subscribe_with(self).await
    }

    #[cfg(feature = "asyncapi")]
    fn channel_bindings(&self) -> Bindings {
        crate::asyncapi::consumer(self)
    }
}

/// A subject that the stream stores and the consumer reads.
///
/// A filter without a wildcard is that subject. For a pattern the stream's configuration is asked,
/// and what its subjects leave open becomes the token `ruststream-retry`. A running service publishes
/// nothing there: the server itself sends deliveries again.
impl RedeliveryAddressed<ConnectedNatsBroker> for JetStreamSubject {
    async fn redelivery_address(
        &self,
        connected: &ConnectedNatsBroker,
    ) -> Result<RedeliveryAddress, NatsError> {
        let subject = redelivery::address(connected.link(), self).await?;
        Ok(RedeliveryAddress::new(subject))
    }
}
