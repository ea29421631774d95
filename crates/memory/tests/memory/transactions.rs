use std::fmt::{self, Write};
use std::sync::{Arc, Mutex};

use ruststream_core::{
    ConnectedBroker, OutgoingMessage, OwnedTransactions, Transaction, TransactionalPublisher,
    nonzero,
};
use ruststream_memory::{MemoryBroker, MemoryError, MemoryTransaction, Retention};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::support::*;

fn add(transaction: &mut MemoryTransaction, name: &str, body: &str) {
    let message = OutgoingMessage::new(name, body.as_bytes());
    at_once(transaction.publish(message, None)).expect("buffers");
}

// MEM-59, MEM-61, CORE-150
#[test]
fn a_commit_shows_the_buffer_in_publish_order_and_nothing_before() {
    let broker = MemoryBroker::new();
    let (mut a, mut b) = (broker.subscribe("a"), broker.subscribe("b"));
    let mut all = subscribe_pattern(&connect(&broker), ">");
    let publisher = broker.publisher();
    at_once(publisher.begin_transaction()).expect("begins");
    for (name, body) in [("a", "1"), ("b", "2"), ("a", "3")] {
        publish(&publisher, name, body);
    }
    assert!(
        [&mut a, &mut b, &mut all]
            .into_iter()
            .all(|reader| next(reader).is_none())
    );
    at_once(publisher.commit()).expect("commits");
    assert_eq!(bodies(&mut a), ["1", "3"]);
    assert_eq!(bodies(&mut b), ["2"]);
    assert_eq!(bodies(&mut all), ["1", "2", "3"]);
    publish(&publisher, "a", "direct");
    assert_eq!(bodies(&mut a), ["direct"]);
}

// MEM-59
#[test]
fn an_abort_discards_the_buffer_and_the_handle_goes_on() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    let publisher = broker.publisher();
    at_once(publisher.begin_transaction()).expect("begins");
    publish(&publisher, "parcels", "lost");
    at_once(publisher.abort()).expect("aborts");
    publish(&publisher, "parcels", "direct");
    at_once(publisher.begin_transaction()).expect("begins");
    publish(&publisher, "parcels", "kept");
    at_once(publisher.commit()).expect("commits");
    assert_eq!(bodies(&mut parcels), ["direct", "kept"]);
}

// MEM-04, MEM-59, PUB-802, CORE-151
#[test]
fn misuse_of_the_handle_transaction_is_an_error_that_changes_nothing() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    let publisher = broker.publisher();
    assert_eq!(at_once(publisher.commit()), Err(MemoryError::NoTransaction));
    assert_eq!(at_once(publisher.abort()), Err(MemoryError::NoTransaction));
    at_once(publisher.begin_transaction()).expect("begins");
    publish(&publisher, "parcels", "1");
    assert_eq!(
        at_once(publisher.begin_transaction()),
        Err(MemoryError::TransactionBusy)
    );
    publish(&publisher, "parcels", "2");
    at_once(publisher.commit()).expect("commits");
    assert_eq!(bodies(&mut parcels), ["1", "2"]);
    assert_eq!(at_once(publisher.commit()), Err(MemoryError::NoTransaction));
}

// CORE-152
#[test]
fn a_commit_that_failed_leaves_nothing_open_and_nothing_buffered() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    at_once(publisher.begin_transaction()).expect("begins");
    publish(&publisher, "parcels", "lost");
    at_once(connect(&broker).shutdown()).expect("shuts down");
    assert_eq!(at_once(publisher.commit()), Err(MemoryError::ShutDown));

    // The bus is there again, and so is the handle.
    let connected = connect(&broker);
    let mut parcels = subscribe(&connected, "parcels");
    assert_eq!(at_once(publisher.abort()), Err(MemoryError::NoTransaction));
    at_once(publisher.begin_transaction()).expect("begins afresh");
    publish(&publisher, "parcels", "done again");
    at_once(publisher.commit()).expect("commits");
    assert_eq!(bodies(&mut parcels), ["done again"]);
}

// MEM-60, PUB-802
#[test]
fn a_clone_neither_joins_nor_carries_the_transaction() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    let publisher = broker.publisher();
    at_once(publisher.begin_transaction()).expect("begins");
    let clone = publisher.clone();
    publish(&clone, "parcels", "direct");
    assert_eq!(bodies(&mut parcels), ["direct"]);
    assert_eq!(at_once(clone.abort()), Err(MemoryError::NoTransaction));
    at_once(clone.begin_transaction()).expect("begins one of its own");
    at_once(publisher.abort()).expect("aborts its own");
    at_once(clone.abort()).expect("aborts its own");
}

// MEM-61
#[test]
fn an_open_transaction_is_in_no_log() {
    use ruststream_core::{Seekable, Seeker};
    use ruststream_memory::MemoryPosition;
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(4)));
    let publisher = broker.publisher();
    let mut replay = broker.subscribe("parcels");
    let seeker = replay.seeker();
    at_once(publisher.begin_transaction()).expect("begins");
    publish(&publisher, "parcels", "1");
    at_once(seeker.seek(MemoryPosition::start())).expect("seeks");
    assert!(next(&mut replay).is_none());
    at_once(publisher.commit()).expect("commits");
    at_once(seeker.seek(MemoryPosition::start())).expect("seeks");
    assert_eq!(bodies(&mut replay), ["1"]);
}

// MEM-62, CORE-014
#[test]
fn a_commit_from_a_runtime_that_stops_right_after_is_published() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    let publisher = broker.publisher();
    on_foreign_runtime(async move {
        publisher.begin_transaction().await?;
        publish(&publisher, "parcels", "1");
        publisher.commit().await
    })
    .expect("commits");
    assert_eq!(bodies(&mut parcels), ["1"]);
}

// MEM-63, CORE-153
#[test]
fn owned_transactions_are_independent_of_each_other_and_of_the_handle() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    let publisher = broker.publisher();
    at_once(publisher.begin_transaction()).expect("begins");
    let mut kept = at_once(publisher.transaction()).expect("opens");
    let mut lost = at_once(publisher.transaction()).expect("opens");
    add(&mut kept, "parcels", "1");
    add(&mut lost, "parcels", "lost");
    publish(&publisher, "parcels", "handle");
    add(&mut kept, "parcels", "2");
    publish(&publisher.clone(), "parcels", "direct");
    assert_eq!(bodies(&mut parcels), ["direct"]);
    at_once(lost.abort()).expect("aborts");
    at_once(kept.commit()).expect("commits");
    assert_eq!(bodies(&mut parcels), ["1", "2"]);
    at_once(publisher.commit()).expect("commits");
    assert_eq!(bodies(&mut parcels), ["handle"]);
}

// MEM-64, PUB-803
#[test]
fn only_an_unsettled_drop_warns_and_only_once() {
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), || {
        let broker = MemoryBroker::new();
        let mut parcels = broker.subscribe("parcels");
        let publisher = broker.publisher();
        let open = || at_once(publisher.transaction()).expect("opens");

        let mut dropped = open();
        add(&mut dropped, "parcels", "1");
        add(&mut dropped, "parcels", "2");
        drop(dropped);
        assert!(next(&mut parcels).is_none());
        at_once(open().commit()).expect("commits");
        at_once(open().abort()).expect("aborts");
        let mut failed = open();
        add(&mut failed, "parcels", "3");
        at_once(connect(&broker).shutdown()).expect("shuts down");
        at_once(failed.commit()).expect_err("shut down");
    });
    let lines = log.lines.lock().expect("no panic").clone();
    let [(level, target, line)] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert_eq!(
        (*level, target.as_str()),
        (Level::WARN, "ruststream::memory")
    );
    assert!(
        line.contains("buffered=2") && line.contains("dropped without commit or abort"),
        "{line}"
    );
}

/// Collects the events of this crate.
#[derive(Clone, Default)]
struct Log {
    lines: Arc<Mutex<Vec<(Level, String, String)>>>,
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, "{field}={value:?} ");
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        let (level, target) = (
            *event.metadata().level(),
            event.metadata().target().to_owned(),
        );
        self.lines
            .lock()
            .expect("no panic")
            .push((level, target, line.0));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
