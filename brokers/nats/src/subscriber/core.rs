//! Reading a Core subject.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use futures_util::stream::poll_fn;
use ruststream::Subscriber;

use crate::connection::{Connection, Subscription};
use crate::error::NatsError;
use crate::message::{CoreMessage, NatsMessage};

/// Reads the deliveries of one Core subscription.
pub(crate) struct CoreReader {
    feed: Feed,
}

enum Feed {
    Live(LiveFeed),
    #[cfg(feature = "testing")]
    InProcess(crate::in_process::CoreFeed),
}

impl CoreReader {
    /// Subscribes, and returns once the server has registered it.
    pub(crate) async fn open(
        connection: Arc<Connection>,
        subject: String,
        group: Option<String>,
    ) -> Result<Self, NatsError> {
        let feed = LiveFeed::open(connection, subject, group).await?;
        Ok(Self {
            feed: Feed::Live(feed),
        })
    }

    #[cfg(feature = "testing")]
    pub(crate) const fn in_process(feed: crate::in_process::CoreFeed) -> Self {
        Self {
            feed: Feed::InProcess(feed),
        }
    }

    #[inline]
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<CoreMessage>> {
        match &mut self.feed {
            Feed::Live(feed) => feed.poll_message(cx),
            #[cfg(feature = "testing")]
            Feed::InProcess(feed) => feed.poll_message(cx),
        }
    }
}

impl Subscriber for CoreReader {
    type Message = NatsMessage;
    type Error = NatsError;

    fn stream(&mut self) -> impl Stream<Item = Result<NatsMessage, NatsError>> + Send + '_ {
        poll_fn(|cx| {
            let message = ready!(self.poll_message(cx));
            Poll::Ready(message.map(|message| Ok(NatsMessage::Core(Box::new(message)))))
        })
    }
}

type Reopening = Pin<Box<dyn Future<Output = Option<(Subscription, u64)>> + Send>>;

/// A subscription on the server, opened again if the epoch under it was replaced.
struct LiveFeed {
    connection: Arc<Connection>,
    subject: String,
    group: Option<String>,
    subscription: Option<Subscription>,
    /// The epoch that the subscription ends with.
    epoch: u64,
    reopening: Option<Reopening>,
}

impl LiveFeed {
    async fn open(
        connection: Arc<Connection>,
        subject: String,
        group: Option<String>,
    ) -> Result<Self, NatsError> {
        let (subscription, epoch) = connection.subscribe(&subject, group.as_deref()).await?;
        connection.registered().await?;
        Ok(Self {
            connection,
            subject,
            group,
            subscription: Some(subscription),
            epoch,
            reopening: None,
        })
    }

    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<CoreMessage>> {
        loop {
            if let Some(subscription) = &mut self.subscription {
                if let Some(message) = ready!(subscription.poll_next(cx)) {
                    return Poll::Ready(Some(CoreMessage::new(message)));
                }
                self.subscription = None;
                let connection = Arc::clone(&self.connection);
                let (subject, group) = (self.subject.clone(), self.group.clone());
                self.reopening = Some(Box::pin(connection.reopen(subject, group, self.epoch)));
            }
            let Some(reopening) = &mut self.reopening else {
                return Poll::Ready(None);
            };
            let reopened = ready!(reopening.as_mut().poll(cx));
            self.reopening = None;
            if let Some((subscription, epoch)) = reopened {
                self.subscription = Some(subscription);
                self.epoch = epoch;
            }
        }
    }
}
