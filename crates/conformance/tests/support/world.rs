//! The server: what is published, who reads it, and what is still queued.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::task::{Context, Poll, Waker};

use ruststream_core::HeaderMap;
use ruststream_core::testing::Coordinator;
use tokio::sync::oneshot;

/// How the subscriptions of one name share its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Each gets every message published since it opened.
    Each,
    /// They are one group, which keeps what no member took, also between connections.
    Shared,
}

/// A message.
#[derive(Debug, Clone, Default)]
pub(crate) struct Letter {
    pub(crate) name: String,
    pub(crate) payload: Vec<u8>,
    pub(crate) headers: HeaderMap,
    pub(crate) urgency: u8,
    /// Which message of its name it is.
    pub(crate) position: usize,
}

/// A message on its way to one subscription.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) letter: Arc<Letter>,
    /// How often it was handed out, the next time included.
    pub(crate) count: u64,
}

impl Item {
    pub(crate) fn of(letter: &Arc<Letter>) -> Self {
        Self {
            letter: Arc::clone(letter),
            count: 1,
        }
    }
}

/// Counts one item for as long as it is queued or held.
#[derive(Debug)]
pub(crate) struct Ticket(Coordinator);

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.consumed();
    }
}

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) kind: Kind,
    pub(crate) coordinator: OnceLock<Coordinator>,
    connections: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    log: Vec<Arc<Letter>>,
    topics: HashMap<String, Topic>,
    inboxes: HashMap<String, oneshot::Sender<Arc<Letter>>>,
    inboxes_made: usize,
}

#[derive(Debug, Default)]
struct Topic {
    readers: Vec<Weak<Queue>>,
    /// Whose turn it is in a group.
    turn: usize,
    /// What a group keeps for its next member.
    kept: VecDeque<Item>,
}

impl Topic {
    fn readers(&mut self) -> Vec<Arc<Queue>> {
        self.readers.retain(|reader| reader.strong_count() > 0);
        self.readers.iter().filter_map(Weak::upgrade).collect()
    }

    fn hand_out(&mut self, kind: Kind, item: Item) {
        let readers = self.readers();
        match kind {
            Kind::Each => readers.iter().for_each(|reader| reader.push(item.clone())),
            Kind::Shared if readers.is_empty() => self.kept.push_back(item),
            Kind::Shared => {
                readers[self.turn % readers.len()].push(item);
                self.turn += 1;
            }
        }
    }
}

impl World {
    pub(crate) fn new(kind: Kind) -> Arc<Self> {
        Arc::new(Self {
            kind,
            coordinator: OnceLock::new(),
            connections: AtomicUsize::new(0),
            state: Mutex::default(),
        })
    }

    /// The number of a new connection, from one.
    pub(crate) fn connection(&self) -> usize {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics under this lock")
    }

    /// Takes a message: logs it and routes it. A reply goes to its request alone.
    pub(crate) fn publish(&self, letter: Letter) {
        if !letter.name.starts_with("inbox.") {
            let letter = self.log(letter);
            return self.route(&letter);
        }
        let waiting = self.state().inboxes.remove(&letter.name);
        if let Some(waiting) = waiting {
            drop(waiting.send(Arc::new(letter)));
        }
    }

    pub(crate) fn log(&self, mut letter: Letter) -> Arc<Letter> {
        let mut state = self.state();
        let of_its_name = |old: &&Arc<Letter>| old.name == letter.name;
        letter.position = state.log.iter().filter(of_its_name).count();
        let letter = Arc::new(letter);
        state.log.push(Arc::clone(&letter));
        letter
    }

    /// What was published under a name.
    pub(crate) fn logged(&self, name: &str) -> Vec<Arc<Letter>> {
        let state = self.state();
        let of_its_name = state.log.iter().filter(|letter| letter.name == name);
        of_its_name.cloned().collect()
    }

    pub(crate) fn route(&self, letter: &Arc<Letter>) {
        self.hand_out(Item::of(letter));
    }

    fn hand_out(&self, item: Item) {
        let mut state = self.state();
        let topic = state.topics.entry(item.letter.name.clone()).or_default();
        topic.hand_out(self.kind, item);
    }

    /// The open subscriptions of a name, in the order they were opened.
    pub(crate) fn readers(&self, name: &str) -> Vec<Arc<Queue>> {
        let mut state = self.state();
        state
            .topics
            .get_mut(name)
            .map(Topic::readers)
            .unwrap_or_default()
    }

    /// Which of the open subscriptions of a name get its next message.
    pub(crate) fn next_readers(&self, name: &str) -> Vec<usize> {
        let open = self.readers(name).len();
        match self.kind {
            Kind::Each => (0..open).collect(),
            Kind::Shared if open == 0 => Vec::new(),
            Kind::Shared => vec![self.state().topics[name].turn % open],
        }
    }

    pub(crate) fn attach(&self, queue: &Arc<Queue>) {
        let mut state = self.state();
        let topic = state.topics.entry(queue.name.clone()).or_default();
        topic.readers.push(Arc::downgrade(queue));
        for item in topic.kept.drain(..) {
            queue.push(item);
        }
    }

    /// A subscription that gets nothing more; what it had queued stays with its group.
    pub(crate) fn detach(&self, queue: &Arc<Queue>) {
        let mut state = self.state();
        let topic = state.topics.entry(queue.name.clone()).or_default();
        topic
            .readers
            .retain(|reader| !std::ptr::eq(reader.as_ptr(), Arc::as_ptr(queue)));
        if self.kind == Kind::Shared {
            queue.open.store(false, Ordering::Relaxed);
            for item in queue.take_all() {
                topic.hand_out(self.kind, item);
            }
        }
    }

    /// Puts a message back for its subscription, or its group.
    pub(crate) fn put_back(&self, queue: &Queue, item: Item) {
        if queue.open.load(Ordering::Relaxed) {
            queue.push(item);
        } else if self.kind == Kind::Shared {
            self.hand_out(item);
        }
    }

    /// A reply address, and what is sent there.
    pub(crate) fn inbox(&self) -> (String, oneshot::Receiver<Arc<Letter>>) {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state();
        state.inboxes_made += 1;
        let name = format!("inbox.{}", state.inboxes_made);
        state.inboxes.insert(name.clone(), sender);
        (name, receiver)
    }

    pub(crate) fn forget_inbox(&self, name: &str) {
        self.state().inboxes.remove(name);
    }
}

/// One subscription's queue.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) name: String,
    /// Cap and dead-letter name, where the server moves spent messages.
    pub(crate) moves: Option<(u32, String)>,
    pub(crate) world: Arc<World>,
    /// Whether what is put back can still be read here.
    pub(crate) open: AtomicBool,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    items: VecDeque<(Item, Option<Ticket>)>,
    waker: Option<Waker>,
}

impl Queue {
    pub(crate) fn new(world: &Arc<World>, name: &str, moves: Option<(u32, String)>) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            moves,
            world: Arc::clone(world),
            open: AtomicBool::new(true),
            inner: Mutex::default(),
        })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics under this lock")
    }

    fn ticket(&self) -> Option<Ticket> {
        let coordinator = self.world.coordinator.get()?;
        coordinator.enqueued();
        Some(Ticket(coordinator.clone()))
    }

    pub(crate) fn push(&self, item: Item) {
        let ticket = self.ticket();
        let mut inner = self.inner();
        inner.items.push_back((item, ticket));
        wake(inner);
    }

    pub(crate) fn push_front(&self, item: Item) {
        let ticket = self.ticket();
        let mut inner = self.inner();
        inner.items.push_front((item, ticket));
        wake(inner);
    }

    pub(crate) fn poll_pop(&self, cx: &Context<'_>) -> Poll<(Item, Option<Ticket>)> {
        let mut inner = self.inner();
        if let Some(item) = inner.items.pop_front() {
            return Poll::Ready(item);
        }
        inner.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    pub(crate) fn take_all(&self) -> Vec<Item> {
        let taken = std::mem::take(&mut self.inner().items);
        taken.into_iter().map(|(item, _ticket)| item).collect()
    }

    /// Lets the reader look again.
    pub(crate) fn wake(&self) {
        wake(self.inner());
    }
}

fn wake(mut inner: MutexGuard<'_, Inner>) {
    let waker = inner.waker.take();
    drop(inner);
    if let Some(waker) = waker {
        waker.wake();
    }
}
