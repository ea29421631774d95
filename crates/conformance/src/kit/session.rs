use std::time::Duration;

use ruststream_core::{Broker, Connected, ConnectedBroker, Publisher, SubscriptionSource};

use super::{Check, send};

/// How long the calls of a check may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) connect: Duration,
    pub(crate) subscribe: Duration,
    pub(crate) publish: Duration,
    pub(crate) shutdown: Duration,
}

impl Limits {
    /// One limit for each of them.
    pub(crate) const fn of(limit: Duration) -> Self {
        Self {
            connect: limit,
            subscribe: limit,
            publish: limit,
            shutdown: limit,
        }
    }
}

/// A connection of a check, whose ordinary calls must succeed within their limits.
pub(crate) struct Session<'c, B: Broker> {
    check: &'c Check,
    limits: Limits,
    connected: Connected<B>,
}

impl<'c, B: Broker> Session<'c, B> {
    pub(crate) async fn open(check: &'c Check, limits: Limits, broker: B) -> Self {
        let step = check.step("connect", "`connect` reaches the broker");
        Self {
            check,
            limits,
            connected: step.done(limits.connect, broker.connect()).await,
        }
    }

    pub(crate) const fn connected(&self) -> &Connected<B> {
        &self.connected
    }

    pub(crate) async fn subscribe<Src>(&self, source: Src) -> Src::Subscriber
    where
        Src: SubscriptionSource<Connected<B>>,
    {
        let step = self
            .check
            .step("subscribe", "the source opens on a live connection");
        step.done(self.limits.subscribe, source.subscribe(&self.connected))
            .await
    }

    pub(crate) async fn publish<P: Publisher>(&self, publisher: &P, name: &str, payload: &[u8]) {
        let step = self
            .check
            .step("publish", "a plain message is taken on a live connection");
        step.done(self.limits.publish, send(publisher, name, payload))
            .await;
    }

    pub(crate) async fn close(self) {
        let step = self
            .check
            .step("shutdown", "`shutdown` returns, and reports no failure");
        step.done(self.limits.shutdown, self.connected.shutdown())
            .await;
    }
}
