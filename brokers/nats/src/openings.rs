//! Which subscriptions a broker has opened, so that a harness can ask where a publish goes.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::source::{CoreOpening, JetStreamSubject, NatsSubscription};
use crate::subject::{fits_the_protocol, matches};

/// The subscriptions that are open, in the order of their opening.
#[derive(Debug, Clone, Default)]
pub(crate) struct Openings(Arc<Mutex<Record>>);

#[derive(Debug, Default)]
struct Record {
    next: u64,
    open: Vec<Opened>,
}

#[derive(Debug)]
struct Opened {
    id: u64,
    /// What the registration and the harness call it.
    name: String,
    /// What it reads.
    pattern: String,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Core { group: Option<String> },
    Stream { stream: String, durable: Option<String> },
}

/// Keeps a subscription in the record.
#[derive(Debug)]
pub(crate) struct Recorded {
    openings: Openings,
    id: u64,
}

impl Openings {
    pub(crate) fn core(&self, opening: &CoreOpening) -> Recorded {
        let group = opening.group.clone();
        self.add(&opening.subject, &opening.subject, Kind::Core { group })
    }

    pub(crate) fn stream(&self, source: &JetStreamSubject) -> Recorded {
        let kind = Kind::Stream {
            stream: source.stream().to_owned(),
            durable: source.durable_name().map(str::to_owned),
        };
        self.add(source.subject(), source.filter(), kind)
    }

    fn add(&self, name: &str, pattern: &str, kind: Kind) -> Recorded {
        let mut record = self.lock();
        let id = record.next;
        record.next += 1;
        record.open.push(Opened {
            id,
            name: name.to_owned(),
            pattern: pattern.to_owned(),
            kind,
        });
        Recorded {
            openings: self.clone(),
            id,
        }
    }

    /// Which subscriptions a server hands a publish to. Of a group or a durable consumer that is
    /// any member; the first stands for it.
    pub(crate) fn reached(&self, destination: &str) -> HashSet<u64> {
        let record = self.lock();
        let mut served: Vec<&Kind> = Vec::new();
        let mut reached = HashSet::new();
        let reading = record.open.iter().filter(|opened| matches(&opened.pattern, destination));
        for opened in reading {
            let shared = !matches!(
                opened.kind,
                Kind::Core { group: None } | Kind::Stream { durable: None, .. }
            );
            if shared && served.contains(&&opened.kind) {
                continue;
            }
            served.push(&opened.kind);
            reached.insert(opened.id);
        }
        reached
    }

    /// The positions in `names` of the subscriptions in `reached`.
    ///
    /// A name that occurs repeatedly stands for the subscriptions of that name in the order of
    /// their opening; one that names no subscription is read as a pattern.
    pub(crate) fn positions(
        &self,
        destination: &str,
        names: &[&str],
        reached: &HashSet<u64>,
    ) -> Vec<usize> {
        if !fits_the_protocol(destination) {
            return Vec::new();
        }
        let record = self.lock();
        let is_reached = |position: &usize| {
            let name = names[*position];
            let earlier = names[..*position].iter().filter(|other| **other == name).count();
            let opened = record.open.iter().filter(|opened| opened.name == name).nth(earlier);
            opened.map_or_else(
                || matches(name, destination),
                |opened| reached.contains(&opened.id),
            )
        };
        (0..names.len()).filter(is_reached).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorded {
    pub(crate) const fn id(&self) -> u64 {
        self.id
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        self.openings.lock().open.retain(|opened| opened.id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{CoreSubject, CoreWildcard, Opening};

    fn core(openings: &Openings, source: &impl NatsSubscription) -> Recorded {
        match source.opening() {
            Opening::Core(opening) => openings.core(&opening),
            Opening::JetStream(source) => openings.stream(&source),
        }
    }

    // NATS-908
    #[test]
    fn a_publish_is_owed_to_each_reader_and_to_one_member_of_a_group() {
        let openings = Openings::default();
        let _open = [
            core(&openings, &CoreSubject::new("bays.7")),
            core(&openings, &CoreWildcard::new("bays.*")),
            core(&openings, &CoreWildcard::new("bays.*").queue_group("w")),
            core(&openings, &CoreWildcard::new("bays.>").queue_group("w")),
            core(&openings, &JetStreamSubject::new("bays.*", "BAYS").durable("book")),
            core(&openings, &JetStreamSubject::new("bays.*", "BAYS").durable("book")),
        ];
        let names = ["bays.7", "bays.*", "bays.*", "bays.>", "bays.*", "bays.*", "bays.unknown"];

        let reached = openings.reached("bays.7");

        assert_eq!(openings.positions("bays.7", &names, &reached), [0, 1, 2, 4]);
        assert_eq!(openings.positions("a b", &names, &reached), [0; 0]);
    }

    // NATS-908
    #[test]
    fn a_subscription_that_closed_is_owed_nothing() {
        let openings = Openings::default();
        drop(core(&openings, &CoreSubject::new("bays.7")));

        assert!(openings.reached("bays.7").is_empty());
    }
}
