//! Who reads what: the state of a bus that publishes and subscriptions share under one lock.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, MutexGuard};

use crate::aftermath::Aftermath;
use crate::block::Block;
use crate::draft::Draft;
use crate::entry::{Entry, Message};
use crate::error::{MemoryError, ShutDown};
use crate::inbox::{self, Inboxes};
use crate::name::Name;
use crate::observe::Observer;
use crate::pattern::Pattern;
use crate::position::MemoryPosition;
use crate::queue::{Queue, QueueRef};
use crate::retention::Keep;
use crate::routing::Routing;
use crate::topic::{PatternGroup, Reach, Topic, each_reader};

/// The names, the patterns and the inboxes of a bus.
pub(crate) struct Registry {
    live: bool,
    pub(crate) routing: Routing,
    pub(crate) keep: Keep,
    pub(crate) topics: HashMap<Name, Topic>,
    /// How many topics have the name of an inbox; with none a reply is not looked up among them.
    inbox_topics: usize,
    pub(crate) patterns: Vec<PatternGroup>,
    pub(crate) inboxes: Inboxes,
}

impl Registry {
    pub(crate) fn new(keep: Keep) -> Self {
        Self {
            live: true,
            routing: Routing::default(),
            keep,
            topics: HashMap::new(),
            inbox_topics: 0,
            patterns: Vec::new(),
            inboxes: Inboxes::default(),
        }
    }

    pub(crate) const fn check_live(&self) -> Result<(), ShutDown> {
        if self.live { Ok(()) } else { Err(ShutDown) }
    }

    pub(crate) const fn revive(&mut self) {
        self.live = true;
    }

    /// Whether what is published to an inbox reaches that inbox only.
    pub(crate) const fn inboxes_alone(&self) -> bool {
        self.inbox_topics == 0 && self.patterns.is_empty()
    }

    pub(crate) fn set_routing(&mut self, routing: Routing) {
        self.routing = routing;
        self.review_all();
    }

    pub(crate) fn subscribe_name(&mut self, name: &Name, queue: QueueRef) {
        let topic = self.topics.entry(name.clone()).or_insert_with(|| {
            self.inbox_topics += usize::from(inbox::number(name.as_str()).is_some());
            Topic::new(name.clone())
        });
        topic.readers.push(queue);
        topic.review(self.routing, self.keep, &self.patterns);
    }

    pub(crate) fn subscribe_pattern(&mut self, pattern: Pattern, queue: QueueRef) {
        let text = pattern.text();
        match self
            .patterns
            .iter_mut()
            .find(|group| group.pattern.text() == text)
        {
            Some(group) => group.readers.push(queue),
            None => self.patterns.push(PatternGroup {
                pattern,
                readers: vec![queue],
            }),
        }
        self.review_all();
    }

    /// Forgets a subscription by name, unless a shutdown did already.
    pub(crate) fn unsubscribe_name(&mut self, name: &Name, queue: QueueRef) {
        let Some(topic) = self.topics.get_mut(name.as_bytes()) else {
            return;
        };
        topic.readers.retain(|reader| *reader != queue);
        if topic.readers.is_empty() && topic.log.is_empty() {
            self.topics.remove(name.as_bytes());
            self.inbox_topics -= usize::from(inbox::number(name.as_str()).is_some());
        } else {
            topic.review(self.routing, self.keep, &self.patterns);
        }
    }

    /// Forgets a subscription by pattern, unless a shutdown did already.
    pub(crate) fn unsubscribe_pattern(&mut self, text: &Name, queue: QueueRef) {
        self.patterns.retain_mut(|group| {
            if group.pattern.text() == text.as_str() {
                group.readers.retain(|reader| *reader != queue);
            }
            !group.readers.is_empty()
        });
        self.review_all();
    }

    /// Ends the bus and returns how many subscriptions that dropped. What is retained stays.
    pub(crate) fn shut_down(&mut self, aftermath: &mut Aftermath) -> usize {
        self.live = false;
        let by_pattern: usize = self
            .patterns
            .drain(..)
            .map(|group| group.readers.len())
            .sum();
        let by_name: usize = self.topics.values_mut().map(Topic::detach).sum();
        self.topics.retain(|_, topic| !topic.log.is_empty());
        self.inbox_topics = 0;
        self.inboxes.shut_down(|waker| aftermath.wake(Some(waker)));
        by_pattern + by_name
    }

    /// Queues one copy at every reader of `name`, and records the message where a log is kept.
    pub(crate) fn publish(
        &mut self,
        name: &str,
        draft: &mut Draft,
        observer: &Observer,
        aftermath: &mut Aftermath,
    ) -> Result<Reach, ShutDown> {
        self.check_live()?;
        Ok(self.route(
            name,
            draft,
            observer,
            aftermath,
            |queue, copy, aftermath| {
                aftermath.wake(queue.push(copy));
            },
        ))
    }

    /// Publishes all of `buffer` as one step, which every queue sees whole or not at all.
    pub(crate) fn commit(
        &mut self,
        buffer: Vec<Arc<Block>>,
        observer: &Observer,
        aftermath: &mut Aftermath,
    ) {
        let mut copies = Vec::with_capacity(buffer.len());
        for block in buffer {
            let mut draft = Draft::made(Arc::clone(&block));
            let name = block.name.as_str();
            self.route(name, &mut draft, observer, aftermath, |queue, copy, _| {
                copies.push((queue, copy));
            });
            aftermath.release(block);
        }
        fill_at_once(copies, aftermath);
    }

    fn route(
        &mut self,
        name: &str,
        draft: &mut Draft,
        observer: &Observer,
        aftermath: &mut Aftermath,
        mut deliver: impl FnMut(QueueRef, Entry, &mut Aftermath),
    ) -> Reach {
        let inbox = inbox::number(name);
        // What arrives at an inbox is never recorded, however late (MEM-47).
        let recorded = self.keep.records() && inbox.is_none();
        let found = if inbox.is_none() || self.inbox_topics > 0 {
            self.topics.get_mut(name.as_bytes())
        } else {
            None
        };
        if recorded && found.is_none() {
            let topic = Topic::new(Name::new(name));
            self.topics.insert(topic.name.clone(), topic);
            return self.route(name, draft, observer, aftermath, deliver);
        }
        let mut position = 0;
        let topic = found.map(|topic| {
            if recorded {
                let block = draft.share(|| topic.name.clone());
                position = topic
                    .log
                    .append(block, self.keep, |block| aftermath.release(block));
            }
            &*topic
        });
        let named = || topic.map_or_else(|| Name::new(name), |topic| topic.name.clone());

        let waiting = inbox.filter(|number| self.inboxes.is_open(*number));
        if let Some(number) = waiting {
            let reply = || Message::Shared(draft.share(named));
            aftermath.wake(self.inboxes.deliver(number, reply));
        }

        let exact = topic.map_or(&[][..], |topic| &topic.readers);
        let exact_takes = waiting.is_some() || !exact.is_empty();
        let mut last = None;
        each_reader(
            name,
            exact,
            exact_takes,
            &self.patterns,
            self.routing,
            |reader| {
                if let Some(earlier) = last.replace(reader) {
                    let message = Message::Shared(draft.share(named));
                    let copy = Entry::fresh(message, position, observer.queued());
                    deliver(earlier, copy, aftermath);
                }
            },
        );
        if let Some(last) = last {
            let copy = Entry::fresh(draft.take(named), position, observer.queued());
            deliver(last, copy, aftermath);
        }
        match topic.and_then(Topic::sole_reader) {
            Some(sole) => Reach::Sole(sole),
            None if last.is_none() && inbox.is_none() && !recorded => Reach::Nobody,
            None => Reach::Others,
        }
    }

    /// Makes `queue` go on with what the log of `name` holds from `to` on; returns what it held.
    pub(crate) fn seek(
        &self,
        name: &Name,
        queue: QueueRef,
        to: MemoryPosition,
        observer: &Observer,
        aftermath: &mut Aftermath,
    ) -> Result<VecDeque<Entry>, MemoryError> {
        self.check_live()?;
        let log = self.topics.get(name.as_bytes()).map(|topic| &topic.log);
        let (oldest, tip) = log.map_or((0, 0), |log| (log.oldest(), log.tip()));
        let target = match to {
            MemoryPosition::Start => oldest,
            MemoryPosition::End => tip,
            MemoryPosition::Sequence(requested) if requested < oldest => {
                return Err(MemoryError::PositionEvicted { requested, oldest });
            }
            MemoryPosition::Sequence(requested) => requested.min(tip),
        };
        let kept = log.into_iter().flat_map(|log| log.from(target));
        let replay = kept.map(|(position, block)| {
            let message = Message::Shared(Arc::clone(block));
            Entry::fresh(message, position, observer.queued())
        });
        let (skipped, waker) = queue.reposition(target, replay);
        aftermath.wake(waker);
        Ok(skipped)
    }

    pub(crate) fn review_all(&mut self) {
        for topic in self.topics.values_mut() {
            topic.review(self.routing, self.keep, &self.patterns);
        }
    }
}

/// Queues the copies of a commit while every queue they go to is held.
fn fill_at_once(copies: Vec<(QueueRef, Entry)>, aftermath: &mut Aftermath) {
    let mut targets: Vec<QueueRef> = copies.iter().map(|(queue, _)| *queue).collect();
    targets.sort_unstable_by_key(|queue| queue.index());
    targets.dedup();
    let mut held: Vec<Option<MutexGuard<'_, Queue>>> =
        targets.iter().map(|queue| queue.lock()).collect();
    for (queue, copy) in copies {
        let place = targets.binary_search_by_key(&queue.index(), |queue| queue.index());
        if let Some(Some(queue)) = place.ok().and_then(|place| held.get_mut(place)) {
            aftermath.wake(queue.push(copy));
        }
    }
}
