//! A consumer on the server, and what is on its way from it.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::pull::Config;
use async_nats::jetstream::consumer::{DeliverPolicy, Info};
use async_nats::jetstream::response::Response;
use async_nats::message::OutboundMessage;
use async_nats::{Message, Subject};
use serde_json::json;
use tokio::time::timeout;

use super::request::Request;
use crate::ack::DeliveryInfo;
use crate::connection::{Connection, Subscription};
use crate::error::NatsError;
use crate::in_hand::InHand;
use crate::message::{JetStreamMessage, Settle};
use crate::source::{JetStreamSubject, NatsSubscription};
use crate::unopened;

/// How long a server may take to say whether the consumer is still there.
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

pub(crate) struct Consumer {
    pub(super) connection: Arc<Connection>,
    pub(super) source: JetStreamSubject,
    name: String,
    /// Where its messages arrive.
    pub(super) inbox: Subject,
    /// None once the epoch under it ended.
    pub(super) subscription: Option<Subscription>,
    /// The epoch that the subscription ends with.
    pub(super) epoch: u64,
    /// How many messages were asked for and have not arrived.
    pub(super) outstanding: usize,
    /// How often the epoch had connected when the consumer was last known to be there.
    connects: u64,
    /// The consumer has to be looked up before it is pulled from again.
    pub(super) doubtful: bool,
    /// Kept where the consumer, and its position, may be removed at any time.
    in_hand: Option<Arc<InHand>>,
}

/// A consumer that was looked up, or made again.
#[derive(Debug)]
pub(super) struct Found {
    name: String,
    connects: u64,
}

impl Consumer {
    pub(super) async fn open(
        connection: Arc<Connection>,
        source: JetStreamSubject,
    ) -> Result<Self, NatsError> {
        source.ensure_names()?;
        connection.ensure_open(source.filter())?;
        connection
            .first_connect()
            .await
            .map_err(NatsError::jetstream)?;
        let connects = connection.epoch().connects();
        let name = create(&connection, &source, source.config()).await?;
        let inbox = Subject::from(connection.epoch().client().new_inbox());
        let (subscription, epoch) = connection.subscribe(&inbox, None).await?;
        let in_hand = source.is_ephemeral().then(Arc::default);
        Ok(Self {
            connection,
            source,
            name,
            inbox,
            subscription: Some(subscription),
            epoch,
            outstanding: 0,
            connects,
            doubtful: false,
            in_hand,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the server may have forgotten what it was asked for.
    #[inline]
    pub(super) fn is_doubtful(&self) -> bool {
        self.doubtful || self.connection.epoch().connects() != self.connects
    }

    /// So many messages fewer will come.
    pub(super) const fn gives_up(&mut self, unsent: usize) {
        self.outstanding = self.outstanding.saturating_sub(unsent);
    }

    /// Nothing that was asked for will come.
    pub(super) const fn lost_all(&mut self) {
        self.outstanding = 0;
        self.doubtful = true;
    }

    #[inline]
    pub(super) fn delivery(&mut self, message: Message) -> JetStreamMessage {
        self.outstanding = self.outstanding.saturating_sub(1);
        let tracked = self.in_hand.as_ref().and_then(|in_hand| {
            let told = message.reply.as_deref().and_then(DeliveryInfo::parse)?;
            Some(Box::new(in_hand.arrived(told.stream_sequence)))
        });
        let connection = Arc::clone(&self.connection);
        JetStreamMessage::new(
            message,
            Settle::Live {
                connection,
                tracked,
            },
        )
    }

    pub(super) fn found(&mut self, found: Found) {
        self.name = found.name;
        self.connects = found.connects;
        self.outstanding = 0;
        self.doubtful = false;
    }

    /// Asks for messages.
    pub(super) fn pull(
        &self,
        request: &Request,
    ) -> impl Future<Output = Result<(), NatsError>> + Send + 'static {
        let (stream, name) = (self.source.stream(), &self.name);
        let frame = OutboundMessage {
            subject: Subject::from(format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.{name}")),
            reply: Some(self.inbox.clone()),
            payload: request.payload.clone(),
            headers: None,
        };
        let connection = Arc::clone(&self.connection);
        async move {
            let sent = connection.send(frame).await;
            sent.map_err(NatsError::jetstream)
        }
    }

    /// Looks the consumer up, and makes it again if it is gone.
    ///
    /// A durable one starts over as declared: its position, which other processes share, went with
    /// it. An ephemeral one goes on where this subscription is.
    pub(super) fn find(&self) -> impl Future<Output = Result<Found, NatsError>> + Send + 'static {
        let connection = Arc::clone(&self.connection);
        let source = self.source.clone();
        let name = self.name.clone();
        let resumes_at = self
            .in_hand
            .as_ref()
            .and_then(|in_hand| in_hand.resumes_at());
        async move {
            let connects = connection.epoch().connects();
            if exists(&connection, source.stream(), &name).await? {
                return Ok(Found { name, connects });
            }
            let mut config = source.config();
            if let Some(start_sequence) = resumes_at {
                config.deliver_policy = DeliverPolicy::ByStartSequence { start_sequence };
            }
            let made = create(&connection, &source, config).await?;
            tracing::warn!(
                target: "ruststream::nats",
                subscription = source.subject(), stream = source.stream(), consumer = %made,
                starts = if source.is_ephemeral() { "where it was" } else { "as declared" },
                "the consumer was gone and was made again"
            );
            Ok(Found {
                name: made,
                connects,
            })
        }
    }
}

async fn create(
    connection: &Connection,
    source: &JetStreamSubject,
    config: Config,
) -> Result<String, NatsError> {
    let context = connection.jetstream();
    let created = context.create_consumer_on_stream(config, source.stream());
    let consumer = created
        .await
        .map_err(|error| unopened::consumer(error, source, connection.place()))?;
    Ok(consumer.cached_info().name.clone())
}

async fn exists(connection: &Connection, stream: &str, name: &str) -> Result<bool, NatsError> {
    let context = connection.jetstream();
    let nothing = json!({});
    let asked = context.request(format!("CONSUMER.INFO.{stream}.{name}"), &nothing);
    let answer = timeout(ANSWER_LIMIT, asked)
        .await
        .map_err(NatsError::jetstream)?;
    match answer.map_err(NatsError::jetstream)? {
        Response::Ok::<Info>(_) => Ok(true),
        Response::Err { error } if error.error_code() == ErrorCode::CONSUMER_NOT_FOUND => Ok(false),
        Response::Err { error } => Err(NatsError::jetstream(error)),
    }
}
