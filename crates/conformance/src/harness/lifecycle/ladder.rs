use std::sync::Arc;
use std::time::Duration;

use ruststream_core::{
    AckError, Broker, Connected, ConnectedBroker, IncomingMessage, Publisher, Subscriber,
    SubscriptionSource,
};
use tokio::time::{Instant, sleep};

use super::construction::constructed;
use crate::helpers::unique_subject;
use crate::kit::{Arrival, Check, Inbox, Limits, Session, Shown, Step, elsewhere, send, settled};

const CONNECT: Duration = Duration::from_secs(10);
const CALL: Duration = Duration::from_secs(2);
const SHUTDOWN: Duration = Duration::from_secs(10);
const DELIVERY: Duration = Duration::from_secs(2);
const REDELIVERY: Duration = Duration::from_secs(10);
const DELAY: Duration = Duration::from_millis(1500);
const QUIET: Duration = Duration::from_millis(100);
/// After a delivery or an error that is not what is waited for, and may be there at every poll.
const BETWEEN_READS: Duration = Duration::from_millis(1);

const LIMITS: Limits = Limits {
    connect: CONNECT,
    subscribe: CALL,
    publish: CALL,
    shutdown: SHUTDOWN,
};

/// One connection, one subject, from construction to what is left after shutdown.
#[expect(
    clippy::too_many_lines,
    reason = "the ladder is read, and climbed, from top to bottom"
)]
pub(super) async fn ladder<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    check: &Check,
    make_broker: &Arc<MkBroker>,
    make_source: &MkSrc,
    make_publisher: &MkPub,
) where
    B: Broker + Send + 'static,
    MkBroker: Fn() -> B + Send + Sync + 'static,
    Src: SubscriptionSource<Connected<B>> + Clone + Send + 'static,
    Src::Subscriber: Send + 'static,
    MkSrc: Fn(&str) -> Src,
    <Src::Subscriber as Subscriber>::Message: 'static,
    Pub: Publisher + 'static,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let broker = constructed(check, make_broker).await;
    let subject = unique_subject("conformance.lifecycle");

    let step = check.step("ladder, connect", "`connect` reaches the broker");
    let connected = step.done(CONNECT, broker.connect()).await;
    let connected = Arc::new(connected);

    let step = check.step(
        "ladder, subscribe",
        "a subscription opens from a runtime of the caller's own, which may end right after",
    );
    let source = make_source(&subject);
    let shared = Arc::clone(&connected);
    let opening = move || async move { source.subscribe(&shared).await };
    let mut subscriber = step.accepted(elsewhere(step, CALL, opening).await);
    let mut inbox = Inbox::of(&mut subscriber);

    let travelling = Arc::new(make_publisher(&connected));
    let resident = make_publisher(&connected);
    let unused = make_publisher(&connected);

    let step = check.step(
        "ladder, first publish",
        "a publish from a runtime that ends right after arrives unchanged, on a subscription that \
         was opened from another one",
    );
    publish_elsewhere(step, &travelling, &subject, b"first").await;
    let mut delivery = inbox.expect(step, DELIVERY, b"first").await;

    if delivery.supports_nack_after() {
        let step = check.step(
            "ladder, delayed nack",
            "`nack_after` from a runtime that ends right after brings the message back, no sooner \
             than the delay and soon after it",
        );
        let asked = Instant::now();
        let answer = elsewhere(step, CALL, move || delivery.nack_after(DELAY)).await;
        step.accepted(answer);
        delivery = inbox.expect(step, DELAY + REDELIVERY, b"first").await;
        let waited = asked.elapsed();
        step.require(
            waited >= DELAY,
            format_args!("a delay of {DELAY:?} was over after {waited:?}"),
        );
    }

    let step = check.step(
        "ladder, requeue",
        "`nack(true)` from a runtime that ends right after brings the message back, or answers \
         `Unsupported`",
    );
    if settle_elsewhere(step, move || delivery.nack(true)).await {
        let again = inbox.expect(step, REDELIVERY, b"first").await;
        let step = check.step(
            "ladder, ack",
            "`ack` from a runtime that ends right after is taken",
        );
        settle_elsewhere(step, move || again.ack()).await;
    }

    let step = check.step(
        "ladder, second publish",
        "a publisher first used on a runtime that ended works from the broker's runtime and from \
         another one, and each message arrives once",
    );
    step.done(
        CALL,
        send(&*travelling, &subject, b"from the broker's runtime"),
    )
    .await;
    publish_elsewhere(step, &travelling, &subject, b"from a new runtime").await;
    let (dropped, acked) = both(step, &mut inbox).await;

    let step = check.step(
        "ladder, settle",
        "`nack(false)` and `ack` from runtimes that end right after hold: nothing comes again",
    );
    settle_elsewhere(step, move || dropped.nack(false)).await;
    settle_elsewhere(step, move || acked.ack()).await;
    inbox.silent(step, QUIET).await;

    let step = check.step("ladder, hold", "a message published is delivered");
    step.done(CALL, send(&resident, &subject, b"held")).await;
    let held = inbox.expect(step, DELIVERY, b"held").await;

    let step = check.step(
        "ladder, shutdown",
        "`shutdown` returns, and reports no failure",
    );
    let Some(connected) = Arc::into_inner(connected) else {
        step.asking("a caller's runtime that ended keeps nothing of the connection")
            .fail("the connected form is still in use")
    };
    step.done(SHUTDOWN, connected.shutdown()).await;

    for (name, publisher) in [
        ("ladder, unused publisher", &unused),
        ("ladder, travelled publisher", &*travelling),
        ("ladder, resident publisher", &resident),
    ] {
        let step = check.step(name, "after shutdown a publisher paired before it fails");
        step.refused(CALL, send(publisher, &subject, b"too late"))
            .await;
    }

    let step = check.step(
        "ladder, settle after shutdown",
        "a delivery held across shutdown is settled truly or with an error",
    );
    if step.within(CALL, held.nack(true)).await.is_err() {
        return;
    }
    if !returned(step, &mut inbox).await {
        drop(inbox);
        let again = constructed(check, make_broker).await;
        let session = Session::open(check, LIMITS, again).await;
        let mut subscriber = session.subscribe(make_source(&subject)).await;
        if !returned(step, &mut Inbox::of(&mut subscriber)).await {
            step.fail(format_args!(
                "`nack(true)` succeeded and \"held\" came back neither on its subscription nor on \
                 a new connection within {REDELIVERY:?}"
            ));
        }
        session.close().await;
    }
}

async fn publish_elsewhere<P>(
    step: Step<'_>,
    publisher: &Arc<P>,
    subject: &str,
    payload: &'static [u8],
) where
    P: Publisher + 'static,
{
    let publisher = Arc::clone(publisher);
    let subject = subject.to_owned();
    let publishing = move || async move { send(&*publisher, &subject, payload).await };
    step.accepted(elsewhere(step, CALL, publishing).await);
}

/// Settles on a runtime that ends right after; `false` where the transport cannot settle so.
async fn settle_elsewhere<Settle, Settling>(step: Step<'_>, settle: Settle) -> bool
where
    Settle: FnOnce() -> Settling + Send + 'static,
    Settling: Future<Output = Result<(), AckError>>,
{
    let answer = elsewhere(step, CALL, settle).await;
    settled(step, CALL, std::future::ready(answer)).await
}

/// The two messages of the second publish, whichever came first.
async fn both<M, E>(step: Step<'_>, inbox: &mut Inbox<'_, M, E>) -> (M, M)
where
    M: IncomingMessage,
    E: std::error::Error,
{
    let first = inbox.next(step, DELIVERY).await;
    let second = inbox.next(step, DELIVERY).await;
    let mut payloads = [first.payload(), second.payload()];
    payloads.sort_unstable();
    step.require(
        payloads == [&b"from a new runtime"[..], b"from the broker's runtime"],
        format_args!(
            "the subscription received {} and {}",
            Shown(first.payload()),
            Shown(second.payload())
        ),
    );
    (first, second)
}

/// Whether the held message comes back before the subscription ends or the wait is over.
async fn returned<M, E>(step: Step<'_>, inbox: &mut Inbox<'_, M, E>) -> bool
where
    M: IncomingMessage,
    E: std::error::Error,
{
    let until = Instant::now() + REDELIVERY;
    loop {
        match inbox.arrival(until).await {
            Arrival::Item(delivery) => {
                let held = delivery.payload() == b"held";
                // The connection it belongs to may be gone: its answer says nothing more.
                drop(step.within(CALL, delivery.ack()).await);
                if held {
                    return true;
                }
            }
            Arrival::Error(_) => {}
            Arrival::Ended | Arrival::Nothing => return false,
        }
        if Instant::now() >= until {
            return false;
        }
        sleep(BETWEEN_READS).await;
    }
}
