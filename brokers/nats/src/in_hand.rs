//! Where an ephemeral consumer stands, for the day that the server forgets it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The sequences of a stream that arrived here and are not settled.
#[derive(Debug, Default)]
pub(crate) struct InHand(Mutex<Arrived>);

#[derive(Debug, Default)]
struct Arrived {
    reached: Option<u64>,
    unsettled: BTreeSet<u64>,
}

/// One of them, with its delivery.
#[derive(Debug)]
pub(crate) struct Tracked {
    in_hand: Arc<InHand>,
    sequence: u64,
}

impl InHand {
    pub(crate) fn arrived(self: &Arc<Self>, sequence: u64) -> Tracked {
        let mut arrived = self.lock();
        arrived.reached = arrived.reached.max(Some(sequence));
        arrived.unsettled.insert(sequence);
        Tracked {
            in_hand: Arc::clone(self),
            sequence,
        }
    }

    /// Where another consumer starts so that nothing is missed: at the first message that nobody
    /// has settled, else after the last that arrived.
    pub(crate) fn resumes_at(&self) -> Option<u64> {
        let arrived = self.lock();
        let next = || arrived.reached.map(|reached| reached.saturating_add(1));
        arrived.unsettled.first().copied().or_else(next)
    }

    fn lock(&self) -> MutexGuard<'_, Arrived> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tracked {
    /// The message is over: it needs no other consumer.
    pub(crate) fn settled(&self) {
        self.in_hand.lock().unsettled.remove(&self.sequence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // NATS-47
    #[test]
    fn another_consumer_starts_at_the_first_unsettled_message_or_after_the_last() {
        let in_hand = Arc::new(InHand::default());
        assert_eq!(in_hand.resumes_at(), None);
        let (four, five) = (in_hand.arrived(4), in_hand.arrived(5));

        five.settled();
        assert_eq!(in_hand.resumes_at(), Some(4));
        four.settled();
        assert_eq!(in_hand.resumes_at(), Some(6));
        let again = in_hand.arrived(4);
        assert_eq!(in_hand.resumes_at(), Some(4));
        again.settled();
        assert_eq!(in_hand.resumes_at(), Some(6));
        // Nothing follows the last sequence there is, and what a server sends may be it.
        in_hand.arrived(u64::MAX).settled();
        assert_eq!(in_hand.resumes_at(), Some(u64::MAX));
    }
}
