//! Which options belong to which message of a broker's own log.
//!
//! The log does not say: a broker may add headers, and publishes that the harness did not see are
//! in it too. Log and record are joined by payload, and where the join is not certain the answer is
//! that it is not. An assertion about options must never be about another message.

use std::collections::HashMap;
use std::sync::Arc;

use ruststream_core::RawMessage;
use ruststream_runtime::observe::Options;

use super::records::{PublishRecord, Seen};

/// The options of one message.
#[derive(Debug, Clone)]
pub(crate) enum MessageOptions {
    Known(Options),
    /// The harness did not see them.
    Unrecorded,
    /// There are several messages they may be of.
    Ambiguous,
}

impl From<&Seen> for MessageOptions {
    fn from(seen: &Seen) -> Self {
        match seen {
            Seen::Tests => Self::Unrecorded,
            Seen::Services(options) => Self::Known(options.clone()),
        }
    }
}

/// The options of each message in `log`, of which the broker dropped the oldest `evicted`, given
/// what was recorded for its destination (TEST-58).
pub(crate) fn joined(
    log: &[RawMessage],
    evicted: usize,
    recorded: &[Arc<PublishRecord>],
) -> Vec<MessageOptions> {
    if evicted > 0 && recorded.len() != evicted + log.len() {
        let was_recorded = |message: &RawMessage| {
            recorded
                .iter()
                .any(|record| record.message.payload() == message.payload())
        };
        let unsure = |message| {
            if was_recorded(message) {
                MessageOptions::Ambiguous
            } else {
                MessageOptions::Unrecorded
            }
        };
        return log.iter().map(unsure).collect();
    }

    let (dropped, kept) = recorded.split_at(evicted.min(recorded.len()));
    // The hand-overs of messages that overlapped may have reached the log in either order.
    let may_be_kept =
        |record: &&Arc<PublishRecord>| kept.iter().any(|other| overlap(record, other));
    let candidates: Vec<&PublishRecord> = dropped
        .iter()
        .filter(may_be_kept)
        .chain(kept)
        .map(|record| &**record)
        .collect();

    let mut entries: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (position, message) in log.iter().enumerate() {
        entries.entry(message.payload()).or_default().push(position);
    }
    let mut options = vec![MessageOptions::Unrecorded; log.len()];
    for (payload, positions) in entries {
        let of_payload: Vec<&PublishRecord> = candidates
            .iter()
            .copied()
            .filter(|one| one.message.payload() == payload)
            .collect();
        let answers = answers(&of_payload, positions.len());
        for (position, answer) in positions.into_iter().zip(answers) {
            options[position] = answer;
        }
    }
    options
}

/// The options of `entries` messages of one payload, given the publishes they may be.
fn answers(candidates: &[&PublishRecord], entries: usize) -> Vec<MessageOptions> {
    let Some(first) = candidates.first() else {
        return vec![MessageOptions::Unrecorded; entries];
    };
    let pairs = || {
        candidates
            .iter()
            .enumerate()
            .flat_map(|(n, one)| candidates[n + 1..].iter().map(move |other| (one, other)))
    };
    if candidates.len() == entries && !pairs().any(|(one, other)| overlap(one, other)) {
        return candidates
            .iter()
            .map(|one| MessageOptions::from(&one.options))
            .collect();
    }
    let alike = candidates
        .iter()
        .all(|other| certainly_alike(&first.options, &other.options));
    if candidates.len() >= entries && alike {
        return vec![MessageOptions::from(&first.options); entries];
    }
    vec![MessageOptions::Ambiguous; entries]
}

fn overlap(one: &PublishRecord, other: &PublishRecord) -> bool {
    one.from < other.until && other.from < one.until
}

/// Values of options cannot be compared here, so only unset ones are known to be alike.
fn certainly_alike(one: &Seen, other: &Seen) -> bool {
    match (one, other) {
        (Seen::Tests, Seen::Tests) => true,
        (Seen::Services(one), Seen::Services(other)) => {
            !one.are_set() && !other.are_set() && one.alike(other)
        }
        _ => false,
    }
}
