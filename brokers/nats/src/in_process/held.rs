use std::sync::Arc;
use std::time::Duration;

use ruststream::AckError;

use super::bus::Bus;
use super::streams::Delivery;
use crate::ack::Answer;
use crate::error::NatsError;

/// A delivery of a stream that is not settled yet.
///
/// NATS-G4: one that is held past its window does not come again, only one that is dropped. No test
/// here sees a slow handler run twice. Live:
/// `a_handler_that_takes_longer_than_the_window_runs_again`.
pub(crate) struct Held {
    bus: Arc<Bus>,
    /// Taken by the settlement, or by the drop.
    delivery: Option<Delivery>,
}

impl Held {
    pub(super) const fn new(bus: Arc<Bus>, delivery: Delivery) -> Self {
        Self {
            bus,
            delivery: Some(delivery),
        }
    }

    pub(crate) fn settle(mut self, answer: Answer) -> Result<(), AckError> {
        let Some(delivery) = self.delivery.take() else {
            return Ok(());
        };
        if self.bus.is_closed() {
            let closed = NatsError::closed(&delivery.stored.subject);
            return Err(AckError::Broker(Box::new(closed)));
        }
        match answer {
            Answer::Done | Answer::Never => {}
            Answer::Again => self.bus.again(&delivery),
            Answer::AgainAfter(delay) => self.again_after(delivery, delay),
        }
        Ok(())
    }

    fn again_after(&self, delivery: Delivery, delay: Duration) {
        let Delivery {
            place,
            stored,
            delivered,
            ticket,
            ..
        } = delivery;
        let bus = Arc::clone(&self.bus);
        let redeliver = move || bus.redeliver(place, stored, delivered + 1);
        self.bus.later(delay, redeliver);
        drop(ticket);
    }
}

impl Drop for Held {
    /// As after the consumer's window: the server was told nothing.
    fn drop(&mut self) {
        if let Some(delivery) = self.delivery.take()
            && !self.bus.is_closed()
        {
            let window = delivery.ack_wait;
            self.again_after(delivery, window);
        }
    }
}
