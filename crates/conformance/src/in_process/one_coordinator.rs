use futures_util::FutureExt;
use ruststream_core::testing::{Coordinator, InProcess, TestableBroker};
use ruststream_core::{IncomingMessage, OutgoingMessage, Subscribe};
use tokio::time::timeout;

use super::side::{CALL, LIMITS, Side};
use crate::harness::InProcessBroker;
use crate::helpers::unique_subject;
use crate::kit::{Check, Inbox, Session, settled};

/// Holds a transport to the first coordinator it is given, for subscriptions opened before it too.
///
/// A subscription is opened, then a coordinator installed, then another one. A message is counted by
/// the first, from before `inject` returns until it is settled, and never by the second.
///
/// This is TEST-67.
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
/// conformance::in_process::one_coordinator(MemoryBroker::new).await;
/// # });
/// ```
pub async fn one_coordinator<B, MkBroker>(make_broker: MkBroker)
where
    B: InProcess,
    B::Connected: Subscribe,
    MkBroker: Fn() -> B,
{
    let check = Check::new("one_coordinator");
    let session = Session::open(&check, LIMITS, InProcessBroker::new(make_broker())).await;
    let connected = session.connected();
    let subject = unique_subject("conformance.coordinator");
    let step = check.step("subscribe", "a subscription opens by name");
    let mut subscriber = step.done(CALL, connected.subscribe(&subject)).await;
    let first = Coordinator::new(usize::MAX);
    let second = Coordinator::new(usize::MAX);
    connected.install_coordinator(first.clone());
    connected.install_coordinator(second.clone());

    let mut inbox = Inbox::of(&mut subscriber);
    drop(inbox.ready());
    let step = check
        .step(
            "first",
            "the first coordinator installed counts what is queued, also for a subscription that \
             was open before it",
        )
        .advising(
            "keep the coordinator in the connection, behind a `OnceLock`, and look it up when a \
             stream is opened",
        );
    connected.inject(OutgoingMessage::new(&subject, b"counted"));
    let busy = |coordinator: &Coordinator| coordinator.drive().now_or_never().is_none();
    step.require(busy(&first), "a message was injected and not counted");
    let delivery = inbox
        .expect(step, Side::InProcess.delivery(), b"counted")
        .await;
    step.require(busy(&first), "a delivery was held and not counted");

    let ignored = check
        .step("second", "a second coordinator is ignored")
        .advising("install with `OnceLock::set`, and let a second call change nothing");
    ignored.require(!busy(&second), format_args!("it was told: {second:?}"));
    settled(step, CALL, delivery.ack()).await;
    let resting = timeout(Side::InProcess.delivery(), first.drive()).await;
    step.require(
        resting.is_ok(),
        format_args!("{first:?} after the only message was settled"),
    );
    ignored.require(!busy(&second), format_args!("it was told: {second:?}"));
}
