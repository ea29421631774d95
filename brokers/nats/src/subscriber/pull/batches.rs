//! The deliveries of a consumer in batches.

use std::num::NonZeroUsize;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::consumer::Consumer;
use super::reading::{Reading, Step};
use super::request::Request;
use crate::error::NatsError;
use crate::message::NatsMessage;

/// What a batch reserves at first. A large size is an upper bound, not an expectation.
const FIRST_RESERVE: usize = 64;

/// One batch is one pull: it closes when it is full, or when the server ends the pull.
pub(super) struct Batches {
    reading: Reading,
    size: usize,
    filling: Vec<NatsMessage>,
}

impl Batches {
    pub(super) fn new(size: NonZeroUsize, expires: Duration) -> Self {
        Self {
            reading: Reading::new(Request::batch(size, expires)),
            size: size.get(),
            filling: Vec::new(),
        }
    }

    pub(super) fn poll_next(
        &mut self,
        consumer: &mut Consumer,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Vec<NatsMessage>, NatsError>>> {
        loop {
            let holding = !self.filling.is_empty();
            match ready!(self.reading.poll(consumer, holding, cx)) {
                Some(Ok(Step::Message(message))) => {
                    if self.filling.is_empty() {
                        self.filling.reserve_exact(self.size.min(FIRST_RESERVE));
                    }
                    self.filling.push(message);
                    if self.filling.len() == self.size {
                        return self.close();
                    }
                }
                // The error was logged; what was fetched before it goes out.
                Some(Ok(Step::Spent) | Err(_)) | None if holding => return self.close(),
                Some(Ok(Step::Spent)) => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }

    fn close(&mut self) -> Poll<Option<Result<Vec<NatsMessage>, NatsError>>> {
        Poll::Ready(Some(Ok(std::mem::take(&mut self.filling))))
    }
}
