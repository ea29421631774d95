use std::sync::Arc;

use ruststream::{AckError, HeaderMap, IncomingMessage};

use crate::{link::Link, wire::Letter};

/// A delivery; dropped unsettled, it goes back to the end of its queue.
#[derive(Debug)]
pub struct ToyMessage {
    link: Arc<Link>,
    id: String,
    letter: Letter,
    settled: bool,
}

impl ToyMessage {
    pub(crate) const fn new(link: Arc<Link>, id: String, letter: Letter) -> Self {
        let settled = false;
        Self {
            link,
            id,
            letter,
            settled,
        }
    }

    async fn settle(mut self, verb: &str) -> Result<(), AckError> {
        self.settled = true;
        self.link
            .call(format!("{verb} {}", self.id))
            .await
            .map_err(AckError::broker)
    }
}

impl IncomingMessage for ToyMessage {
    fn payload(&self) -> &[u8] {
        &self.letter.payload
    }

    fn headers(&self) -> &HeaderMap {
        &self.letter.headers
    }

    async fn ack(self) -> Result<(), AckError> {
        self.settle("ACK").await
    }

    async fn nack(self, requeue: bool) -> Result<(), AckError> {
        self.settle(if requeue { "REQUEUE" } else { "DROP" }).await
    }
}

impl Drop for ToyMessage {
    fn drop(&mut self) {
        if !self.settled {
            drop(self.link.send(format!("REQUEUE {}", self.id)));
        }
    }
}
