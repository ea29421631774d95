//! Publishing to the yard.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ruststream::{HeaderMap, Lend, OutgoingMessage, PairError, PublishPolicy, Publisher};

use super::queue::Letter;
use super::yard::{ConnectedYard, Hub, Refused};

/// Pairs with a publisher, and notes it under its own name.
#[derive(Debug, Clone)]
pub(crate) struct Publish {
    name: &'static str,
    base: HeaderMap,
}

impl Publish {
    pub(crate) fn named(name: &'static str) -> Self {
        Self {
            name,
            base: HeaderMap::new(),
        }
    }

    /// Lies under the headers of every message.
    pub(crate) fn base(mut self, name: &'static str, value: &'static str) -> Self {
        self.base.insert(name, value);
        self
    }
}

impl Default for Publish {
    fn default() -> Self {
        Self::named("default")
    }
}

impl PublishPolicy<ConnectedYard> for Publish {
    type Live = Clerk;

    async fn pair(self, connected: &ConnectedYard) -> Result<Clerk, PairError> {
        let hub = &connected.0;
        hub.perform(format!("pair {}", self.name))
            .map_err(PairError::new)?;
        hub.held.fetch_add(1, Ordering::SeqCst);
        Ok(Clerk {
            hub: Arc::clone(hub),
            base: self.base,
        })
    }
}

#[derive(Debug)]
pub(crate) struct Clerk {
    hub: Arc<Hub>,
    base: HeaderMap,
}

impl Publisher for Clerk {
    type Payload = Lend;
    type Error = Refused;
    type Options = ();

    async fn publish(
        &self,
        message: OutgoingMessage<'_, &[u8]>,
        _options: Option<&()>,
    ) -> Result<(), Refused> {
        // As on a network, others get their turn before it is done.
        tokio::task::yield_now().await;
        let (name, payload, headers) = message.into_parts();
        let mut line = format!("publish {name} {}", String::from_utf8_lossy(payload));
        for (name, value) in headers.iter() {
            let _ = write!(line, " {name}={}", String::from_utf8_lossy(value));
        }
        self.hub.perform(line)?;
        let letter = Letter {
            payload: payload.to_vec(),
            headers,
            count: 1,
            unreadable: None,
        };
        self.hub.queue(name).push(letter);
        Ok(())
    }

    fn base_headers(&self) -> Option<&HeaderMap> {
        Some(&self.base).filter(|base| !base.is_empty())
    }
}

impl Drop for Clerk {
    fn drop(&mut self) {
        self.hub.held.fetch_sub(1, Ordering::SeqCst);
    }
}
