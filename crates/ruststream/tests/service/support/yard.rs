//! The broker.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ruststream::{
    AddressedCopies, Broker, ConnectedBroker, DeclareRetryError, DefaultPublish, DescribeServer,
    RetryDeclaration, ServerSpec, Subscribe,
};
use tokio::runtime::Handle;

use super::journal::Journal;
use super::policy::Publish;
use super::queue::{Letter, Queue, Transport};
use super::subscription::Subscription;

/// What the yard was told to refuse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the yard refuses: {0}")]
pub(crate) struct Refused(pub(crate) String);

/// A broker that notes what is done with it; a clone is the same one. Operations that failed are
/// noted with a `!`.
#[derive(Debug, Clone)]
pub(crate) struct Yard(pub(super) Arc<Hub>);

#[derive(Debug)]
pub(super) struct Hub {
    pub(super) name: &'static str,
    pub(super) transport: Transport,
    pub(super) journal: Journal,
    pub(super) runtime: OnceLock<Handle>,
    queues: Mutex<HashMap<String, Arc<Queue>>>,
    failing: Mutex<Vec<(String, usize)>>,
    out: Mutex<Out>,
    /// Publishers and subscriptions that exist.
    pub(super) held: AtomicUsize,
    broken: OnceLock<&'static str>,
    /// How often headers were asked for.
    pub(super) asked: AtomicUsize,
}

#[derive(Debug, Default)]
struct Out {
    now: usize,
    most: usize,
}

impl Yard {
    pub(crate) fn new(transport: Transport) -> Self {
        Self::named("yard", transport, &Journal::default())
    }

    /// One of several brokers that share a journal.
    pub(crate) fn named(name: &'static str, transport: Transport, journal: &Journal) -> Self {
        Self(Arc::new(Hub {
            name,
            transport,
            journal: journal.clone(),
            runtime: OnceLock::new(),
            queues: Mutex::default(),
            failing: Mutex::default(),
            out: Mutex::default(),
            held: AtomicUsize::new(0),
            broken: OnceLock::new(),
            asked: AtomicUsize::new(0),
        }))
    }

    pub(crate) fn journal(&self) -> &Journal {
        &self.0.journal
    }

    pub(crate) fn send(&self, name: &str, letter: Letter) {
        self.0.queue(name).push(letter);
    }

    /// Sends the numbers as payloads.
    pub(crate) fn send_all(&self, name: &str, numbers: impl IntoIterator<Item = u32>) {
        for number in numbers {
            self.send(name, Letter::new(number));
        }
    }

    /// What waits under a name, such as dead letters that nobody reads.
    pub(crate) fn waiting(&self, name: &str) -> Vec<Letter> {
        self.0.queue(name).waiting()
    }

    /// Its subscription yields so many errors next.
    pub(crate) fn err(&self, name: &str, times: usize) {
        self.0.queue(name).err(times);
    }

    /// Its subscription ends after what waits.
    pub(crate) fn end(&self, name: &str) {
        self.0.queue(name).end();
    }

    /// Fails the next operations whose lines begin so.
    pub(crate) fn fail(&self, line: impl Into<String>, times: usize) {
        self.0
            .failing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((line.into(), times));
    }

    /// Operations whose lines begin so panic, as broken code of a broker would.
    pub(crate) fn break_at(&self, line: &'static str) {
        let _ = self.0.broken.set(line);
    }

    /// The most deliveries that were taken and not settled at one time.
    pub(crate) fn most_out(&self) -> usize {
        self.0
            .out
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .most
    }

    /// How often the headers of a delivery were asked for.
    pub(crate) fn headers_asked(&self) -> usize {
        self.0.asked.load(Ordering::SeqCst)
    }

    /// How many deliveries are taken and not settled.
    pub(crate) fn out(&self) -> usize {
        self.0
            .out
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .now
    }
}

impl Hub {
    pub(super) fn queue(&self, name: &str) -> Arc<Queue> {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(queues.entry(name.to_owned()).or_default())
    }

    /// Notes an operation, unless it was to fail.
    pub(super) fn perform(&self, line: String) -> Result<(), Refused> {
        if let Some(broken) = self.broken.get() {
            assert!(!line.starts_with(broken), "the yard's own code breaks");
        }
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        let failure = failing
            .iter_mut()
            .find(|(start, left)| *left > 0 && line.starts_with(start.as_str()));
        let Some((_, left)) = failure else {
            drop(failing);
            self.journal.note(line);
            return Ok(());
        };
        *left -= 1;
        drop(failing);
        self.journal.note(format!("{line}!"));
        Err(Refused(line))
    }

    pub(super) fn takes(&self) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.now += 1;
        out.most = out.most.max(out.now);
    }

    pub(super) fn ends(&self) {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).now -= 1;
    }
}

impl Broker for Yard {
    type Error = Refused;
    type Connected = ConnectedYard;

    async fn connect(self) -> Result<ConnectedYard, Refused> {
        self.0.perform(format!("connect {}", self.0.name))?;
        self.0.runtime.get_or_init(Handle::current);
        Ok(ConnectedYard(self.0))
    }
}

impl DescribeServer for Yard {
    fn describe_server(&self) -> ServerSpec {
        ServerSpec::new(self.0.name, "yard")
    }
}

#[derive(Debug)]
pub(crate) struct ConnectedYard(pub(super) Arc<Hub>);

impl ConnectedBroker for ConnectedYard {
    type Error = Refused;
    type Closed = ();

    async fn shutdown(self) -> Result<(), Refused> {
        let held = self.0.held.load(Ordering::SeqCst);
        let held = if held == 0 {
            String::new()
        } else {
            format!(" though {held} are held")
        };
        self.0.perform(format!("shutdown {}{held}", self.0.name))
    }
}

impl Subscribe for ConnectedYard {
    type Subscriber = Subscription;
    type Copies = AddressedCopies;

    async fn subscribe(&self, name: &str) -> Result<Subscription, Refused> {
        Subscription::open(&self.0, name)
    }

    fn declare_retry(
        &self,
        name: &str,
        declaration: &RetryDeclaration,
    ) -> Result<(), DeclareRetryError> {
        declare(&self.0, name, declaration)
    }
}

/// The broker's own part in declaring.
pub(super) fn declare(
    hub: &Hub,
    name: &str,
    declaration: &RetryDeclaration,
) -> Result<(), DeclareRetryError> {
    // Only what is declared is worth a line.
    if declaration.declares_nothing() {
        return Ok(());
    }
    let attempts = declaration.max_attempts();
    let dead_letter = declaration.dead_letter().unwrap_or("none");
    let told = hub.perform(format!("declare on {name} {attempts:?} {dead_letter}"));
    told.map_err(|refused| DeclareRetryError::Broker(refused.into()))
}

impl DefaultPublish for ConnectedYard {
    type Policy = Publish;
}
