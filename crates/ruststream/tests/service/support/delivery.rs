//! What the yard delivers.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ruststream::codec::CodecError;
use ruststream::runtime::{Input, SoloCarried};
use ruststream::{
    AckError, BuildBatchContext, BuildContext, Carries, CarriesBatch, ContextField, Field,
    FieldMut, HeaderMap, IncomingMessage,
};

use super::queue::{Letter, Queue};
use super::yard::{Hub, Refused};

/// A delivery. Dropped unsettled, it goes back to where it came from, where the transport settles.
pub(crate) struct Delivery {
    /// Taken by whatever ends the delivery.
    letter: Option<Letter>,
    reported: Option<CodecError>,
    weight: Option<Weight>,
    queue: Arc<Queue>,
    hub: Arc<Hub>,
}

/// A value that a delivery may hold: what its header `weight` says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Weight(pub(crate) u32);

/// RUN-430: the bound is there for the harness alone.
impl Clone for Weight {
    fn clone(&self) -> Self {
        unreachable!("nobody clones a value that is carried")
    }
}

impl Input for Weight {
    type Axis = SoloCarried<Self>;
}

impl Delivery {
    pub(super) fn new(letter: Letter, queue: &Arc<Queue>, hub: &Arc<Hub>) -> Self {
        hub.takes();
        let weight = letter
            .headers
            .get_str("weight")
            .and_then(|grams| grams.parse().ok());
        Self {
            reported: letter.unreadable.map(|why| CodecError::Decode(why.into())),
            weight: weight.map(Weight),
            letter: Some(letter),
            queue: Arc::clone(queue),
            hub: Arc::clone(hub),
        }
    }

    fn letter(&self) -> &Letter {
        self.letter
            .as_ref()
            .expect("taken only by what ends the delivery")
    }

    pub(crate) fn count(&self) -> u64 {
        self.letter().count
    }

    /// Ends the delivery; `Ok` hands out the message.
    fn end(&mut self, how: &str) -> Result<Letter, AckError> {
        let letter = self.letter.take().expect("a delivery ends once");
        let line = format!("{how} {}", letter.text());
        let told = self.hub.perform(line);
        self.hub.ends();
        if !self.hub.transport.settles {
            return Err(AckError::Unsupported);
        }
        match told {
            Ok(()) => Ok(letter),
            // The broker still has it, and brings it back by its own rules.
            Err(refused) => {
                self.put_back(letter);
                Err(AckError::Broker(refused.into()))
            }
        }
    }

    fn put_back(&self, mut letter: Letter) {
        letter.count += 1;
        self.queue.push(letter);
    }
}

impl IncomingMessage for Delivery {
    fn payload(&self) -> &[u8] {
        &self.letter().payload
    }

    fn headers(&self) -> &HeaderMap {
        self.hub.asked.fetch_add(1, Ordering::SeqCst);
        &self.letter().headers
    }

    fn partition_key(&self) -> Option<&[u8]> {
        self.letter().headers.get("key")
    }

    fn redelivery_count(&self) -> Option<u64> {
        self.hub.transport.counts.then(|| self.count())
    }

    fn decode_error(&self) -> Option<&CodecError> {
        self.reported.as_ref()
    }

    async fn ack(mut self) -> Result<(), AckError> {
        self.end("ack").map(drop)
    }

    async fn nack(mut self, requeue: bool) -> Result<(), AckError> {
        let letter = self.end(if requeue { "requeue" } else { "drop" })?;
        if requeue {
            self.put_back(letter);
        }
        Ok(())
    }

    fn supports_nack_after(&self) -> bool {
        self.hub.transport.holds
    }

    async fn nack_after(mut self, delay: Duration) -> Result<(), AckError> {
        let mut letter = self.end(&format!("after {delay:?}"))?;
        if self.hub.transport.copies {
            letter = letter.copied(self.hub.transport);
        } else {
            letter.count += 1;
        }
        let queue = Arc::clone(&self.queue);
        let runtime = self
            .hub
            .runtime
            .get()
            .expect("a delivery comes from a connected broker");
        runtime.spawn(async move {
            tokio::time::sleep(delay).await;
            queue.push(letter);
        });
        Ok(())
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        if let Some(letter) = self.letter.take() {
            self.hub.journal.note(format!("left {}", letter.text()));
            self.hub.ends();
            if self.hub.transport.settles {
                self.put_back(letter);
            }
        }
    }
}

impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivery").finish_non_exhaustive()
    }
}

impl Carries<Weight> for Delivery {
    fn carried(&self) -> Option<&Weight> {
        self.weight.as_ref()
    }
}

/// A batch. It lends the weights of its deliveries up to the first that has none.
#[derive(Debug)]
pub(crate) struct Rack {
    weights: Vec<Weight>,
    deliveries: Vec<Delivery>,
}

impl Rack {
    pub(super) fn new(mut deliveries: Vec<Delivery>) -> Self {
        let weights = deliveries
            .iter_mut()
            .map_while(|delivery| delivery.weight.take())
            .collect();
        Self {
            weights,
            deliveries,
        }
    }
}

impl IntoIterator for Rack {
    type Item = Delivery;
    type IntoIter = std::vec::IntoIter<Delivery>;

    fn into_iter(self) -> Self::IntoIter {
        self.deliveries.into_iter()
    }
}

impl CarriesBatch<Weight> for Rack {
    fn carried(&self) -> &[Weight] {
        &self.weights
    }
}

/// The context of a delivery, or of a batch by its first delivery.
#[derive(Debug)]
pub(crate) struct Stamp {
    count: u64,
    note: String,
}

impl Stamp {
    fn of(delivery: &Delivery) -> Self {
        Self {
            count: delivery.count(),
            note: delivery
                .letter()
                .headers
                .get_str("note")
                .unwrap_or("none")
                .to_owned(),
        }
    }
}

impl BuildContext<Delivery> for Stamp {
    fn build(delivery: &Delivery) -> Self {
        Self::of(delivery)
    }
}

impl BuildBatchContext<Delivery> for Stamp {
    fn build(first: &Delivery) -> Self {
        Self::of(first)
    }
}

/// How often the delivery came.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Count;

impl ContextField for Count {
    type Context = Stamp;
    type Value = u64;

    fn read(self, stamp: &Stamp) -> u64 {
        stamp.count
    }
}

impl Field<Stamp> for Count {
    type Value<'a> = u64;

    fn get(self, stamp: &Stamp) -> u64 {
        stamp.count
    }
}

/// What the header `note` says; a layer may write over it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Note;

impl Field<Stamp> for Note {
    type Value<'a> = &'a str;

    fn get(self, stamp: &Stamp) -> &str {
        &stamp.note
    }
}

impl FieldMut<Stamp> for Note {
    type Owned = String;

    fn set(self, stamp: &mut Stamp, note: String) {
        stamp.note = note;
    }
}
