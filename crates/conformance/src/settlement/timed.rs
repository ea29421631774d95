use std::time::Duration;

use super::{ARRIVAL, CALL, MARGIN};
use crate::kit::{Check, InboxOf, Limits, MessageOf, Session, UnderTest};

/// A broker under test, and how long it holds what was not settled.
pub(super) struct Timed<'u, U> {
    pub(super) under_test: &'u U,
    pub(super) redelivery_timeout: Duration,
}

impl<U: UnderTest> Timed<'_, U> {
    /// How long silence is watched, and a redelivery waited for on the same subscription.
    pub(super) fn quiet(&self) -> Duration {
        self.redelivery_timeout + MARGIN
    }

    /// How long a redelivery may take otherwise.
    pub(super) fn redelivery(&self) -> Duration {
        self.redelivery_timeout + ARRIVAL
    }

    pub(super) async fn open<'c>(&self, check: &'c Check) -> Session<'c, U::Broker> {
        Session::open(check, Limits::of(CALL), self.under_test.broker()).await
    }

    /// Publishes `payload` and receives it.
    pub(super) async fn exchanged(
        &self,
        check: &Check,
        session: &Session<'_, U::Broker>,
        inbox: &mut InboxOf<'_, U>,
        subject: &str,
        payload: &[u8],
    ) -> MessageOf<U> {
        let publisher = self.under_test.publisher(session.connected());
        session.publish(&publisher, subject, payload).await;
        let step = check.step("deliver", "a message published is delivered");
        inbox.expect(step, ARRIVAL, payload).await
    }
}

impl<U> Clone for Timed<'_, U> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<U> Copy for Timed<'_, U> {}
