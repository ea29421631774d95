use std::sync::Arc;
use std::time::Duration;

use ruststream_core::{AckError, Carries, CarriesBatch, HeaderMap, IncomingMessage, Positioned};

use super::super::honest::Delivery;
use super::super::twist::Twist;
use super::super::world::Letter;

/// The value that the toy's deliveries lend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parcel(pub(crate) u32);

impl Parcel {
    /// Read off the payload or, where that is empty, off a header.
    pub(crate) fn of(letter: &Letter) -> Option<Self> {
        let text = match std::str::from_utf8(&letter.payload).ok()? {
            "" => letter.headers.get_str("parcel")?,
            payload => payload.strip_prefix("parcel ")?,
        };
        text.parse().ok().map(Self)
    }
}

pub(crate) struct ToyBatch {
    pub(super) values: Vec<Parcel>,
    pub(super) messages: Vec<ToyMessage>,
}

impl CarriesBatch<Parcel> for ToyBatch {
    fn carried(&self) -> &[Parcel] {
        &self.values
    }
}

impl IntoIterator for ToyBatch {
    type Item = ToyMessage;
    type IntoIter = std::vec::IntoIter<ToyMessage>;

    fn into_iter(self) -> Self::IntoIter {
        self.messages.into_iter()
    }
}

pub(crate) struct ToyMessage {
    delivery: Option<Delivery>,
    twist: Arc<dyn Twist>,
    key: Option<Vec<u8>>,
    count: Option<u64>,
    value: Option<Parcel>,
}

impl ToyMessage {
    pub(super) fn new(twist: &Arc<dyn Twist>, delivery: Delivery) -> Self {
        Self {
            key: twist.key(&delivery),
            count: twist.count(&delivery),
            value: twist.carried(&delivery),
            delivery: Some(delivery),
            twist: Arc::clone(twist),
        }
    }

    fn letter(&self) -> &Letter {
        self.delivery
            .as_ref()
            .expect("taken by a settlement alone")
            .letter()
    }

    fn take(&mut self) -> Delivery {
        self.delivery.take().expect("taken by a settlement alone")
    }

    pub(crate) fn urgency(&self) -> u8 {
        self.letter().urgency
    }
}

impl IncomingMessage for ToyMessage {
    fn payload(&self) -> &[u8] {
        &self.letter().payload
    }

    fn headers(&self) -> &HeaderMap {
        &self.letter().headers
    }

    fn partition_key(&self) -> Option<&[u8]> {
        self.key.as_deref()
    }

    fn redelivery_count(&self) -> Option<u64> {
        self.count
    }

    async fn ack(mut self) -> Result<(), AckError> {
        let delivery = self.take();
        self.twist.ack(delivery).await
    }

    async fn nack(mut self, requeue: bool) -> Result<(), AckError> {
        let delivery = self.take();
        self.twist.nack(delivery, requeue).await
    }

    fn supports_nack_after(&self) -> bool {
        self.twist.delays()
    }

    async fn nack_after(mut self, delay: Duration) -> Result<(), AckError> {
        let delivery = self.take();
        self.twist.nack_after(delivery, delay).await
    }
}

impl Drop for ToyMessage {
    fn drop(&mut self) {
        if let Some(delivery) = self.delivery.take() {
            self.twist.dropped(delivery);
        }
    }
}

impl Carries<Parcel> for ToyMessage {
    fn carried(&self) -> Option<&Parcel> {
        self.value.as_ref()
    }
}

impl Positioned for ToyMessage {
    type Position = usize;

    fn position(&self) -> usize {
        self.letter().position
    }
}
