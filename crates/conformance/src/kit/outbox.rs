use ruststream_core::{Broker, Publisher};

use super::Session;

/// A publisher of a check, and the subject it publishes to.
pub(crate) struct Outbox<'a, 'c, B: Broker, P> {
    pub(crate) session: &'a Session<'c, B>,
    pub(crate) publisher: P,
    pub(crate) subject: &'a str,
}

impl<B: Broker, P: Publisher> Outbox<'_, '_, B, P> {
    /// Publishes a plain message, which must be taken.
    pub(crate) async fn publish(&self, payload: &[u8]) {
        self.session
            .publish(&self.publisher, self.subject, payload)
            .await;
    }

    /// Publishes each of `payloads`.
    pub(crate) async fn publish_all(&self, payloads: &[Vec<u8>]) {
        for payload in payloads {
            self.publish(payload).await;
        }
    }
}

/// `count` payloads that differ from those of any other `what`.
pub(crate) fn payloads(what: &str, count: usize) -> Vec<Vec<u8>> {
    (1..=count)
        .map(|number| format!("{what}, message {number}").into_bytes())
        .collect()
}
