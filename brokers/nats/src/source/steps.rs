//! The descriptors' words at the mount.

use std::time::Duration;

use async_nats::jetstream::consumer::DeliverPolicy;
use ruststream::runtime::{Declared, MapPublisher, SubscriberBuilder, SubscriberSettings};

use super::{CoreSubject, CoreWildcard, JetStreamSubject, NonZeroDuration};
use crate::publish::JetStreamPublish;

/// The settings of a Core subscription, on a definition or in its mount chain.
///
/// They exist where the source is a [`CoreSubject`] or a [`CoreWildcard`]; where the attribute names
/// the kind alone, they follow `.name(..)`.
pub trait CoreSourceSteps: Declared {
    /// Joins a queue group, see [`CoreSubject::queue_group`].
    #[must_use]
    fn queue_group(self, name: impl Into<String>) -> Self::Settings;

    /// How long a partial batch stays open, see [`CoreSubject::max_wait`].
    #[must_use]
    fn max_wait(self, max_wait: Duration) -> Self::Settings;
}

impl<D> CoreSourceSteps for D
where
    D: Declared<Settings: CoreSettings>,
{
    fn queue_group(self, name: impl Into<String>) -> D::Settings {
        self.declare().with_queue_group(name.into())
    }

    fn max_wait(self, max_wait: Duration) -> D::Settings {
        self.declare().with_max_wait(max_wait)
    }
}

/// A builder over a Core source.
#[doc(hidden)]
pub trait CoreSettings {
    fn with_queue_group(self, name: String) -> Self;
    fn with_max_wait(self, max_wait: Duration) -> Self;
}

macro_rules! core_settings {
    ($($source:ty)+) => {$(
        impl<Def: Declared, W, F, P, B, DC> CoreSettings
            for SubscriberBuilder<Def, $source, (W, F, P, B), DC>
        {
            fn with_queue_group(self, name: String) -> Self {
                self.map_source(|source| source.queue_group(name))
            }

            fn with_max_wait(self, max_wait: Duration) -> Self {
                self.map_source(|source| source.max_wait(max_wait))
            }
        }
    )+};
}

core_settings! { CoreSubject CoreWildcard }

/// The settings of a stream's consumer, on a definition or in its mount chain.
///
/// They exist where the source is a [`JetStreamSubject`].
pub trait JetStreamSourceSteps: Declared {
    /// Keeps the position on the server, see [`JetStreamSubject::durable`].
    #[must_use]
    fn durable(self, name: impl Into<String>) -> Self::Settings;

    /// Reads another subject, see [`JetStreamSubject::filter_subject`].
    #[must_use]
    fn filter_subject(self, subject: impl Into<String>) -> Self::Settings;

    /// The window of a settlement, see [`JetStreamSubject::ack_wait`].
    #[must_use]
    fn ack_wait(self, ack_wait: NonZeroDuration) -> Self::Settings;

    /// The limit of unacknowledged deliveries, see [`JetStreamSubject::max_ack_pending`].
    #[must_use]
    fn max_ack_pending(self, max: i64) -> Self::Settings;

    /// Where a new consumer starts, see [`JetStreamSubject::deliver_policy`].
    #[must_use]
    fn deliver_policy(self, policy: DeliverPolicy) -> Self::Settings;

    /// How long a batch waits, see [`JetStreamSubject::pull_expires`].
    #[must_use]
    fn pull_expires(self, expires: NonZeroDuration) -> Self::Settings;
}

impl<D> JetStreamSourceSteps for D
where
    D: Declared<Settings: JetStreamSettings>,
{
    fn durable(self, name: impl Into<String>) -> D::Settings {
        let name = name.into();
        self.declare().with_source(|source| source.durable(name))
    }

    fn filter_subject(self, subject: impl Into<String>) -> D::Settings {
        let subject = subject.into();
        self.declare()
            .with_source(|source| source.filter_subject(subject))
    }

    fn ack_wait(self, ack_wait: NonZeroDuration) -> D::Settings {
        self.declare()
            .with_source(|source| source.ack_wait(ack_wait))
    }

    fn max_ack_pending(self, max: i64) -> D::Settings {
        self.declare()
            .with_source(|source| source.max_ack_pending(max))
    }

    fn deliver_policy(self, policy: DeliverPolicy) -> D::Settings {
        self.declare()
            .with_source(|source| source.deliver_policy(policy))
    }

    fn pull_expires(self, expires: NonZeroDuration) -> D::Settings {
        self.declare()
            .with_source(|source| source.pull_expires(expires))
    }
}

/// A builder over a [`JetStreamSubject`].
#[doc(hidden)]
pub trait JetStreamSettings {
    fn with_source(self, change: impl FnOnce(JetStreamSubject) -> JetStreamSubject) -> Self;
}

impl<Def: Declared, W, F, P, B, DC> JetStreamSettings
    for SubscriberBuilder<Def, JetStreamSubject, (W, F, P, B), DC>
{
    fn with_source(self, change: impl FnOnce(JetStreamSubject) -> JetStreamSubject) -> Self {
        self.map_source(change)
    }
}

/// The settings of a [`JetStreamPublish`], on the position named last in a mount chain: a reply, a
/// slot, or the retry position, of a scope or a router.
pub trait JetStreamPolicySteps: Sized {
    /// Publishes only to subjects that `stream` stores, see [`JetStreamPublish::expect_stream`].
    fn expect_stream(self, stream: impl Into<String>) -> Self;
}

impl<T: MapPublisher<Policy = JetStreamPublish>> JetStreamPolicySteps for T {
    fn expect_stream(self, stream: impl Into<String>) -> Self {
        self.map_publisher(|policy| policy.expect_stream(stream))
    }
}
