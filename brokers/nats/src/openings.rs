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
    Core {
        group: Option<String>,
    },
    Stream {
        stream: String,
        durable: Option<String>,
    },
}

impl Kind {
    const fn is_shared(&self) -> bool {
        matches!(
            self,
            Self::Core { group: Some(_) }
                | Self::Stream {
                    durable: Some(_),
                    ..
                }
        )
    }
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

    /// Which subscriptions a server is certain to hand a publish to.
    ///
    /// Of a group, or a durable consumer, with several members here the server picks one as it
    /// likes, so none of them can be waited for.
    pub(crate) fn reached(&self, destination: &str) -> HashSet<u64> {
        let record = self.lock();
        let reading = || {
            record
                .open
                .iter()
                .filter(|opened| matches(&opened.pattern, destination))
        };
        let alone = |opened: &&Opened| {
            !opened.kind.is_shared()
                || reading().filter(|other| other.kind == opened.kind).count() == 1
        };
        reading().filter(alone).map(|opened| opened.id).collect()
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
            let earlier = names[..*position]
                .iter()
                .filter(|other| **other == name)
                .count();
            let opened = record
                .open
                .iter()
                .filter(|opened| opened.name == name)
                .nth(earlier);
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
        self.openings
            .lock()
            .open
            .retain(|opened| opened.id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{CoreSubject, CoreWildcard, Opening};

    fn open(openings: &Openings, source: &impl NatsSubscription) -> Recorded {
        match source.opening() {
            Opening::Core(opening) => openings.core(&opening),
            Opening::JetStream(source) => openings.stream(&source),
        }
    }

    // NATS-908, O-12
    #[test]
    fn a_publish_is_owed_to_each_reader_but_to_none_of_several_that_share() {
        let openings = Openings::default();
        let _open = [
            open(&openings, &CoreSubject::new("bays.7")),
            open(&openings, &CoreWildcard::new("bays.*")),
            open(&openings, &CoreWildcard::new("bays.*").queue_group("w")),
            open(&openings, &CoreWildcard::new("bays.>").queue_group("w")),
            open(&openings, &CoreSubject::new("bays.7").queue_group("alone")),
            open(
                &openings,
                &JetStreamSubject::new("bays.*", "BAYS").durable("book"),
            ),
            open(
                &openings,
                &JetStreamSubject::new("bays.>", "BAYS").durable("pair"),
            ),
            open(
                &openings,
                &JetStreamSubject::new("bays.>", "BAYS").durable("pair"),
            ),
        ];
        let names = [
            "bays.7",
            "bays.*",
            "bays.*",
            "bays.>",
            "bays.7",
            "bays.*",
            "bays.>",
            "bays.unknown",
        ];

        let reached = openings.reached("bays.7");

        assert_eq!(openings.positions("bays.7", &names, &reached), [0, 1, 4, 5]);
        assert_eq!(openings.positions("a b", &names, &reached), [0; 0]);
    }

    // NATS-908
    #[test]
    fn a_subscription_that_closed_is_owed_nothing() {
        let openings = Openings::default();
        drop(open(&openings, &CoreSubject::new("bays.7")));

        assert!(openings.reached("bays.7").is_empty());
    }
}
