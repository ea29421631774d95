//! The points of the contract at which a toy can be made dishonest.

use std::future::{pending, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use ruststream_core::testing::{Backlog, Coordinator};
use ruststream_core::{AckError, DeclareRetryError, RetryDeclaration, ServerSpec};

use super::contract::{Parcel, Slot};
use super::honest::{Delivery, Link, Reader, SeekHandle, Sender, Side, ToyError, keeps, refused};
use super::world::{Letter, World};

pub(crate) type Task<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
pub(crate) type Settled<'a> = Task<'a, Result<(), AckError>>;
pub(crate) type Done<'a> = Task<'a, Result<(), ToyError>>;

/// An answer that is there at once.
pub(crate) fn now<'a, T: Send + 'a>(answer: T) -> Task<'a, T> {
    Box::pin(ready(answer))
}

/// An answer that never comes.
pub(crate) fn hanging<'a, T: Send + 'a>() -> Task<'a, T> {
    Box::pin(pending())
}

/// A settlement that fails.
pub(crate) fn failing<'a>() -> Settled<'a> {
    now(Err(refused()))
}

/// A settlement that the transport does not have.
pub(crate) fn unsupported<'a>() -> Settled<'a> {
    now(Err(AckError::Unsupported))
}

/// What a toy does at each point. The provided methods are honest.
pub(crate) trait Twist: Send + Sync + 'static {
    fn connect<'a>(
        &'a self,
        world: &'a Arc<World>,
        side: Side,
    ) -> Task<'a, Result<Link, ToyError>> {
        now(Ok(Link::connect(world, side)))
    }

    fn shutdown(&self, link: Link) -> Done<'_> {
        link.close();
        now(Ok(()))
    }

    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        now(link.subscribe(slot.name(), slot.moves()))
    }

    fn declare(&self, declaration: &RetryDeclaration) -> Result<(), DeclareRetryError> {
        if declaration.declares_nothing() || declaration.both().is_some() {
            return Ok(());
        }
        Err(DeclareRetryError::Broker(Box::new(ToyError::Refused(
            "half a declaration",
        ))))
    }

    fn address(&self, name: &str) -> String {
        name.to_owned()
    }

    /// What becomes of a subscription whose subscriber is dropped.
    fn leave(&self, reader: Reader) {
        drop(reader);
    }

    /// The `Debug` text of one of the toy's types.
    fn shown(&self, name: &str) -> String {
        name.to_owned()
    }

    // Reading.

    fn next<'a>(&'a self, reader: &'a mut Reader) -> Task<'a, Option<Result<Delivery, ToyError>>> {
        Box::pin(async { reader.next().await.map(Ok) })
    }

    fn next_batch<'a>(
        &'a self,
        reader: &'a mut Reader,
        size: usize,
    ) -> Task<'a, Option<Result<Vec<Delivery>, ToyError>>> {
        Box::pin(async move { reader.next_batch(size).await.map(Ok) })
    }

    fn count(&self, delivery: &Delivery) -> Option<u64> {
        Some(delivery.item().count)
    }

    fn key(&self, delivery: &Delivery) -> Option<Vec<u8>> {
        delivery
            .letter()
            .headers
            .get("partition-key")
            .map(<[u8]>::to_vec)
    }

    fn carried(&self, delivery: &Delivery) -> Option<Parcel> {
        Parcel::of(delivery.letter())
    }

    /// The values of a batch, and its deliveries in their order.
    fn carried_batch(&self, batch: Vec<Delivery>) -> (Vec<Parcel>, Vec<Delivery>) {
        let mut batch = batch;
        // Stable: those that lend nothing come last.
        batch.sort_by_key(|delivery| self.carried(delivery).is_none());
        let values = batch
            .iter()
            .filter_map(|delivery| self.carried(delivery))
            .collect();
        (values, batch)
    }

    // Settling.

    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        delivery.consume();
        now(Ok(()))
    }

    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        delivery.nack(requeue);
        now(Ok(()))
    }

    fn delays(&self) -> bool {
        true
    }

    fn nack_after(&self, delivery: Delivery, delay: Duration) -> Settled<'_> {
        if delivery.link.is_closed() {
            return failing();
        }
        delivery.put_back_after(delay);
        now(Ok(()))
    }

    fn dropped(&self, delivery: Delivery) {
        drop(delivery);
    }

    // Publishing.

    fn urgency(&self, policy: u8, call: Option<u8>) -> Result<u8, ToyError> {
        match call.unwrap_or(policy) {
            urgency @ 0..=3 => Ok(urgency),
            _ => Err(ToyError::Refused("urgency runs from 0 to 3")),
        }
    }

    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        now(sender.publish(letter))
    }

    fn begin<'a>(&'a self, sender: &'a Sender) -> Done<'a> {
        now(sender.begin())
    }

    fn commit<'a>(&'a self, sender: &'a Sender) -> Done<'a> {
        now(sender.commit())
    }

    fn abort<'a>(&'a self, sender: &'a Sender) -> Done<'a> {
        now(sender.abort().map(drop))
    }

    fn open_owned<'a>(&'a self, link: &'a Link) -> Done<'a> {
        now(link.live())
    }

    fn commit_owned<'a>(&'a self, link: &'a Link, letters: Vec<Letter>) -> Done<'a> {
        now(link.commit(letters))
    }

    fn request<'a>(
        &'a self,
        sender: &'a Sender,
        letter: Letter,
        wait: Duration,
    ) -> Task<'a, Result<Arc<Letter>, ToyError>> {
        Box::pin(sender.request(letter, wait))
    }

    fn seek<'a>(&'a self, handle: &'a SeekHandle, to: usize) -> Done<'a> {
        now(handle.seek(to))
    }

    // In process.

    fn install(&self, link: &Link, coordinator: Coordinator) {
        drop(link.world().coordinator.set(coordinator));
    }

    fn inject(&self, link: &Link, letter: Letter) {
        link.publish(letter).expect("the toy is open");
    }

    fn published(&self, link: &Link, name: &str) -> Vec<Arc<Letter>> {
        link.world().logged(name)
    }

    fn routes(&self, link: &Link, destination: &str, subscriptions: &[&str]) -> Vec<usize> {
        let next = link.world().next_readers(destination);
        let equal = (0..subscriptions.len()).filter(|&at| subscriptions[at] == destination);
        let of_its_name: Vec<_> = equal.collect();
        next.into_iter()
            .filter_map(|at| of_its_name.get(at).copied())
            .collect()
    }

    fn backlog(&self, link: &Link) -> Backlog {
        if keeps(link) {
            Backlog::Delivered
        } else {
            Backlog::Missed
        }
    }

    fn server(&self) -> ServerSpec {
        ServerSpec::in_process("toy")
    }
}

/// A source, whatever its copy path.
pub(crate) trait Slotted: Sync {
    fn name(&self) -> &str;
    fn moves(&self) -> Option<(u32, String)>;
}

impl<Copies> Slotted for Slot<Copies> {
    fn name(&self) -> &str {
        &self.name
    }

    fn moves(&self) -> Option<(u32, String)> {
        let declared = self.declared.as_ref()?;
        declared
            .both()
            .map(|(cap, dead)| (cap.get(), dead.to_owned()))
    }
}

/// Changes nothing.
#[derive(Debug)]
pub(crate) struct Honest;

impl Twist for Honest {}
