//! Driving a consumer: pull, take what arrives, and notice when nothing will.
//!
//! A reading is made anew with each stream over the subscription and may be dropped at any point;
//! what must not be lost (messages that arrived, how many are on their way) is the consumer's.
//!
//! What ends a pull, and how that is noticed:
//!
//! | the server | what is seen | then |
//! |---|---|---|
//! | ends it | a status | pull again |
//! | stops | a status, then the client reconnects | look the consumer up, pull again |
//! | dies | the client reconnects | look the consumer up, pull again |
//! | forgot the consumer | a status, or no heartbeat | look it up, make it again, pull |

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use async_nats::{Message, StatusCode};
use tokio::time::{Instant, Sleep, sleep};

use super::consumer::Consumer;
use super::errand::{Done, Errand};
use super::pace::{Pace, Told};
use super::request::Request;
use super::status::Status;
use crate::error::NatsError;
use crate::message::NatsMessage;
use crate::source::NatsSubscription;

/// How often a reading that waits looks whether the client has reconnected.
const GLANCE: Duration = Duration::from_millis(250);

pub(super) struct Reading {
    request: Request,
    errand: Option<Errand>,
    pace: Pace,
    glance: Option<Pin<Box<Sleep>>>,
    /// Something arrived since the last glance.
    active: bool,
    idle_since: Option<Instant>,
}

pub(super) enum Step {
    Message(NatsMessage),
    /// Nothing more comes of what was asked for. Told only to who holds an open batch.
    Spent,
}

impl Reading {
    pub(super) const fn new(request: Request) -> Self {
        Self {
            request,
            errand: None,
            pace: Pace::new(),
            glance: None,
            active: true,
            idle_since: None,
        }
    }

    pub(super) fn poll(
        &mut self,
        consumer: &mut Consumer,
        holding: bool,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Step, NatsError>>> {
        loop {
            if self.errand.is_none() {
                let doubtful = consumer.is_doubtful();
                if holding && (doubtful || consumer.outstanding == 0) {
                    return Poll::Ready(Some(Ok(Step::Spent)));
                }
                self.errand = self.next_errand(consumer, doubtful);
            }
            if let Some(errand) = &mut self.errand
                && let Poll::Ready(done) = errand.poll(cx)
            {
                self.errand = None;
                if let Err(error) = self.done(consumer, done) {
                    return Poll::Ready(Some(Err(error)));
                }
                continue;
            }
            match &mut consumer.subscription {
                None if self.errand.is_none() => return Poll::Ready(None),
                None => return Poll::Pending,
                Some(subscription) => match subscription.poll_next(cx) {
                    Poll::Ready(Some(message)) => {
                        if let Some(step) = self.take(consumer, message) {
                            return Poll::Ready(Some(step));
                        }
                    }
                    Poll::Ready(None) => {
                        consumer.subscription = None;
                        self.errand = Some(Errand::reopen(consumer));
                    }
                    Poll::Pending => {
                        ready!(self.poll_glance(cx));
                        if let Err(error) = self.look_around(consumer) {
                            return Poll::Ready(Some(Err(error)));
                        }
                    }
                },
            }
        }
    }

    fn next_errand(&self, consumer: &Consumer, doubtful: bool) -> Option<Errand> {
        // None without an epoch: nothing is asked for any more.
        consumer.subscription.as_ref()?;
        let wanting = doubtful || consumer.outstanding <= self.request.low;
        if !wanting || !consumer.connection.is_connected() {
            return None;
        }
        Some(if doubtful {
            Errand::find(consumer)
        } else {
            Errand::pull(consumer, &self.request)
        })
    }

    fn done(&mut self, consumer: &mut Consumer, done: Done) -> Result<(), NatsError> {
        match done {
            Done::Waited | Done::Reopened(None) => Ok(()),
            Done::Pulled(Ok(())) => {
                consumer.outstanding += self.request.batch;
                Ok(())
            }
            Done::Found(Ok(found)) => {
                consumer.found(found);
                Ok(())
            }
            Done::Pulled(Err(error)) | Done::Found(Err(error)) => self.failed(consumer, error),
            Done::Reopened(Some((subscription, epoch))) => {
                consumer.subscription = Some(subscription);
                consumer.epoch = epoch;
                consumer.lost_all();
                Ok(())
            }
        }
    }

    #[inline]
    fn take(
        &mut self,
        consumer: &mut Consumer,
        message: Message,
    ) -> Option<Result<Step, NatsError>> {
        self.active = true;
        if let Some(code) = message.status {
            return self.take_status(consumer, code, &message).err().map(Err);
        }
        self.works(consumer);
        let message = NatsMessage::JetStream(Box::new(consumer.delivery(message)));
        Some(Ok(Step::Message(message)))
    }

    #[cold]
    fn take_status(
        &mut self,
        consumer: &mut Consumer,
        code: StatusCode,
        message: &Message,
    ) -> Result<(), NatsError> {
        let description = message.description.as_deref().unwrap_or_default();
        match Status::read(code, message) {
            Status::Idle => {
                self.works(consumer);
                Ok(())
            }
            Status::Over { unsent } => {
                self.works(consumer);
                consumer.gives_up(unsent.unwrap_or(self.request.batch));
                Ok(())
            }
            Status::Gone => {
                consumer.lost_all();
                // The connection is about to go as well; asking now would be asking nobody.
                self.errand = Some(Errand::wait(GLANCE));
                Ok(())
            }
            Status::Deleted => {
                consumer.lost_all();
                let error = NatsError::jetstream("the consumer was deleted on the server");
                self.failed(consumer, error)
            }
            Status::NobodyServes => {
                consumer.lost_all();
                let error = NatsError::jetstream("no server answers for the consumer");
                self.failed(consumer, error)
            }
            Status::Refused { unsent } => {
                consumer.gives_up(unsent.unwrap_or(self.request.batch));
                let said = format!("the server refused a pull: {code} {description}");
                self.failed(consumer, NatsError::jetstream(said))
            }
        }
    }

    /// Logs a failure and holds the next errand back; an error if it is to be reported as well.
    fn failed(&mut self, consumer: &Consumer, error: NatsError) -> Result<(), NatsError> {
        let (wait, told) = self.pace.failed(error.to_string());
        self.errand = Some(Errand::wait(wait));
        let (subscription, stream) = (consumer.source.subject(), consumer.source.stream());
        let name = consumer.name();
        match told {
            Told::New { .. } => tracing::warn!(
                target: "ruststream::nats", subscription, stream, consumer = name, %error,
                "pulling from the consumer failed"
            ),
            Told::Still(lasts) => tracing::warn!(
                target: "ruststream::nats", subscription, stream, consumer = name, %error, ?lasts,
                "nothing can be pulled from the consumer"
            ),
            Told::Known => tracing::debug!(
                target: "ruststream::nats", subscription, stream, consumer = name, %error,
                "another pull failed"
            ),
        }
        if told == (Told::New { is_item: true }) {
            Err(error)
        } else {
            Ok(())
        }
    }

    /// There was a sign of life from the consumer.
    #[inline]
    fn works(&mut self, consumer: &Consumer) {
        if let Some(lasted) = self.pace.succeeded() {
            tracing::info!(
                target: "ruststream::nats",
                subscription = consumer.source.subject(), stream = consumer.source.stream(),
                consumer = consumer.name(), ?lasted, "the consumer is read again"
            );
        }
    }

    fn poll_glance(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let glance = self.glance.get_or_insert_with(|| Box::pin(sleep(GLANCE)));
        ready!(glance.as_mut().poll(cx));
        glance.as_mut().reset(Instant::now() + GLANCE);
        Poll::Ready(())
    }

    /// Whether the silence has lasted too long.
    fn look_around(&mut self, consumer: &mut Consumer) -> Result<(), NatsError> {
        let now = Instant::now();
        let waiting = consumer.outstanding > 0 && consumer.connection.is_connected();
        if std::mem::take(&mut self.active) || !waiting {
            self.idle_since = Some(now);
            return Ok(());
        }
        let idle_since = *self.idle_since.get_or_insert(now);
        if now - idle_since < self.request.patience {
            return Ok(());
        }
        self.idle_since = Some(now);
        consumer.lost_all();
        let error = NatsError::jetstream(
            "nothing came of a pull: the server has forgotten it, or the account may not pull",
        );
        self.failed(consumer, error)
    }
}

/// The deliveries of a consumer one by one, from a continuous pull.
pub(super) struct Deliveries(Reading);

impl Deliveries {
    pub(super) fn new() -> Self {
        Self(Reading::new(Request::continuous()))
    }

    #[inline]
    pub(super) fn poll_next(
        &mut self,
        consumer: &mut Consumer,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<NatsMessage, NatsError>>> {
        loop {
            return Poll::Ready(match ready!(self.0.poll(consumer, false, cx)) {
                Some(Ok(Step::Message(message))) => Some(Ok(message)),
                Some(Ok(Step::Spent)) => continue,
                Some(Err(error)) => Some(Err(error)),
                None => None,
            });
        }
    }
}
