use std::panic::{AssertUnwindSafe, catch_unwind};

use ruststream_core::testing::{Coordinator, InProcess, TestableBroker};
use ruststream_core::{OutgoingMessage, Subscribe};
use tokio::time::timeout;

use super::side::{CALL, LIMITS, Side};
use crate::harness::InProcessBroker;
use crate::helpers::unique_subject;
use crate::kit::{Check, Inbox, Session, Step};

/// Holds a subscription that was dropped to keep nothing that a test would wait for.
///
/// Messages are injected, one delivery is taken and held, and the subscription is dropped, then the
/// delivery. The count comes to rest. What is injected afterwards has no subscription to be queued
/// in: the count stays at rest.
///
/// This is TEST-33: a subscription dropped with deliveries still queued takes back the count of each,
/// and a message that nobody reads is not counted.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
///
/// # Examples
///
/// ```
/// # use ruststream_conformance as conformance;
/// # use ruststream_memory::MemoryBroker;
/// # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
/// conformance::in_process::dropped_subscription(MemoryBroker::new).await;
/// # });
/// ```
pub async fn dropped_subscription<B, MkBroker>(make_broker: MkBroker)
where
    B: InProcess,
    B::Connected: Subscribe,
    MkBroker: Fn() -> B,
{
    let check = Check::new("dropped_subscription in process");
    let session = Session::open(&check, LIMITS, InProcessBroker::new(make_broker())).await;
    let connected = session.connected();
    let coordinator = Coordinator::new(usize::MAX);
    connected.install_coordinator(coordinator.clone());
    let subject = unique_subject("conformance.dropped");
    let step = check.step("subscribe", "a subscription opens by name");
    let mut subscriber = step.done(CALL, connected.subscribe(&subject)).await;
    let mut inbox = Inbox::of(&mut subscriber);
    drop(inbox.ready());
    for payload in ["held", "queued", "queued too"] {
        connected.inject(OutgoingMessage::new(&subject, payload.as_bytes()));
    }
    let step = check
        .step(
            "queued",
            "a subscription that is dropped takes back the count of what it had queued",
        )
        .advising(
            "tie the count to the value that is the message, and drop the queue with the \
             subscriber",
        );
    let held = inbox.next(step, Side::InProcess.delivery()).await;
    drop(inbox);
    drop(subscriber);
    drop(held);
    comes_to_rest(step, &coordinator).await;

    let step = check
        .step(
            "afterwards",
            "a message that no subscription takes is not counted, also where one took it before",
        )
        .advising("remove a subscription from the routing when its subscriber is dropped");
    // A panic is how `inject` says that the server would refuse.
    let injected = catch_unwind(AssertUnwindSafe(|| {
        connected.inject(OutgoingMessage::new(&subject, b"unread"));
    }));
    if injected.is_ok() {
        comes_to_rest(step, &coordinator).await;
    }
}

async fn comes_to_rest(step: Step<'_>, coordinator: &Coordinator) {
    let resting = timeout(Side::InProcess.delivery(), coordinator.drive()).await;
    step.require(
        resting.is_ok(),
        format_args!("{coordinator:?} where no subscription is open"),
    );
}
