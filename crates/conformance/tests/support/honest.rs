//! Connections to the server, and everything honest that can be done with one.

use std::fmt;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll};
use std::thread::{self, ThreadId};
use std::time::Duration;

use ruststream_core::AckError;
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

use super::world::{Item, Kind, Letter, Queue, Ticket, World};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ToyError {
    #[error("the toy's connection is closed")]
    Closed,
    #[error("the toy refuses: {0}")]
    Refused(&'static str),
    #[error("the toy got no reply")]
    NoReply,
}

/// Where a connection leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Server,
    InProcess,
}

/// A connection. A clone is the same one.
#[derive(Clone)]
pub(crate) struct Link(Arc<Shared>);

struct Shared {
    world: Arc<World>,
    side: Side,
    number: usize,
    closed: AtomicBool,
    /// Where it connected; whoever calls from another thread has a runtime that ends.
    home: ThreadId,
    runtime: Handle,
    queues: Mutex<Vec<Weak<Queue>>>,
}

impl Link {
    pub(crate) fn connect(world: &Arc<World>, side: Side) -> Self {
        Self(Arc::new(Shared {
            world: Arc::clone(world),
            side,
            number: world.connection(),
            closed: AtomicBool::new(false),
            home: thread::current().id(),
            runtime: Handle::current(),
            queues: Mutex::default(),
        }))
    }

    pub(crate) fn world(&self) -> &Arc<World> {
        &self.0.world
    }

    pub(crate) fn side(&self) -> Side {
        self.0.side
    }

    /// Which connection of its world this is, from one.
    pub(crate) fn number(&self) -> usize {
        self.0.number
    }

    pub(crate) fn runtime(&self) -> &Handle {
        &self.0.runtime
    }

    /// Whether the caller is on a runtime of its own.
    pub(crate) fn is_elsewhere(&self) -> bool {
        thread::current().id() != self.0.home
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.0.closed.load(Ordering::Relaxed)
    }

    pub(crate) fn live(&self) -> Result<(), ToyError> {
        if self.is_closed() {
            return Err(ToyError::Closed);
        }
        Ok(())
    }

    pub(crate) fn close(&self) {
        self.0.closed.store(true, Ordering::Relaxed);
        let queues = std::mem::take(&mut *self.0.queues.lock().expect("not poisoned"));
        for queue in queues.iter().filter_map(Weak::upgrade) {
            self.world().detach(&queue);
            queue.wake();
        }
    }

    pub(crate) fn subscribe(
        &self,
        name: &str,
        moves: Option<(u32, String)>,
    ) -> Result<Reader, ToyError> {
        self.live()?;
        let queue = Queue::new(self.world(), name, moves);
        self.world().attach(&queue);
        let mut queues = self.0.queues.lock().expect("not poisoned");
        queues.push(Arc::downgrade(&queue));
        Ok(Reader {
            link: self.clone(),
            queue,
        })
    }

    pub(crate) fn publish(&self, letter: Letter) -> Result<(), ToyError> {
        self.live()?;
        self.world().publish(letter);
        Ok(())
    }
}

/// An open subscription.
pub(crate) struct Reader {
    pub(crate) link: Link,
    pub(crate) queue: Arc<Queue>,
}

impl Reader {
    pub(crate) async fn next(&mut self) -> Option<Delivery> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// As `next`, but the stream of a closed connection stays open.
    pub(crate) async fn next_for_ever(&mut self) -> Delivery {
        poll_fn(|cx| self.poll_delivery(cx)).await
    }

    fn poll_next(&mut self, cx: &Context<'_>) -> Poll<Option<Delivery>> {
        match self.poll_delivery(cx) {
            Poll::Pending if self.link.is_closed() => Poll::Ready(None),
            polled => polled.map(Some),
        }
    }

    fn poll_delivery(&mut self, cx: &Context<'_>) -> Poll<Delivery> {
        self.queue.poll_pop(cx).map(|(item, ticket)| Delivery {
            item: Some(item),
            ticket,
            queue: Arc::clone(&self.queue),
            link: self.link.clone(),
        })
    }

    /// One delivery, and whatever else is there, up to `size`.
    pub(crate) async fn next_batch(&mut self, size: usize) -> Option<Vec<Delivery>> {
        let mut batch = vec![self.next().await?];
        poll_fn(|cx| {
            while batch.len() < size {
                match self.poll_next(cx) {
                    Poll::Ready(Some(delivery)) => batch.push(delivery),
                    Poll::Ready(None) | Poll::Pending => break,
                }
            }
            Poll::Ready(())
        })
        .await;
        Some(batch)
    }

    pub(crate) fn seek_handle(&self) -> SeekHandle {
        SeekHandle {
            link: self.link.clone(),
            queue: Arc::downgrade(&self.queue),
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.link.world().detach(&self.queue);
        self.queue.open.store(false, Ordering::Relaxed);
        // What a group had queued here went back to it; the rest is gone.
        drop(self.queue.take_all());
    }
}

/// Moves a subscription.
#[derive(Clone)]
pub(crate) struct SeekHandle {
    pub(crate) link: Link,
    queue: Weak<Queue>,
}

impl SeekHandle {
    pub(crate) fn seek(&self, to: usize) -> Result<(), ToyError> {
        self.link.live()?;
        let queue = self.queue.upgrade().ok_or(ToyError::Closed)?;
        let log = self.link.world().logged(&queue.name);
        if to >= log.len() {
            return Err(ToyError::Refused("no such position"));
        }
        drop(queue.take_all());
        log[to..]
            .iter()
            .for_each(|letter| queue.push(Item::of(letter)));
        Ok(())
    }

    pub(crate) fn queue(&self) -> Option<Arc<Queue>> {
        self.queue.upgrade()
    }
}

/// A message handed to a subscription. Dropped unsettled it goes back.
pub(crate) struct Delivery {
    item: Option<Item>,
    ticket: Option<Ticket>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) link: Link,
}

impl Delivery {
    pub(crate) fn item(&self) -> &Item {
        self.item.as_ref().expect("taken only by what consumes it")
    }

    pub(crate) fn letter(&self) -> &Letter {
        &self.item().letter
    }

    pub(crate) fn payload(&self) -> &[u8] {
        &self.letter().payload
    }

    pub(crate) fn is(&self, payload: &str) -> bool {
        self.payload() == payload.as_bytes()
    }

    /// Takes the message out; it is then settled, and no longer counted.
    pub(crate) fn consume(mut self) -> Item {
        self.ticket = None;
        self.item.take().expect("taken only here")
    }

    /// Changes its message; other deliveries of it stay as they are.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Letter)) {
        let item = self.item.as_mut().expect("taken only by what consumes it");
        change(Arc::make_mut(&mut item.letter));
    }

    pub(crate) fn put_back(mut self) {
        self.go_back();
    }

    fn go_back(&mut self) {
        let Some(mut item) = self.item.take() else {
            return;
        };
        item.count += 1;
        // The new ticket is there before the old one goes.
        self.link.world().put_back(&self.queue, item);
        self.ticket = None;
    }

    /// As `put_back`, unless its attempts are spent and the server moves such messages.
    pub(crate) fn requeue(self) {
        match &self.queue.moves {
            Some((cap, dead)) if self.item().count >= u64::from(*cap) => {
                let dead = dead.clone();
                self.move_to(&dead);
            }
            _ => self.put_back(),
        }
    }

    pub(crate) fn move_to(self, name: &str) {
        let link = self.link.clone();
        let mut letter = Letter::clone(&self.consume().letter);
        name.clone_into(&mut letter.name);
        link.world().publish(letter);
    }

    /// Puts a message back after a delay, on the clock of the runtime that connected.
    pub(crate) fn put_back_after(self, delay: Duration) {
        let (queue, link) = (Arc::clone(&self.queue), self.link.clone());
        let mut item = self.consume();
        item.count += 1;
        link.clone()
            .later(delay, move || link.world().put_back(&queue, item));
    }

    pub(crate) fn nack(self, requeue: bool) {
        if requeue {
            self.requeue();
        } else {
            self.consume();
        }
    }
}

impl Link {
    /// Runs `act` after a delay of the runtime that connected.
    pub(crate) fn later(self, delay: Duration, act: impl FnOnce() + Send + 'static) {
        match self.world().coordinator.get() {
            Some(coordinator) => {
                let _entered = self.runtime().enter();
                coordinator.schedule_redelivery(delay, act);
            }
            None => {
                self.runtime().spawn(async move {
                    sleep(delay).await;
                    act();
                });
            }
        }
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        self.go_back();
    }
}

impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivery").finish_non_exhaustive()
    }
}

/// Publishes on a connection.
pub(crate) struct Sender {
    pub(crate) link: Link,
    transaction: Mutex<Option<Vec<Letter>>>,
}

impl Sender {
    pub(crate) fn new(link: &Link) -> Self {
        Self {
            link: link.clone(),
            transaction: Mutex::new(None),
        }
    }

    /// Publishes, or adds to the open transaction.
    pub(crate) fn publish(&self, letter: Letter) -> Result<(), ToyError> {
        match &mut *self.transaction.lock().expect("not poisoned") {
            Some(buffer) => buffer.push(letter),
            None => self.link.publish(letter)?,
        }
        Ok(())
    }

    pub(crate) fn begin(&self) -> Result<(), ToyError> {
        let mut transaction = self.transaction.lock().expect("not poisoned");
        if transaction.is_some() {
            return Err(ToyError::Refused("a transaction is open"));
        }
        *transaction = Some(Vec::new());
        Ok(())
    }

    pub(crate) fn abort(&self) -> Result<Vec<Letter>, ToyError> {
        let open = self.transaction.lock().expect("not poisoned").take();
        open.ok_or(ToyError::Refused("no transaction is open"))
    }

    pub(crate) fn commit(&self) -> Result<(), ToyError> {
        self.link.commit(self.abort()?)
    }

    pub(crate) async fn request(
        &self,
        mut letter: Letter,
        wait: Duration,
    ) -> Result<Arc<Letter>, ToyError> {
        let (name, reply) = self.link.world().inbox();
        letter.headers.insert("reply-to", name.clone());
        letter.headers.insert("correlation-id", name.clone());
        self.link.publish(letter)?;
        let reply = timeout(wait, reply).await;
        self.link.world().forget_inbox(&name);
        reply
            .map_err(|_| ToyError::NoReply)?
            .map_err(|_| ToyError::NoReply)
    }
}

impl Link {
    /// Publishes a whole buffer, or nothing of it.
    pub(crate) fn commit(&self, letters: Vec<Letter>) -> Result<(), ToyError> {
        self.live()?;
        for letter in letters {
            self.world().publish(letter);
        }
        Ok(())
    }
}

/// The refusal of a settlement.
pub(crate) fn refused() -> AckError {
    AckError::broker(ToyError::Refused("a settlement"))
}

/// Whether the world of a connection keeps messages between connections.
pub(crate) fn keeps(link: &Link) -> bool {
    link.world().kind == Kind::Shared
}
