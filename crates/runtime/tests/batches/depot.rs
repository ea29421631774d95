//! A broker by hand: it delivers prepared batches once and keeps a journal.

use std::collections::VecDeque;
use std::fmt::{self, Write as _};
use std::future::Future;
use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock, Mutex};

use futures_core::Stream;
use ruststream_core::{
    AckError, AddressedCopies, BatchSubscriber, Broker, ConnectedBroker, DefaultPublish,
    DescribeServer, HeaderMap, IncomingMessage, Lend, OutgoingMessage, PairError, PublishPolicy,
    Publisher, ServerSpec, Subscribe, Subscriber, TransactionalPublisher,
};
use ruststream_runtime::{
    App, AppInfo, BrokerScope, Context, Handle, HandlerOutcome, HealthProbe, HealthState,
    RustStream, RustStreamError,
};
use tokio::sync::Notify;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata};

/// What the broker saw, in order; lines of failed operations end in `!`.
#[derive(Default)]
pub(crate) struct Hub {
    journal: Mutex<Vec<String>>,
    /// Batches to deliver, and deliveries not ended yet.
    waiting: Mutex<(VecDeque<Vec<Parcel>>, usize)>,
    /// Beginnings of lines whose operation fails, once each.
    failing: Mutex<Vec<&'static str>>,
    changed: Notify,
    /// The size that the mount asked for.
    pub(crate) asked: Mutex<Option<usize>>,
}

impl Hub {
    pub(crate) fn with(batches: Vec<Vec<Parcel>>) -> Arc<Self> {
        let hub = Arc::new(Self::default());
        let count = batches.iter().map(Vec::len).sum();
        *hub.waiting.lock().unwrap() = (batches.into(), count);
        hub
    }

    /// Fails the next operation whose line begins so.
    pub(crate) fn fail(&self, beginning: &'static str) {
        self.failing.lock().unwrap().push(beginning);
    }

    pub(crate) fn note(&self, line: String) {
        self.journal.lock().unwrap().push(line);
    }

    fn perform(&self, line: String) -> Result<(), Refused> {
        let mut failing = self.failing.lock().unwrap();
        let Some(place) = failing
            .iter()
            .position(|beginning| line.starts_with(beginning))
        else {
            self.note(line);
            return Ok(());
        };
        failing.remove(place);
        self.note(line + "!");
        Err(Refused)
    }

    fn ended(&self) {
        self.waiting.lock().unwrap().1 -= 1;
        self.changed.notify_waiters();
    }

    async fn all_ended(&self) {
        loop {
            let changed = self.changed.notified();
            if self.waiting.lock().unwrap().1 == 0 {
                return;
            }
            changed.await;
        }
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.journal.lock().unwrap())
    }
}

#[derive(Debug, thiserror::Error)]
#[error("refused")]
pub(crate) struct Refused;

/// A delivery; its number is its payload unless it was given another.
pub(crate) struct Parcel {
    pub(crate) id: u32,
    payload: Vec<u8>,
    headers: HeaderMap,
    counted: Option<u64>,
    hub: Option<Arc<Hub>>,
}

pub(crate) fn parcel(id: u32) -> Parcel {
    let payload = id.to_string().into_bytes();
    Parcel {
        id,
        payload,
        headers: HeaderMap::new(),
        counted: None,
        hub: None,
    }
}

pub(crate) fn parcels(ids: impl IntoIterator<Item = u32>) -> Vec<Parcel> {
    ids.into_iter().map(parcel).collect()
}

impl Parcel {
    pub(crate) fn holding(mut self, payload: &str) -> Self {
        self.payload = payload.into();
        self
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Its transport counts deliveries.
    pub(crate) fn delivered(mut self, times: u64) -> Self {
        self.counted = Some(times);
        self
    }

    fn end(mut self, how: &str) {
        let hub = self.hub.take().expect("delivered");
        hub.note(format!("{how} {}", self.id));
        hub.ended();
    }
}

impl Drop for Parcel {
    fn drop(&mut self) {
        if let Some(hub) = self.hub.take() {
            hub.note(format!("left {}", self.id));
            hub.ended();
        }
    }
}

impl IncomingMessage for Parcel {
    fn payload(&self) -> &[u8] {
        &self.payload
    }
    fn headers(&self) -> &HeaderMap {
        &self.headers
    }
    fn redelivery_count(&self) -> Option<u64> {
        self.counted
    }
    async fn ack(self) -> Result<(), AckError> {
        self.end("ack");
        Ok(())
    }
    async fn nack(self, requeue: bool) -> Result<(), AckError> {
        self.end(if requeue { "requeue" } else { "drop" });
        Ok(())
    }
}

pub(crate) struct Depot(pub(crate) Arc<Hub>);
pub(crate) struct ConnectedDepot(Arc<Hub>);
pub(crate) struct Belt(Arc<Hub>);

impl Broker for Depot {
    type Error = Refused;
    type Connected = ConnectedDepot;
    async fn connect(self) -> Result<ConnectedDepot, Refused> {
        Ok(ConnectedDepot(self.0))
    }
}

impl DescribeServer for Depot {
    fn describe_server(&self) -> ServerSpec {
        ServerSpec::new("depot", "depot")
    }
}

impl ConnectedBroker for ConnectedDepot {
    type Error = Refused;
    type Closed = ();
    async fn shutdown(self) -> Result<(), Refused> {
        Ok(())
    }
}

impl Subscribe for ConnectedDepot {
    type Subscriber = Belt;
    type Copies = AddressedCopies;
    async fn subscribe(&self, _name: &str) -> Result<Belt, Refused> {
        Ok(Belt(Arc::clone(&self.0)))
    }
}

impl Belt {
    fn next(&self) -> Option<Vec<Parcel>> {
        let mut batch = self.0.waiting.lock().unwrap().0.pop_front()?;
        for parcel in &mut batch {
            parcel.hub = Some(Arc::clone(&self.0));
        }
        Some(batch)
    }
}

impl Subscriber for Belt {
    type Message = Parcel;
    type Error = Refused;
    fn stream(&mut self) -> impl Stream<Item = Result<Parcel, Refused>> + Send + '_ {
        futures_util::stream::pending()
    }
}

impl BatchSubscriber for Belt {
    type Batch = Vec<Parcel>;
    fn batches(
        &mut self,
        size: NonZeroUsize,
    ) -> impl Stream<Item = Result<Vec<Parcel>, Refused>> + Send + '_ {
        *self.0.asked.lock().unwrap() = Some(size.get());
        futures_util::stream::poll_fn(|_| match self.next() {
            Some(batch) => std::task::Poll::Ready(Some(Ok(batch))),
            None => std::task::Poll::Pending,
        })
    }
}

/// Publishes, alone or in transactions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Publish {
    base: HeaderMap,
}

impl Publish {
    pub(crate) fn with_base(name: &'static str, value: &'static str) -> Self {
        Self {
            base: HeaderMap::from_iter([(name, value)]),
        }
    }
}

pub(crate) struct Clerk {
    hub: Arc<Hub>,
    base: HeaderMap,
    open: Mutex<bool>,
}

impl PublishPolicy<ConnectedDepot> for Publish {
    type Live = Clerk;
    async fn pair(self, connected: &ConnectedDepot) -> Result<Clerk, PairError> {
        Ok(Clerk {
            hub: Arc::clone(&connected.0),
            base: self.base,
            open: Mutex::new(false),
        })
    }
}

impl DefaultPublish for ConnectedDepot {
    type Policy = Publish;
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
        tokio::task::yield_now().await;
        let mut line = format!(
            "publish {} {}",
            message.name(),
            String::from_utf8_lossy(message.payload())
        );
        let mut headers: Vec<_> = message
            .headers()
            .iter()
            .map(|(name, value)| format!(" {name}={}", String::from_utf8_lossy(value)))
            .collect();
        headers.sort();
        line.extend(headers);
        self.hub.perform(line)
    }

    fn base_headers(&self) -> Option<&HeaderMap> {
        Some(&self.base).filter(|base| !base.is_empty())
    }
}

impl TransactionalPublisher for Clerk {
    async fn begin_transaction(&self) -> Result<(), Refused> {
        if std::mem::replace(&mut *self.open.lock().unwrap(), true) {
            self.hub.note("begin while open".into());
            return Err(Refused);
        }
        let begun = self.hub.perform("begin".into());
        *self.open.lock().unwrap() = begun.is_ok();
        begun
    }
    async fn commit(&self) -> Result<(), Refused> {
        *self.open.lock().unwrap() = false;
        self.hub.perform("commit".into())
    }
    async fn abort(&self) -> Result<(), Refused> {
        *self.open.lock().unwrap() = false;
        self.hub.perform("abort".into())
    }
}

/// While only one subscriber exists, `tracing` asks the current thread's for all threads.
static ANOTHER: LazyLock<tracing::Dispatch> =
    LazyLock::new(|| tracing::Dispatch::new(Recorder(Arc::default())));

/// Notes warnings and errors of the current thread until it is dropped.
pub(crate) struct Logs {
    lines: Arc<Mutex<Vec<String>>>,
    _default: tracing::subscriber::DefaultGuard,
}

impl Logs {
    pub(crate) fn start() -> Self {
        let lines = Arc::default();
        let recorder = Recorder(Arc::clone(&lines));
        LazyLock::force(&ANOTHER);
        Self {
            lines,
            _default: tracing::subscriber::set_default(recorder),
        }
    }

    /// The one line with that text.
    pub(crate) fn line(&self, text: &str) -> String {
        let lines = self.lines.lock().unwrap();
        let mut with_text = lines.iter().filter(|line| line.contains(text));
        let line = with_text
            .next()
            .unwrap_or_else(|| panic!("no `{text}` in {lines:?}"));
        assert!(
            with_text.next().is_none(),
            "more than one `{text}` in {lines:?}"
        );
        line.clone()
    }
}

struct Recorder(Arc<Mutex<Vec<String>>>);

#[derive(Default)]
struct Line {
    text: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.text = format!("{value:?}");
        } else {
            let _ = write!(self.fields, " {}={value:?}", field.name());
        }
    }
}

impl tracing::Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        let (level, target) = (event.metadata().level(), event.metadata().target());
        let line = format!("{level} {target}: {}{}", line.text, line.fields);
        self.0.lock().unwrap().push(line);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// How a service over the prepared batches ended.
pub(crate) struct Ran {
    pub(crate) journal: Vec<String>,
    pub(crate) result: Result<(), RustStreamError>,
    probe: HealthProbe,
}

impl Ran {
    pub(crate) fn failure(&self) -> Option<String> {
        match self.probe.state() {
            HealthState::Failed { reason } => Some(reason),
            _ => None,
        }
    }
}

/// Runs a service until every delivery has ended.
pub(crate) async fn run(hub: &Arc<Hub>, mount: impl FnOnce(&mut BrokerScope<Depot>)) -> Ran {
    let service =
        RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(Depot(Arc::clone(hub)), mount);
    ran(hub, service).await
}

pub(crate) async fn ran(hub: &Arc<Hub>, service: impl App) -> Ran {
    let running = service.start().await.expect("starts");
    let probe = running.health();
    hub.all_ended().await;
    let result = running.shutdown().await;
    Ran {
        journal: hub.take(),
        result,
        probe,
    }
}

/// A closure over a slice of numbers as a body.
pub(crate) struct Over<F>(pub(crate) F);

impl<R, C, F, Fut> Handle<[u32], R, (), C> for Over<F>
where
    F: Fn(&[u32], &mut Context<'_, C>) -> Fut + Send + Sync,
    Fut: Future<Output = Result<R, Vec<HandlerOutcome>>> + Send,
    R: Send,
    C: Send,
{
    fn handle(
        &self,
        input: &[u32],
        (): &(),
        ctx: &mut Context<'_, C>,
    ) -> impl Future<Output = Result<R, Vec<HandlerOutcome>>> + Send {
        (self.0)(input, ctx)
    }
}

/// Every element gets the same verdict.
pub(crate) fn each(
    verdict: impl Fn() -> HandlerOutcome + Send + Sync,
) -> impl Handle<[u32], (), ()> {
    Over(move |input: &[u32], _: &mut Context<'_>| {
        let outcomes = input.iter().map(|_| verdict()).collect();
        std::future::ready(Err(outcomes))
    })
}

pub(crate) fn lines(journal: &[String]) -> Vec<&str> {
    journal.iter().map(String::as_str).collect()
}
