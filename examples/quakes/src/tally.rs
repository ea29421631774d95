//! The counts, and waiting for them.

use std::collections::BTreeMap;

use tokio::sync::watch;

/// How many lines may be under way: published, and not yet settled.
const WINDOW: u64 = 64;

/// What happened so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts {
    pub(crate) published: u64,
    /// Lines whose delivery is settled.
    pub(crate) received: u64,
    pub(crate) handled: u64,
    pub(crate) dropped: u64,
    /// Alerts published.
    pub(crate) alerts: u64,
    /// Alerts whose delivery is settled.
    pub(crate) alerts_received: u64,
    /// Events by the network that reported them, whatever became of them.
    pub(crate) networks: BTreeMap<String, u64>,
}

impl Counts {
    /// Lines that no handler saw, since they didn't decode.
    pub(crate) fn undecodable(&self) -> u64 {
        self.received.saturating_sub(self.handled + self.dropped)
    }

    fn event_of(&mut self, network: &str) {
        *self.networks.entry(network.to_owned()).or_default() += 1;
    }
}

/// The counts, shared by all who count and by the feed, which waits for them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally(watch::Sender<Counts>);

impl Tally {
    pub(crate) fn counts(&self) -> Counts {
        self.0.borrow().clone()
    }

    pub(crate) fn published(&self) {
        self.0.send_modify(|counts| counts.published += 1);
    }

    pub(crate) fn handled(&self, network: &str) {
        self.0.send_modify(|counts| {
            counts.handled += 1;
            counts.event_of(network);
        });
    }

    pub(crate) fn dropped(&self, network: &str) {
        self.0.send_modify(|counts| {
            counts.dropped += 1;
            counts.event_of(network);
        });
    }

    pub(crate) fn alerted(&self) {
        self.0.send_modify(|counts| counts.alerts += 1);
    }

    /// The delivery of a line was settled; answers how many were so far.
    pub(crate) fn line_settled(&self) -> u64 {
        self.0.send_modify(|counts| counts.received += 1);
        self.0.borrow().received
    }

    pub(crate) fn alert_settled(&self) {
        self.0.send_modify(|counts| counts.alerts_received += 1);
    }

    /// Waits for room for one more line.
    pub(crate) async fn room(&self) {
        self.reach(|counts| counts.published < counts.received + WINDOW)
            .await;
    }

    /// Waits until everything published is settled, alerts included.
    pub(crate) async fn drained(&self) {
        // An alert is counted before the line that raised it is settled.
        self.reach(|counts| {
            counts.received == counts.published && counts.alerts_received == counts.alerts
        })
        .await;
    }

    async fn reach(&self, reached: impl FnMut(&Counts) -> bool) {
        let reached = self.0.subscribe().wait_for(reached).await.is_ok();
        debug_assert!(reached, "the sender lives in `self`");
    }
}
