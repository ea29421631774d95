//! What a reading does beside taking messages, one thing at a time.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Sleep, sleep};

use super::consumer::{Consumer, Found};
use super::request::Request;
use crate::connection::Subscription;
use crate::error::NatsError;

type Running<T> = Pin<Box<dyn Future<Output = T> + Send>>;

pub(super) enum Errand {
    /// Waits after a failure.
    Wait(Pin<Box<Sleep>>),
    Pull(Running<Result<(), NatsError>>),
    Find(Running<Result<Found, NatsError>>),
    /// Waits for the next epoch and subscribes there.
    Reopen(Running<Option<(Subscription, u64)>>),
}

/// What came of an errand.
pub(super) enum Done {
    Waited,
    Pulled(Result<(), NatsError>),
    Found(Result<Found, NatsError>),
    Reopened(Option<(Subscription, u64)>),
}

impl Errand {
    pub(super) fn wait(delay: Duration) -> Self {
        Self::Wait(Box::pin(sleep(delay)))
    }

    pub(super) fn pull(consumer: &Consumer, request: &Request) -> Self {
        Self::Pull(Box::pin(consumer.pull(request)))
    }

    pub(super) fn find(consumer: &Consumer) -> Self {
        Self::Find(Box::pin(consumer.find()))
    }

    pub(super) fn reopen(consumer: &Consumer) -> Self {
        let connection = Arc::clone(&consumer.connection);
        let inbox = consumer.inbox.to_string();
        Self::Reopen(Box::pin(connection.reopen(inbox, None, consumer.epoch)))
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Done> {
        match self {
            Self::Wait(wait) => wait.as_mut().poll(cx).map(|()| Done::Waited),
            Self::Pull(pull) => pull.as_mut().poll(cx).map(Done::Pulled),
            Self::Find(find) => find.as_mut().poll(cx).map(Done::Found),
            Self::Reopen(reopen) => reopen.as_mut().poll(cx).map(Done::Reopened),
        }
    }
}
