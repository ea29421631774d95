//! One name: who reads it, and what is retained of it.

use crate::inbox;
use crate::log::NameLog;
use crate::name::Name;
use crate::pattern::Pattern;
use crate::queue::QueueRef;
use crate::retention::Keep;
use crate::routing::Routing;

/// A name that is read, or that something is retained of.
pub(crate) struct Topic {
    pub(crate) name: Name,
    pub(crate) readers: Vec<QueueRef>,
    /// The one reader is all that a publish to the name reaches, and its queue knows that.
    sole: bool,
    pub(crate) log: NameLog,
}

/// The subscriptions of one pattern text.
pub(crate) struct PatternGroup {
    pub(crate) pattern: Pattern,
    pub(crate) readers: Vec<QueueRef>,
}

/// A name with one reader that alone gets its publishes.
pub(crate) struct SoleReader {
    pub(crate) name: Name,
    pub(crate) queue: QueueRef,
}

/// Whom a publish reached, as far as a publisher remembers it.
pub(crate) enum Reach {
    Sole(SoleReader),
    /// Neither a reader nor a log, which stays so until the next change of the registry.
    Nobody,
    Others,
}

impl Topic {
    pub(crate) fn new(name: Name) -> Self {
        Self {
            name,
            readers: Vec::new(),
            sole: false,
            log: NameLog::default(),
        }
    }

    pub(crate) fn sole_reader(&self) -> Option<SoleReader> {
        let queue = *self.readers.first().filter(|_| self.sole)?;
        Some(SoleReader {
            name: self.name.clone(),
            queue,
        })
    }

    /// Decides anew whether publishers may go to the one reader directly, and tells the readers.
    pub(crate) fn review(&mut self, routing: Routing, keep: Keep, patterns: &[PatternGroup]) {
        let name = self.name.as_str();
        self.sole = self.readers.len() == 1
            && !keep.records()
            && inbox::number(name).is_none()
            && (routing == Routing::MostSpecific
                || patterns.iter().all(|group| !group.pattern.matches(name)));
        for reader in &self.readers {
            reader.set_sole(self.sole);
        }
    }

    /// Drops the readers, leaving what is retained, and returns how many there were.
    pub(crate) fn detach(&mut self) -> usize {
        self.sole = false;
        self.readers
            .drain(..)
            .map(|reader| reader.set_sole(false))
            .count()
    }
}

/// Calls `each` on every queue that a publish to `name` reaches, `exact` being its own readers.
///
/// `exact_takes` says that the name itself is read, by them or by an inbox.
pub(crate) fn each_reader(
    name: &str,
    exact: &[QueueRef],
    exact_takes: bool,
    patterns: &[PatternGroup],
    routing: Routing,
    mut each: impl FnMut(QueueRef),
) {
    exact.iter().copied().for_each(&mut each);
    if patterns.is_empty() || (exact_takes && routing == Routing::MostSpecific) {
        return;
    }
    let matching = patterns.iter().filter(|group| group.pattern.matches(name));
    let mut all = |group: &PatternGroup| group.readers.iter().copied().for_each(&mut each);
    match routing {
        Routing::EveryMatch => matching.for_each(all),
        Routing::MostSpecific => matching
            .min_by(|one, other| one.pattern.by_specificity(&other.pattern))
            .into_iter()
            .for_each(&mut all),
    }
}
