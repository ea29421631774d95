use std::time::Duration;

use ruststream_core::testing::Backlog;
use ruststream_core::{Broker, Connected, IncomingMessage, Publisher, SubscriptionSource};
use tokio::time::{Instant, sleep};

use super::{CALL, DELIVERY, LIMITS};
use crate::helpers::unique_subject;
use crate::kit::{Arrival, Check, Inbox, Session, Shown, Step, settled};

/// How long what comes after the shutdown is watched.
const WATCH: Duration = Duration::from_secs(10);
const BETWEEN_READS: Duration = Duration::from_millis(1);

const ACKED: &[u8] = b"acknowledged before the shutdown";
const HELD: &[u8] = b"held across the shutdown";
const FLUSHED: &[u8] = b"published right before the shutdown";

/// Holds a shutdown to flush the publishes and the acknowledgements that succeeded before it.
///
/// Every broker of the factory has to reach the same world: one server, or in process clones of one
/// bus. `backlog` is what a subscription of `make_source` gets of messages published before it
/// opened. Under [`Backlog::Missed`] a second connection observes; under [`Backlog::Delivered`] a
/// new connection is watched for the full 10 s, so a descriptor whose deliveries are leased needs a
/// lease well below that.
///
/// The subjects begin with `conformance.flush.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn shutdown_flushes<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
    backlog: Backlog,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>>,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("shutdown_flushes");
    let subject = unique_subject("conformance.flush");
    match backlog {
        Backlog::Missed => {
            let observer = Session::open(&check, LIMITS, make_broker()).await;
            let mut observing = observer.subscribe(make_source(&subject)).await;
            use_and_shut_down(
                &check,
                &subject,
                make_broker(),
                &make_source,
                &make_publisher,
            )
            .await;
            flushed_to(&check, &mut Inbox::of(&mut observing)).await;
            drop(observing);
            observer.close().await;
        }
        Backlog::Delivered => {
            let answers = use_and_shut_down(
                &check,
                &subject,
                make_broker(),
                &make_source,
                &make_publisher,
            )
            .await;
            let again = Session::open(&check, LIMITS, make_broker()).await;
            let mut subscriber = again.subscribe(make_source(&subject)).await;
            left_behind(&check, &mut Inbox::of(&mut subscriber), answers).await;
            drop(subscriber);
            again.close().await;
        }
        unknown => check
            .step("backlog", "the suite has a scenario for the backlog named")
            .fail(format_args!("there is none for `{unknown:?}`")),
    }
}

/// Which acknowledgements claimed to have taken effect.
#[derive(Debug, Clone, Copy)]
struct Answers {
    before: bool,
    late: bool,
}

/// A connection that is shut down with nothing in between the last publish and the shutdown.
async fn use_and_shut_down<B, Src, MkSrc, Pub, MkPub>(
    check: &Check,
    subject: &str,
    broker: B,
    make_source: &MkSrc,
    make_publisher: &MkPub,
) -> Answers
where
    B: Broker,
    Src: SubscriptionSource<Connected<B>>,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let session = Session::open(check, LIMITS, broker).await;
    let mut subscriber = session.subscribe(make_source(subject)).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let publisher = make_publisher(session.connected());

    let step = check.step("deliver", "a message published is delivered");
    session.publish(&publisher, subject, ACKED).await;
    let acked = inbox.expect(step, DELIVERY, ACKED).await;
    let step = check.step("ack", "a delivery can be acknowledged");
    let before = settled(step, CALL, acked.ack()).await;
    let step = check.step("hold", "a message published is delivered");
    session.publish(&publisher, subject, HELD).await;
    let held = inbox.expect(step, DELIVERY, HELD).await;

    session.publish(&publisher, subject, FLUSHED).await;
    session.close().await;

    let step = check.step(
        "late ack",
        "a settlement after the shutdown answers, truly or with an error",
    );
    let late = step.within(CALL, held.ack()).await.is_ok();
    Answers { before, late }
}

/// The observer must see what was flushed.
async fn flushed_to<M, E>(check: &Check, inbox: &mut Inbox<'_, M, E>)
where
    M: IncomingMessage,
    E: std::error::Error,
{
    let step = check.step(
        "flushed publish",
        "a publish that succeeded right before the shutdown reaches a subscriber of another \
         connection",
    );
    let until = Instant::now() + WATCH;
    loop {
        let delivery = match inbox.arrival(until).await {
            Arrival::Item(delivery) => delivery,
            Arrival::Nothing => step.fail(format_args!("it did not within {WATCH:?}")),
            other => step.fail(other.described(WATCH)),
        };
        let flushed = delivery.payload() == FLUSHED;
        settled(step, CALL, delivery.ack()).await;
        if flushed {
            return;
        }
        if Instant::now() >= until {
            step.fail(format_args!("only other messages came within {WATCH:?}"));
        }
        sleep(BETWEEN_READS).await;
    }
}

/// A new connection must find what was flushed, and nothing that was acknowledged.
///
/// The whole time is watched: a lost acknowledgement may come back after the flushed message.
async fn left_behind<M, E>(check: &Check, inbox: &mut Inbox<'_, M, E>, answers: Answers)
where
    M: IncomingMessage,
    E: std::error::Error,
{
    let flushed = check.step(
        "flushed publish",
        "a publish that succeeded right before the shutdown reaches a new connection",
    );
    let mut came = false;
    let until = Instant::now() + WATCH;
    while Instant::now() < until {
        let delivery = match inbox.arrival(until).await {
            Arrival::Item(delivery) => delivery,
            Arrival::Nothing => break,
            other => flushed.fail(other.described(WATCH)),
        };
        let payload = delivery.payload();
        came |= payload == FLUSHED;
        consumed(
            check.step(
                "flushed ack",
                "an acknowledgement that succeeded before the shutdown holds after it",
            ),
            answers.before && payload == ACKED,
            payload,
        );
        consumed(
            check.step(
                "claimed ack",
                "an acknowledgement that succeeded after the shutdown took effect",
            ),
            answers.late && payload == HELD,
            payload,
        );
        settled(flushed, CALL, delivery.ack()).await;
        sleep(BETWEEN_READS).await;
    }
    flushed.require(came, format_args!("it did not within {WATCH:?}"));
}

fn consumed(step: Step<'_>, came_back: bool, payload: &[u8]) {
    step.require(
        !came_back,
        format_args!("{} came back on a new connection", Shown(payload)),
    );
}
