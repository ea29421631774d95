//! The live connection, shared by everything that was opened through it.

mod current;
mod epoch;
mod outage;
mod replies;
mod revival;
mod shutdown;
mod subscription;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use async_nats::client::FlushError;
use async_nats::connection::State;
use async_nats::jetstream::Context;
use async_nats::message::OutboundMessage;
use async_nats::{Message, Subject};
use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::time::timeout;

use self::current::{Current, Epochs};
use self::epoch::Epoch;
use self::replies::Replies;
pub(crate) use self::revival::Dial;
pub(crate) use self::shutdown::Totals;
pub(crate) use self::subscription::Subscription;
use crate::about::about;
use crate::error::NatsError;

/// How long an opening waits for the server to have registered it.
const OPENING_LIMIT: Duration = Duration::from_secs(1);

pub(crate) struct Connection {
    epochs: Epochs,
    /// Where the client's tasks run, whoever asks; none if a client was adopted outside a runtime.
    runtime: Option<Handle>,
    closed: AtomicBool,
    /// Cleared once the server left one unanswered: it will not answer the next either.
    answers_round_trips: AtomicBool,
    /// How another client is made; none if this one was adopted.
    dial: Option<Dial>,
    /// Where the servers are, for logs and errors: without credentials.
    place: String,
    this: Weak<Self>,
    #[cfg(feature = "testing")]
    pub(crate) openings: crate::openings::Openings,
}

impl Connection {
    pub(crate) fn new(client: async_nats::Client, dial: Option<Dial>) -> Arc<Self> {
        let place = dial.as_ref().map_or_else(
            || {
                let info = client.server_info();
                format!("{}:{}", info.host, info.port)
            },
            |dial| dial.hosts.clone(),
        );
        let connection = Arc::new_cyclic(|this| Self {
            epochs: Epochs::new(Epoch::new(0, client)),
            runtime: Handle::try_current().ok(),
            closed: AtomicBool::new(false),
            answers_round_trips: AtomicBool::new(true),
            dial,
            place,
            this: Weak::clone(this),
            #[cfg(feature = "testing")]
            openings: crate::openings::Openings::default(),
        });
        outage::watch(&connection);
        connection
    }

    #[inline]
    pub(crate) fn epoch(&self) -> Current<'_> {
        self.epochs.current()
    }

    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    pub(crate) fn runtime(&self) -> Option<Handle> {
        self.runtime.clone()
    }

    pub(crate) fn jetstream(&self) -> Context {
        self.epoch().jetstream(self.runtime.as_ref()).clone()
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.epoch().client().connection_state() == State::Connected
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    #[inline]
    pub(crate) fn ensure_open(&self, subject: &str) -> Result<(), NatsError> {
        if self.is_closed() {
            return Err(NatsError::closed(subject));
        }
        Ok(())
    }

    /// Hands a frame to the client's writer.
    #[inline]
    pub(crate) async fn send(&self, frame: OutboundMessage) -> Result<(), NatsError> {
        let sent = self.epoch().send(frame).await;
        sent.map_err(NatsError::publish)
    }

    /// Sends `frame` with a reply subject of its own and waits for the first reply.
    ///
    /// `Ok(None)` if the epoch ended first.
    pub(crate) async fn ask(&self, frame: OutboundMessage) -> Result<Option<Message>, NatsError> {
        let epoch = self.epoch();
        let replies = self.replies(&epoch).await?;
        epoch::ask(&epoch, replies, frame).await
    }

    async fn replies<'s>(&self, epoch: &'s Epoch) -> Result<&'s Replies, NatsError> {
        let open = || async {
            let runtime = self.runtime.clone().or_else(|| Handle::try_current().ok());
            let runtime =
                runtime.ok_or_else(|| NatsError::publish("no Tokio runtime is running"))?;
            let (connection, number) = (Weak::clone(&self.this), epoch.number());
            let ended = move |end| revival::ended(&connection, number, end);
            Replies::open(epoch.client(), runtime, ended).await
        };
        epoch.replies.get_or_try_init(open).await
    }

    /// A subscription, with the number of the epoch that it ends with.
    pub(crate) async fn subscribe(
        &self,
        subject: &str,
        group: Option<&str>,
    ) -> Result<(Subscription, u64), NatsError> {
        self.ensure_open(subject)?;
        let epoch = self.epoch();
        // Through it the end of the epoch is noticed.
        self.replies(&epoch).await?;
        let opened = epoch.subscribe(subject, group, self.runtime()).await;
        let opened = opened.map_err(|error| {
            let what = format!("subscription `{subject}` at {}", self.place);
            NatsError::subscribe(about(error, what))
        })?;
        Ok((opened, epoch.number()))
    }

    /// Waits for the first connect, where the client was handed over before it.
    ///
    /// The client's queue moves once it has a server; what waits for a reply must not begin before.
    pub(crate) async fn first_connect(&self) -> Result<(), FlushError> {
        let epoch = self.epoch();
        if epoch.client().connection_state() == State::Pending {
            epoch.client().flush().await?;
        }
        Ok(())
    }

    /// Returns once the server has registered the subscriptions made so far.
    ///
    /// Nothing that the client offers proves that: a flush empties the socket buffer alone.
    pub(crate) async fn registered(&self) -> Result<(), NatsError> {
        self.first_connect().await.map_err(NatsError::subscribe)?;
        if self.answers_round_trips.load(Ordering::Relaxed) {
            if timeout(OPENING_LIMIT, self.round_trip()).await == Ok(true) {
                return Ok(());
            }
            if self.is_connected() {
                self.answers_round_trips.store(false, Ordering::Relaxed);
            }
        }
        let epoch = self.epoch();
        epoch.client().flush().await.map_err(NatsError::subscribe)
    }

    /// Whether the server has read everything that was sent before: it said that nobody listens on
    /// a subject made up for the purpose.
    async fn round_trip(&self) -> bool {
        let nobody = OutboundMessage {
            subject: Subject::from(self.epoch().client().new_inbox()),
            reply: None,
            payload: Bytes::new(),
            headers: None,
        };
        matches!(self.ask(nobody).await, Ok(Some(_)))
    }
}
