use std::error::Error;
use std::time::Duration;

use ruststream_core::IncomingMessage;
use tokio::time::{Instant, sleep};

use super::CALL;
use crate::kit::{Arrival, Inbox, Shown, Step};

/// After a delivery or an error that is not what is waited for, and may be there at every poll.
const BETWEEN_READS: Duration = Duration::from_millis(1);

/// What has to come, and what must not. Anything else is let pass, and so is a repeat.
#[derive(Debug, Default)]
pub(super) struct Due {
    pub(super) awaited: Vec<&'static [u8]>,
    /// Of what was due, what came, and when.
    pub(super) arrived: Vec<(&'static [u8], Instant)>,
    pub(super) consumed: Vec<&'static [u8]>,
}

impl Due {
    /// Reads until everything due came; `false` where the subscription ended, or `wait` passed
    /// since the last of them.
    pub(super) async fn came<M, E>(
        &mut self,
        step: Step<'_>,
        inbox: &mut Inbox<'_, M, E>,
        wait: Duration,
    ) -> bool
    where
        M: IncomingMessage,
        E: Error,
    {
        let mut until = Instant::now() + wait;
        while !self.awaited.is_empty() {
            match inbox.arrival(until).await {
                Arrival::Item(delivery) => {
                    if self.take(step, delivery).await {
                        until = Instant::now() + wait;
                        continue;
                    }
                }
                Arrival::Error(_) => {}
                Arrival::Ended | Arrival::Nothing => return false,
            }
            if Instant::now() >= until {
                return false;
            }
            sleep(BETWEEN_READS).await;
        }
        true
    }

    /// Watches for `quiet` that nothing consumed comes.
    pub(super) async fn watch<M, E>(
        &mut self,
        step: Step<'_>,
        inbox: &mut Inbox<'_, M, E>,
        quiet: Duration,
    ) where
        M: IncomingMessage,
        E: Error,
    {
        let until = Instant::now() + quiet;
        loop {
            match inbox.arrival(until).await {
                Arrival::Item(delivery) => drop(self.take(step, delivery).await),
                Arrival::Error(_) => {}
                Arrival::Ended | Arrival::Nothing => return,
            }
            if Instant::now() >= until {
                return;
            }
            sleep(BETWEEN_READS).await;
        }
    }

    /// Judges a delivery and settles it. Whether it was due.
    async fn take<M: IncomingMessage>(&mut self, step: Step<'_>, delivery: M) -> bool {
        let payload = delivery.payload();
        step.require(
            !self.consumed.contains(&payload),
            format_args!("{} came again", Shown(payload)),
        );
        let position = self.awaited.iter().position(|due| *due == payload);
        // The connection it belongs to may be gone: its answer says nothing more.
        drop(step.within(CALL, delivery.ack()).await);
        let came = position.map(|position| (self.awaited.swap_remove(position), Instant::now()));
        self.arrived.extend(came);
        came.is_some()
    }

    /// The messages that have not come, as a failure tells them.
    pub(super) fn missing(&self) -> String {
        let missing = self.awaited.iter().map(|due| Shown(due).to_string());
        missing.collect::<Vec<_>>().join(" and ")
    }
}
