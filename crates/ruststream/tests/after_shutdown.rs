//! A handle that outlived its broker's shutdown answers with an error, on every surface.
//!
//! PUB-754, CORE-019
#![cfg(all(feature = "macros", feature = "json", feature = "memory"))]

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ruststream::OutgoingMessage;
use ruststream::memory::prelude::*;
use ruststream::memory::{MemoryPublisher, MemoryRequester, RequestError};
use ruststream::runtime::{Bound, PublishError};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

#[derive(Debug, Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels")]
struct Parcel {
    id: u64,
}

const PARCEL: Parcel = Parcel { id: 41 };

/// What handles the service leaves behind.
#[derive(Clone, FromRef)]
struct Kept {
    from_slot: Arc<Mutex<Option<MemoryPublisher>>>,
    handled: mpsc::UnboundedSender<u64>,
}

#[subscriber("parcels")]
async fn keep(
    parcel: &Parcel,
    Out(out): Out<impl AsPublisher>,
    State(slot): State<Arc<Mutex<Option<MemoryPublisher>>>>,
    State(handled): State<mpsc::UnboundedSender<u64>>,
) {
    *slot.lock().expect("not poisoned") = Some(out.publisher());
    handled.send(parcel.id).expect("the test waits");
}

/// Reaches the live value behind a slot.
trait AsPublisher {
    fn publisher(&self) -> MemoryPublisher;
}

impl AsPublisher for MemoryPublisher {
    fn publisher(&self) -> MemoryPublisher {
        self.clone()
    }
}

impl<M, W: AsPublisher, E, Pipe, Body> AsPublisher for Slot<M, W, E, Pipe, Body> {
    fn publisher(&self) -> MemoryPublisher {
        (**self).publisher()
    }
}

/// The handles of a service that ran, handled one parcel and was shut down.
struct Outlived {
    publisher: MemoryPublisher,
    from_slot: MemoryPublisher,
    requester: MemoryRequester,
}

/// Runs `meanwhile` while the service runs, then shuts the service down.
async fn outlive<T>(meanwhile: impl AsyncFnOnce(&MemoryPublisher) -> T) -> (Outlived, T) {
    let (handled, mut wait) = mpsc::unbounded_channel();
    let kept = Kept {
        from_slot: Arc::default(),
        handled,
    };
    let state = kept.clone();
    let broker = MemoryBroker::new().bindable();
    let (publish, request) = (broker.bind(Publish), broker.bind(Request));
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .on_startup(async move |()| Ok::<_, Infallible>(state))
        .with_broker(broker, |b| {
            b.include(keep).out(DefaultSlot, Publish).build();
        });
    let running = app.start().await.expect("starts");
    let publisher = running.publisher(publish).await.expect("pairs");
    let requester = running.publisher(request).await.expect("pairs");
    publisher
        .message(&PARCEL)
        .publish()
        .await
        .expect("publishes");
    assert_eq!(wait.recv().await, Some(41));
    let found = meanwhile(&publisher).await;
    running.shutdown().await.expect("stops");
    let from_slot = kept
        .from_slot
        .lock()
        .expect("not poisoned")
        .take()
        .expect("was handled");
    (
        Outlived {
            publisher,
            from_slot,
            requester,
        },
        found,
    )
}

/// A running service of nothing, and what pairs with its broker.
async fn empty() -> (Bound<MemoryBroker, Publish>, RunningApp) {
    let broker = MemoryBroker::new().bindable();
    let token = broker.bind(Publish);
    let app = RustStream::new(AppInfo::new("depot", "1.0.0")).register_broker(broker);
    (token, app.start().await.expect("starts"))
}

#[tokio::test]
async fn a_publisher_refuses() {
    let (outlived, ()) = outlive(async |_| ()).await;
    let refused = outlived.publisher.message(&PARCEL).publish().await;
    assert!(
        matches!(refused, Err(PublishError::Publish(MemoryError::ShutDown))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn the_live_value_of_a_slot_refuses() {
    let (outlived, ()) = outlive(async |_| ()).await;
    let refused = outlived.from_slot.message(&PARCEL).publish().await;
    assert!(
        matches!(refused, Err(PublishError::Publish(MemoryError::ShutDown))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_transaction_left_open_on_a_handle_does_not_commit() {
    let (outlived, ()) = outlive(async |publisher| {
        publisher.begin_transaction().await.expect("begins");
        publisher.message(&PARCEL).publish().await.expect("buffers");
    })
    .await;
    assert_eq!(
        outlived.publisher.commit().await,
        Err(MemoryError::ShutDown)
    );
}

#[tokio::test]
async fn a_scope_left_open_does_not_commit() {
    let (token, running) = empty().await;
    let publisher = running.publisher(token).await.expect("pairs");
    let scope = publisher.begin().await.expect("begins");
    scope.message(&PARCEL).publish().await.expect("buffers");

    running.shutdown().await.expect("stops");

    assert_eq!(scope.commit().await, Err(MemoryError::ShutDown));
}

#[tokio::test]
async fn a_scope_opened_after_the_shutdown_commits_nothing() {
    let (outlived, ()) = outlive(async |_| ()).await;
    let scope = outlived.publisher.begin().await.expect("touches no bus");
    scope.message(&PARCEL).publish().await.expect("buffers");
    assert_eq!(scope.commit().await, Err(MemoryError::ShutDown));
}

#[tokio::test]
async fn a_scope_of_a_slots_live_value_commits_nothing() {
    let (outlived, ()) = outlive(async |_| ()).await;
    let scope = outlived.from_slot.begin().await.expect("touches no bus");
    scope.message(&PARCEL).publish().await.expect("buffers");
    assert_eq!(scope.commit().await, Err(MemoryError::ShutDown));
}

#[tokio::test]
async fn an_owned_transaction_left_open_does_not_commit() {
    let (_, open) = outlive(async |publisher| {
        let mut open = publisher.owned_transaction().await.expect("opens");
        open.message(&PARCEL).publish().await.expect("buffers");
        open
    })
    .await;
    assert_eq!(open.commit().await, Err(MemoryError::ShutDown));
}

#[tokio::test]
async fn an_owned_transaction_opened_after_the_shutdown_does_not_commit() {
    let (outlived, ()) = outlive(async |_| ()).await;
    let mut open = outlived.publisher.owned_transaction().await.expect("opens");
    open.message(&PARCEL).publish().await.expect("buffers");
    assert_eq!(open.commit().await, Err(MemoryError::ShutDown));
}

#[tokio::test(start_paused = true)]
async fn a_request_fails_at_once() {
    let (outlived, ()) = outlive(async |_| ()).await;
    let asked = tokio::time::Instant::now();
    let ask = OutgoingMessage::new("parcels", b"41");
    let refused = outlived
        .requester
        .request(ask, Duration::from_secs(30))
        .await;
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(
        asked.elapsed(),
        Duration::ZERO,
        "it does not wait for its timeout"
    );
    let refused = outlived.requester.message(&PARCEL).publish().await;
    assert!(
        matches!(refused, Err(PublishError::Publish(RequestError::ShutDown))),
        "{refused:?}"
    );
    let typed = outlived
        .requester
        .message(&PARCEL)
        .request(Duration::from_secs(30));
    assert!(
        matches!(
            typed.await,
            Err(PublishError::Publish(RequestError::ShutDown))
        ),
        "the typed form too"
    );
}
