//! The connected broker, and what remains of it after shutdown.

use std::fmt;
use std::sync::Arc;

use async_nats::{Client, jetstream};
use ruststream::{AddressedCopies, ConnectedBroker, DefaultPublish, ServerSpec, Subscribe};

use crate::connection::{Connection, Totals};
use crate::error::NatsError;
use crate::link::Link;
use crate::publish::{NatsPublish, NatsPublishPolicy};
use crate::source::{CoreOpening, CoreSubject, JetStreamSubject, NatsSubscription, Opening};
use crate::subscriber::{CoreReader, NatsSubscriber, PullReader};

/// A [`NatsBroker`](crate::NatsBroker) that is connected.
///
/// Handles made from it (publishers, subscriptions, deliveries) share the connection and may outlive
/// it; after [`shutdown`](ConnectedBroker::shutdown) they answer with errors.
///
/// What the server forbids an account it says to the client's event callback alone: a Core
/// subscription opens and stays silent, a Core publish is `Ok`. A JetStream operation without
/// permission ends as an error, after its time.
pub struct ConnectedNatsBroker {
    link: Link,
}

// NATS-04
#[cfg(not(feature = "testing"))]
const _: () = assert!(size_of::<ConnectedNatsBroker>() == size_of::<usize>());

impl ConnectedNatsBroker {
    pub(crate) const fn new(link: Link) -> Self {
        Self { link }
    }

    pub(crate) const fn link(&self) -> &Link {
        &self.link
    }

    /// Adopts a connected client: one that is shared, or was authenticated in a way that options
    /// cannot express. No I/O.
    ///
    /// The current Tokio runtime, if there is one, becomes the broker's. A shutdown drains this
    /// client, for its other holders too. A client whose task stops at a frame it cannot read is not
    /// replaced, as one that the broker connected itself would be: its subscriptions end.
    #[must_use]
    pub fn from_client(client: Client) -> Self {
        Self::new(Link::Live(Connection::new(client, None)))
    }

    /// A publisher on this connection.
    #[must_use]
    pub fn publisher<P: NatsPublishPolicy>(&self, policy: P) -> P::Live {
        policy.bind(self)
    }

    /// The client of this connection.
    ///
    /// # Panics
    ///
    /// On a broker connected in process, which has none.
    #[must_use]
    pub fn client(&self) -> Client {
        match &self.link {
            Link::Live(connection) => connection.epoch().client().clone(),
            #[cfg(feature = "testing")]
            Link::InProcess(_) => {
                panic!("a nats broker connected in process has no client: nothing was dialled")
            }
        }
    }

    /// A JetStream context on this connection, to create and delete streams with.
    ///
    /// # Panics
    ///
    /// On a broker connected in process, which has none; on an adopted client if neither the
    /// adoption nor this call is inside a Tokio runtime.
    #[must_use]
    pub fn jetstream(&self) -> jetstream::Context {
        match &self.link {
            Link::Live(connection) => connection.jetstream(),
            #[cfg(feature = "testing")]
            Link::InProcess(_) => panic!(
                "a nats broker connected in process has no JetStream context: nothing was dialled"
            ),
        }
    }

    /// The server as it announces itself, which may differ from the configured address.
    #[must_use]
    pub fn server_spec(&self) -> ServerSpec {
        match &self.link {
            Link::Live(connection) => {
                let info = connection.epoch().client().server_info();
                ServerSpec::new(format!("{}:{}", info.host, info.port), "nats")
                    .protocol_version(info.proto.to_string())
            }
            #[cfg(feature = "testing")]
            Link::InProcess(_) => ServerSpec::in_process("nats"),
        }
    }

    /// Opens a subscription.
    ///
    /// A Core subscription is registered on the server when this returns, so a producer that
    /// publishes from then on is heard. A JetStream subscription has its consumer created, or
    /// updated.
    ///
    /// # Errors
    ///
    /// [`NatsError::InvalidOptions`] for a descriptor without a subject, or with a wildcard where
    /// one subject is read; [`NatsError::Subscribe`] for a malformed subject or queue group;
    /// [`NatsError::JetStream`] for a stream that is missing, a name or filter that the server does
    /// not take, or a consumer that cannot be updated so; [`NatsError::Closed`] on a connection that
    /// was shut down.
    pub async fn subscribe_with<S: NatsSubscription>(
        &self,
        source: S,
    ) -> Result<NatsSubscriber, NatsError> {
        source.ensure_subject()?;
        match source.opening() {
            Opening::Core(opening) => self.open_core(opening).await,
            Opening::JetStream(source) => self.open_stream(source).await,
        }
    }

    async fn open_core(&self, opening: CoreOpening) -> Result<NatsSubscriber, NatsError> {
        opening.ensure_valid()?;
        let (subject, group) = (opening.subject.clone(), opening.group.clone());
        match &self.link {
            Link::Live(connection) => {
                let reader = CoreReader::open(Arc::clone(connection), subject, group).await?;
                let subscriber =
                    NatsSubscriber::core(opening.subject.clone(), reader, opening.max_wait);
                #[cfg(feature = "testing")]
                let subscriber = subscriber.recorded(Some(connection.openings.core(&opening)));
                Ok(subscriber)
            }
            #[cfg(feature = "testing")]
            Link::InProcess(bus) => {
                let reader = CoreReader::in_process(bus.open_core(&opening)?);
                Ok(NatsSubscriber::core(subject, reader, opening.max_wait))
            }
        }
    }

    async fn open_stream(&self, source: JetStreamSubject) -> Result<NatsSubscriber, NatsError> {
        let (subject, stream) = (source.subject().to_owned(), source.stream().to_owned());
        match &self.link {
            Link::Live(connection) => {
                #[cfg(feature = "testing")]
                let recorded = connection.openings.stream(&source);
                let reader = PullReader::open(Arc::clone(connection), source).await?;
                let subscriber = NatsSubscriber::jetstream(subject, stream, reader);
                #[cfg(feature = "testing")]
                let subscriber = subscriber.recorded(Some(recorded));
                Ok(subscriber)
            }
            #[cfg(feature = "testing")]
            Link::InProcess(bus) => {
                let reader = PullReader::InProcess(bus.open_stream(&source)?);
                Ok(NatsSubscriber::jetstream(subject, stream, reader))
            }
        }
    }
}

impl ConnectedBroker for ConnectedNatsBroker {
    type Error = NatsError;
    type Closed = ClosedNatsBroker;

    /// Ends the connection for all of its handles.
    ///
    /// What was published and settled before is on the server when this returns `Ok`, unless a
    /// warning was logged: then the server did not confirm within 5 s, or is not connected. Open
    /// subscriptions end once what they have received was read.
    ///
    /// # Errors
    ///
    /// [`NatsError::Shutdown`] if the client cannot be drained.
    async fn shutdown(self) -> Result<ClosedNatsBroker, NatsError> {
        let totals = match &self.link {
            Link::Live(connection) => connection.shut_down().await?,
            #[cfg(feature = "testing")]
            Link::InProcess(bus) => bus.shut_down(),
        };
        Ok(ClosedNatsBroker { totals })
    }
}

impl Subscribe for ConnectedNatsBroker {
    type Subscriber = NatsSubscriber;
    type Copies = AddressedCopies;

    /// Opens a [`CoreSubject`] of that name.
    async fn subscribe(&self, name: &str) -> Result<NatsSubscriber, NatsError> {
        self.subscribe_with(CoreSubject::new(name)).await
    }
}

impl DefaultPublish for ConnectedNatsBroker {
    type Policy = NatsPublish;
}

impl fmt::Debug for ConnectedNatsBroker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectedNatsBroker")
            .finish_non_exhaustive()
    }
}

/// What went over a connection in its life.
///
/// JetStream requests, acknowledgements and what the crate itself asks the server are counted too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClosedNatsBroker {
    totals: Totals,
}

impl ClosedNatsBroker {
    /// How many messages were sent.
    #[must_use]
    pub const fn messages_sent(&self) -> u64 {
        self.totals.sent
    }

    /// How many messages were received.
    #[must_use]
    pub const fn messages_received(&self) -> u64 {
        self.totals.received
    }

    /// How often the connection was made: the first time, and every reconnect.
    #[must_use]
    pub const fn connects(&self) -> u64 {
        self.totals.connects
    }
}
