//! Carrying a decision out: publish the copy, then settle, in the order of RUN-344.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use ruststream_core::{AckError, HeaderMap, IncomingMessage, RetryDeclaration, Settling};

use super::backoff::{FURTHER_TRIES, Pacing};
use super::copies::{CopyPath, CopyToSend, Destination};
use super::copy_headers;
use super::decide::{self, Action, Attempt, Copies, RetryPlan};
use super::say;
use crate::app::{BoxError, Service};
use crate::deliver::headers::DeliveryHeaders;
use crate::observe::{Counted, Mounted};
use crate::outcome::HandlerResult;
use crate::tasks::Tasks;

/// How one subscription settles.
pub(crate) struct Settlement<C> {
    subscription: Arc<str>,
    plan: RetryPlan,
    dead_letter: Option<Arc<str>>,
    copies: Option<CopyPath<C>>,
    pacing: Pacing,
    /// Whether it was said that the transport settles nothing.
    said_unsupported: AtomicBool,
    observed: Mounted,
}

/// What is left to do with a delivery once nothing of it is read any more.
pub(crate) enum Close<C> {
    /// Nothing but to settle it.
    As(Settling),
    /// Let the original go, then publish the copy after the delay.
    Delayed(Box<DelayedCopy<C>>),
    /// A copy could not be published: give the original back.
    HandBack {
        destination: String,
        error: BoxError,
    },
}

pub(crate) struct DelayedCopy<C> {
    delay: Duration,
    subscription: Arc<str>,
    observed: Mounted,
    path: CopyPath<C>,
    payload: Bytes,
    headers: HeaderMap,
    delivered: HeaderMap,
    context: C,
}

impl<C> Settlement<C> {
    pub(crate) fn new(
        subscription: Arc<str>,
        declaration: &RetryDeclaration,
        copies: Option<CopyPath<C>>,
    ) -> Self {
        let dead_letter = declaration.dead_letter().map(Arc::from);
        let plan = RetryPlan {
            copies: if copies.is_some() {
                Copies::Here
            } else {
                Copies::Nowhere
            },
            max_attempts: declaration.max_attempts(),
            dead_letter: dead_letter.is_some(),
        };
        let observed = Mounted::here(&subscription);
        Self {
            subscription,
            plan,
            dead_letter,
            copies,
            pacing: Pacing::new(),
            said_unsupported: AtomicBool::new(false),
            observed,
        }
    }

    /// Whether arriving deliveries are checked at all (RUN-351).
    #[inline]
    pub(crate) const fn checks_arrivals(&self) -> bool {
        self.plan.max_attempts.is_some() && self.copies.is_some()
    }

    /// RUN-351: the action for a delivery that may not run any more.
    #[inline]
    pub(crate) fn arrives_spent<M: IncomingMessage>(
        &self,
        message: &M,
        headers: &DeliveryHeaders<'_>,
    ) -> Option<Action> {
        decide::arrives_spent(self.plan, || attempt(message, headers))
    }

    #[inline]
    pub(crate) fn decide<M: IncomingMessage>(
        &self,
        verdict: HandlerResult,
        message: &M,
        headers: &DeliveryHeaders<'_>,
    ) -> Action {
        decide::decide(verdict, self.plan, message.supports_nack_after(), || {
            attempt(message, headers)
        })
    }
}

fn attempt<M: IncomingMessage>(message: &M, headers: &DeliveryHeaders<'_>) -> Attempt {
    Attempt::of(message.redelivery_count(), || {
        copy_headers::copies_made(headers.get())
    })
}

impl<C: Send + Sync + 'static> Settlement<C> {
    /// Publishes what must leave while the delivery is still held, and says how to close it.
    ///
    /// It knows neither the type of the delivery nor the handler, so that a service has it once.
    pub(crate) async fn close(
        &self,
        action: Action,
        payload: &[u8],
        headers: &DeliveryHeaders<'_>,
        context: C,
    ) -> Close<C> {
        let subscription = &*self.subscription;
        match action {
            Action::Ack => Close::As(Settling::Ack),
            Action::Drop => Close::As(Settling::Nack { requeue: false }),
            Action::Requeue { delay_dropped } => {
                if delay_dropped {
                    say::delay_dropped(subscription);
                }
                Close::As(Settling::Nack { requeue: true })
            }
            Action::NackAfter(delay) => Close::As(Settling::NackAfter(delay)),
            Action::Reject { attempt } => {
                say::rejected(subscription, attempt);
                Close::As(Settling::Nack { requeue: false })
            }
            Action::DeadLetter { exhausted } => {
                let destination = self.dead_letter.as_deref().unwrap_or_default();
                if let Some(attempt) = exhausted {
                    say::exhausted(subscription, attempt, destination);
                }
                let copy_headers = copy_headers::of_dead_letter(headers.get());
                let destination = Destination::DeadLetter(destination);
                self.publish_now(destination, copy_headers, payload, headers, &context)
                    .await
            }
            Action::Copy { delay: None } => {
                let address = self.copies.as_ref().map_or("", |path| &path.address);
                let copy_headers = copy_headers::of_retry_copy(headers.get());
                let destination = Destination::Address(address);
                self.publish_now(destination, copy_headers, payload, headers, &context)
                    .await
            }
            Action::Copy { delay: Some(delay) } => match &self.copies {
                None => Close::As(Settling::Nack { requeue: true }),
                Some(path) => Close::Delayed(Box::new(DelayedCopy {
                    delay,
                    subscription: Arc::clone(&self.subscription),
                    observed: self.observed.clone(),
                    path: path.clone(),
                    payload: Bytes::copy_from_slice(payload),
                    headers: copy_headers::of_retry_copy(headers.get()),
                    delivered: headers.get().clone(),
                    context,
                })),
            },
        }
    }

    async fn publish_now(
        &self,
        destination: Destination<'_>,
        headers: HeaderMap,
        payload: &[u8],
        delivered: &DeliveryHeaders<'_>,
        context: &C,
    ) -> Close<C> {
        let Some(path) = &self.copies else {
            return Close::As(Settling::Nack { requeue: true });
        };
        let copy = CopyToSend {
            destination,
            payload,
            headers,
            subscription: &self.subscription,
            delivered: delivered.get(),
            context,
        };
        match path.publisher.send(copy).await {
            Ok(()) => {
                self.pacing.succeeded();
                Close::As(Settling::Nack { requeue: false })
            }
            Err(error) => Close::HandBack {
                destination: destination.as_str().to_owned(),
                error,
            },
        }
    }

    /// Settles the delivery in `hand`, which it empties, and waits for the broker (RUN-281).
    pub(crate) async fn settle_as<M: IncomingMessage>(&self, how: Settling, hand: &mut Option<M>) {
        let answer = match (M::settle_at_once(hand, how), hand.take()) {
            (Some(answer), _) => answer,
            (None, Some(message)) => match how {
                Settling::Ack => message.ack().await,
                Settling::Nack { requeue } => message.nack(requeue).await,
                Settling::NackAfter(delay) => message.nack_after(delay).await,
            },
            (None, None) => return,
        };
        self.answered(how, answer);
    }

    /// What comes of a settlement.
    #[inline]
    pub(crate) fn answered(&self, how: Settling, answer: Result<(), AckError>) {
        match how {
            Settling::Ack => {}
            Settling::Nack { requeue } => self
                .observed
                .settled(HandlerResult::Nack { requeue }, &answer),
            Settling::NackAfter(delay) => self
                .observed
                .settled(HandlerResult::NackAfter { delay }, &answer),
        }
        self.settled(answer);
    }

    /// Settles the delivery in `hand`, which it empties, as it was closed (RUN-281, RUN-344).
    pub(crate) async fn settle<M: IncomingMessage>(
        &self,
        close: Close<C>,
        hand: &mut Option<M>,
        service: &Service,
        continuations: &Tasks,
    ) {
        if let Close::As(how) = close {
            return self.settle_as(how, hand).await;
        }
        let Some(message) = hand.take() else {
            return;
        };
        match close {
            Close::As(_) => {}
            Close::HandBack { destination, error } => {
                self.hand_back(&destination, &error, message, service).await;
            }
            Close::Delayed(copy) => match message.nack(false).await {
                Ok(()) | Err(AckError::Unsupported) => {
                    let due = self.observed.after(copy.delay);
                    let copy = self.observed.continuation(copy.publish_later(due));
                    self.observed.copies(continuations).spawn(copy);
                }
                // The broker still owns the original, so a copy would be a second one.
                Err(error) => self.settled(Err(error)),
            },
        }
    }

    /// RUN-282.
    #[inline]
    pub(crate) fn settled(&self, result: Result<(), AckError>) {
        if let Err(error) = result {
            self.settle_failed(&error);
        }
    }

    /// A transport that settles nothing says so of every delivery; a service reads it once.
    #[cold]
    fn settle_failed(&self, error: &AckError) {
        // A look first: the workers of a subscription share what it looks at.
        let said = || {
            self.said_unsupported.load(Ordering::Relaxed)
                || self.said_unsupported.swap(true, Ordering::Relaxed)
        };
        let again = matches!(error, AckError::Unsupported) && said();
        say::settle_failed(&self.subscription, error, again);
    }

    /// The copy did not leave: the broker gets the original back, at a growing pace.
    async fn hand_back<M: IncomingMessage>(
        &self,
        destination: &str,
        error: &BoxError,
        message: M,
        service: &Service,
    ) {
        let wait = self.pacing.failed();
        let (how, returned) = if message.supports_nack_after() {
            (
                HandlerResult::NackAfter { delay: wait },
                message.nack_after(wait).await,
            )
        } else {
            tokio::select! {
                () = service.stop().raised() => {}
                () = tokio::time::sleep(wait) => {}
            }
            (
                HandlerResult::Nack { requeue: true },
                message.nack(true).await,
            )
        };
        self.observed.settled(how, &returned);
        let subscription = &*self.subscription;
        if matches!(returned, Err(AckError::Unsupported)) {
            say::lost(subscription, destination, error);
        } else {
            say::copy_failed(subscription, destination, error, returned.is_ok());
        }
    }
}

impl<C: Send + Sync + 'static> DelayedCopy<C> {
    /// Publishes once `due` resolves, and tries again if that fails.
    async fn publish_later(self: Box<Self>, due: impl Future<Output = Counted> + Send) {
        let mut counted = due.await;
        let mut waits = FURTHER_TRIES.into_iter();
        loop {
            let copy = CopyToSend {
                destination: Destination::Address(&self.path.address),
                payload: &self.payload,
                headers: self.headers.clone(),
                subscription: &self.subscription,
                delivered: &self.delivered,
                context: &self.context,
            };
            let Err(error) = self.path.publisher.send(copy).await else {
                return;
            };
            match waits.next() {
                Some(wait) => {
                    let again = self.observed.after(wait);
                    counted.release();
                    counted = again.await;
                }
                None => return say::lost(&self.subscription, &self.path.address, &error),
            }
        }
    }
}
