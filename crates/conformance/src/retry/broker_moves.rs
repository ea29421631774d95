use std::error::Error;
use std::num::NonZeroU32;

use ruststream_core::{
    Broker, BrokerMoves, Connected, IncomingMessage, Publisher, RetryDeclaration,
    SubscriptionSource,
};
use tokio::time::Instant;

use super::declared::{declared, name_of};
use super::{ARRIVAL, CALL, MOVE, QUIET};
use crate::kit::{Arrival, Check, Inbox, Limits, Session, Shown, settled};

const SPENT: &[u8] = b"spent";

/// Holds a descriptor that declares `BrokerMoves` to move a message after exactly `attempts`
/// deliveries.
///
/// A declaration of a cap alone, or of a destination alone, must be refused: a native dead-letter
/// policy needs both. With both, a message requeued on every delivery is delivered `attempts` times,
/// then once on the dead-letter name, and no more.
///
/// The names begin with `conformance-half-`, `conformance-moves-` and `conformance-dead-` and hold
/// no dot.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn broker_moves<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
    attempts: NonZeroU32,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>, Copies = BrokerMoves> + Send,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("broker_moves");
    let session = Session::open(&check, Limits::of(CALL), make_broker()).await;

    let cap = RetryDeclaration::new().with_max_attempts(attempts);
    let destination = RetryDeclaration::new().with_dead_letter(name_of("dead"));
    for (name, half) in [
        ("a cap alone", cap.clone()),
        ("a destination alone", destination),
    ] {
        let step = check.step(
            name,
            "a broker that moves spent messages itself refuses half a declaration",
        );
        let opened = declared(&session, make_source(&name_of("half")), &half);
        let refused = step.within(CALL, opened).await.is_err();
        step.require(refused, "the subscription opened");
    }

    let dead_letter = name_of("dead");
    let subject = name_of("moves");
    let whole = cap.with_dead_letter(dead_letter.clone());
    let mut dead = session.subscribe(make_source(&dead_letter)).await;
    let step = check.step("declare", "a whole declaration is accepted");
    let opened = step.within(CALL, declared(&session, make_source(&subject), &whole));
    let mut subscriber = opened
        .await
        .unwrap_or_else(|refusal| step.fail(format_args!("it was refused: {refusal}")));

    let publisher = make_publisher(session.connected());
    session.publish(&publisher, &subject, SPENT).await;
    let mut inboxes = [Inbox::of(&mut subscriber), Inbox::of(&mut dead)];
    moved(&check, &mut inboxes, attempts).await;
    drop(inboxes);
    drop(subscriber);
    drop(dead);
    session.close().await;
}

/// Reads the subscription and the dead-letter subscription at once, until all is still.
async fn moved<M, E>(check: &Check, inboxes: &mut [Inbox<'_, M, E>; 2], attempts: NonZeroU32)
where
    M: IncomingMessage,
    E: Error,
{
    const SUBSCRIPTION: usize = 0;
    let step = check.step(
        "deliver",
        "a message requeued on every delivery is delivered exactly as often as the cap allows",
    );
    for number in 1..=attempts.get() {
        let (position, arrival) = Inbox::first_of(inboxes, Instant::now() + ARRIVAL).await;
        let delivery = match arrival {
            Arrival::Item(delivery) => delivery,
            other => step.fail(format_args!(
                "delivery {number} of {attempts}: {}",
                other.described(ARRIVAL)
            )),
        };
        step.require(
            position == SUBSCRIPTION,
            format_args!("it was moved after {} of {attempts} deliveries", number - 1),
        );
        step.require(
            delivery.payload() == SPENT,
            format_args!("{} came", Shown(delivery.payload())),
        );
        let counted = delivery.redelivery_count();
        step.asking("a count that a transport reports is the number of the delivery")
            .require(
                counted.is_none_or(|count| count == u64::from(number)),
                format_args!("delivery {number} is counted {counted:?}"),
            );
        if !settled(step, CALL, delivery.nack(true)).await {
            return;
        }
    }

    let step = check.step(
        "move",
        "a message at its cap is moved to the dead-letter name, once, and delivered nowhere else",
    );
    match Inbox::first_of(inboxes, Instant::now() + MOVE).await {
        (SUBSCRIPTION, Arrival::Item(_)) => step.fail(format_args!(
            "it was delivered more often than {attempts} times"
        )),
        (_, Arrival::Item(delivery)) => {
            step.require(
                delivery.payload() == SPENT,
                format_args!("{} came on the dead-letter name", Shown(delivery.payload())),
            );
            settled(step, CALL, delivery.ack()).await;
        }
        (_, other) => step.fail(other.described(MOVE)),
    }
    match Inbox::first_of(inboxes, Instant::now() + QUIET).await {
        (_, Arrival::Nothing) => {}
        (SUBSCRIPTION, Arrival::Item(_)) => step.fail("it was delivered again after the move"),
        (_, Arrival::Item(_)) => step.fail("it was moved twice"),
        (_, other) => step.fail(other.described(QUIET)),
    }
}
