use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use futures_util::StreamExt;
use ruststream_core::{
    Broker, Bytes, HeaderMap, IncomingMessage, OutgoingMessage, Publisher, Seekable, Seeker,
    Subscriber, nonzero,
};
use ruststream_memory::{LogMode, MemoryBroker, MemoryPosition, MemoryPublisher, Retention};

use crate::support::*;

/// Counts the messages that exist: a header value runs its owner's drop with the last copy.
#[derive(Clone, Default)]
struct Alive(Arc<AtomicUsize>);

struct Life(Alive);

impl AsRef<[u8]> for Life {
    fn as_ref(&self) -> &[u8] {
        b"alive"
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Alive {
    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn publish(&self, publisher: &MemoryPublisher, name: &str) {
        self.0.fetch_add(1, Ordering::Relaxed);
        let headers = HeaderMap::from_iter([("life", Bytes::from_owner(Life(self.clone())))]);
        let message = OutgoingMessage::new(name, b"body").with_headers(headers);
        at_once(publisher.publish(message, None)).expect("publishes");
    }
}

fn publish_to<Log: LogMode>(broker: &MemoryBroker<Log>, name: &str, times: usize) -> Alive {
    let alive = Alive::default();
    let publisher = broker.publisher();
    (0..times).for_each(|_| alive.publish(&publisher, name));
    alive
}

// MEM-42, MEM-72
#[test]
fn a_discarding_broker_holds_what_is_unread_and_nothing_else() {
    let broker = MemoryBroker::new();
    let unread = publish_to(&broker, "nowhere", 100);
    assert_eq!(unread.count(), 0);

    let mut parcels = broker.subscribe("parcels");
    let alive = publish_to(&broker, "parcels", 3);
    assert_eq!(alive.count(), 3);
    ack(take(&mut parcels));
    assert_eq!(alive.count(), 2);
    let held = take(&mut parcels);
    drop(parcels);
    assert_eq!(alive.count(), 1, "the held one");
    requeue(held);
    assert_eq!(alive.count(), 0);
}

// MEM-44, MEM-72
#[test]
fn a_retaining_broker_holds_its_bound() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(8)));
    let alive = publish_to(&broker, "parcels", 100);
    assert_eq!(alive.count(), 8);
    let mut parcels = broker.subscribe("parcels");
    at_once(parcels.seeker().seek(MemoryPosition::start())).expect("seeks");
    assert_eq!(bodies(&mut parcels).len(), 8);
    drop((parcels, broker));
    assert_eq!(alive.count(), 0);
}

// MEM-51: a seek releases what it skips, in the queue at once and behind the stream when polled.
#[test]
fn a_seek_releases_what_it_skips() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(1)));
    let mut parcels = broker.subscribe("parcels");
    let alive = publish_to(&broker, "parcels", 10);
    ack(take(&mut parcels));
    assert_eq!(alive.count(), 9);
    at_once(parcels.seeker().seek(MemoryPosition::end())).expect("seeks");
    assert!(next(&mut parcels).is_none());
    assert_eq!(alive.count(), 1, "the one retained");
}

// MEM-37
#[tokio::test(start_paused = true)]
async fn a_pending_redelivery_keeps_neither_bus_nor_log() {
    let retention = Retention::Messages(nonzero!(8));
    let broker = MemoryBroker::retaining(retention);
    let connected = broker.clone().connect().await.expect("connects");
    let mut parcels = subscribe(&connected, "parcels");
    let logged = publish_to(&broker, "letters", 3);
    publish(&broker.publisher(), "parcels", "1");
    let delay = Duration::from_mins(1);
    at_once(take(&mut parcels).nack_after(delay)).expect("settles");
    assert_eq!(logged.count(), 3);
    drop((parcels, connected, broker));
    assert_eq!(logged.count(), 0);
}

// MEM-64, MEM-59
#[test]
fn an_aborted_buffer_is_released() {
    use ruststream_core::TransactionalPublisher;
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let alive = Alive::default();
    at_once(publisher.begin_transaction()).expect("begins");
    alive.publish(&publisher, "parcels");
    assert_eq!(alive.count(), 1);
    at_once(publisher.abort()).expect("aborts");
    assert_eq!(alive.count(), 0);
}

// MEM-73
#[test]
fn a_panic_in_a_waker_leaves_the_bus_usable() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("a waker that panics");
        }
    }
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let mut parcels = broker.subscribe("parcels");
    let mut other = broker.subscribe("parcels");
    let waker = Waker::from(Arc::new(Panics));
    let pending = parcels
        .stream()
        .poll_next_unpin(&mut Context::from_waker(&waker))
        .is_pending();
    assert!(pending);
    catch_unwind(AssertUnwindSafe(|| publish(&publisher, "parcels", "1"))).expect_err("panics");
    publish(&publisher, "parcels", "2");
    assert_eq!(bodies(&mut parcels), ["1", "2"]);
    assert_eq!(bodies(&mut other), ["1", "2"]);
}

// MEM-73
#[test]
fn a_panic_while_a_delivery_is_held_puts_it_back() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    publish(&broker.publisher(), "parcels", "1");
    let held = take(&mut parcels);
    catch_unwind(AssertUnwindSafe(move || {
        let _held = held;
        panic!("a handler that panics");
    }))
    .expect_err("panics");
    assert_eq!(count(&take(&mut parcels)), 2);
}

// Wakers and payload owners are foreign code: each may use the bus from where it is called.
#[test]
fn foreign_code_finds_the_bus_unlocked() {
    struct Publishes(MemoryPublisher, AtomicBool);
    impl Publishes {
        fn publish_once(&self) {
            if !self.1.swap(true, Ordering::Relaxed) {
                publish(&self.0, "parcels", "from inside");
            }
        }
    }
    impl Wake for Publishes {
        fn wake(self: Arc<Self>) {
            self.publish_once();
        }
    }
    impl AsRef<[u8]> for Publishes {
        fn as_ref(&self) -> &[u8] {
            b"value"
        }
    }
    impl Drop for Publishes {
        fn drop(&mut self) {
            self.publish_once();
        }
    }
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(1)));
    let publisher = broker.publisher();
    let foreign = || Publishes(publisher.clone(), AtomicBool::new(false));
    let mut parcels = broker.subscribe("parcels");
    let waker = Waker::from(Arc::new(foreign()));
    let pending = parcels
        .stream()
        .poll_next_unpin(&mut Context::from_waker(&waker))
        .is_pending();
    assert!(pending);
    publish(&publisher, "parcels", "1");
    assert_eq!(bodies(&mut parcels), ["1", "from inside"]);

    // Replaced by another task's waker while the stream waits.
    for waker in [&Waker::from(Arc::new(foreign())), Waker::noop()] {
        let mut cx = Context::from_waker(waker);
        assert!(parcels.stream().poll_next_unpin(&mut cx).is_pending());
    }
    assert_eq!(bodies(&mut parcels), ["from inside"]);

    // Evicted by the next publish, with nobody else holding it.
    let headers = HeaderMap::from_iter([("owned", Bytes::from_owner(foreign()))]);
    let message = OutgoingMessage::new("letters", b"body").with_headers(headers);
    at_once(publisher.publish(message, None)).expect("publishes");
    publish(&publisher, "letters", "evicts");
    assert_eq!(bodies(&mut parcels), ["from inside"]);
}
