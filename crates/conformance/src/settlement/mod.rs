//! What a settlement means, and that it means the same in process.
//!
//! | Room | Holds |
//! |---|---|
//! | `consumed` | `ack` and `nack(false)`: never again, also on a new connection |
//! | `requeued` | `nack(true)`: the same message again |
//! | `unsettled` | settling out of order, and a delivery dropped unsettled: nothing is lost |
//! | `whole` | a redelivery is the whole message: payload, headers, key, count |
//!
//! [`suite`] plays the first three and tells what the transport answered; [`matches_in_process`] plays
//! them on the server and in process and compares. [`requeue_is_whole`] and [`delay_is_whole`] are the
//! last.

mod answers;
mod consumed;
mod requeued;
mod timed;
mod unsettled;
mod whole;

use std::time::Duration;

pub use answers::{Answer, Answers, Delay};
use ruststream_core::testing::InProcess;
use ruststream_core::{Broker, Connected, Publisher, Subscriber, SubscriptionSource};
use timed::Timed;
pub use whole::{delay_is_whole, requeue_is_whole};

use crate::harness::InProcessBroker;
use crate::kit::{Check, Factories, MessageOf, UnderTest};

/// Every call of a broker.
const CALL: Duration = Duration::from_secs(10);
const ARRIVAL: Duration = Duration::from_secs(10);
/// What is watched, or waited, beyond the time after which a broker redelivers.
const MARGIN: Duration = Duration::from_secs(1);

/// Plays every settlement through and tells what the transport answered.
///
/// A settlement that answers `Ok` is held to its meaning; `Unsupported` is never a failure. All
/// brokers of the factory have to reach one world. Where the broker has subscriptions that survive
/// a connection (durable, queue, group), `make_source` names one; it allows three deliveries in
/// flight. `redelivery_timeout` is how long the broker holds an unsettled delivery before it hands
/// it out again: the ack wait, the visibility timeout; zero if it does so only when the connection
/// closes.
///
/// The subjects begin with `conformance.settlement.consume.`, `.requeue.`, `.order.` and
/// `.unsettled.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn suite<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
    redelivery_timeout: Duration,
) -> Answers
where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Clone + Send,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    <Src::Subscriber as Subscriber>::Message: 'static,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    played("settlement", &under_test, redelivery_timeout).await
}

/// Plays every settlement through on the server and in process; the answers must be the same.
///
/// The parameters are those of [`suite`]. A failure says on which side it came.
///
/// # Panics
///
/// At the first rule broken, or if an answer differs; outside a Tokio runtime with time.
pub async fn matches_in_process<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
    redelivery_timeout: Duration,
) where
    B: InProcess,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Clone + Send,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    <Src::Subscriber as Subscriber>::Message: 'static,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let live = Factories {
        brokers: &make_broker,
        sources: &make_source,
        publishers: &make_publisher,
    };
    let on_server = played("live settlement", &live, redelivery_timeout).await;
    let in_process = Factories {
        brokers: || InProcessBroker::new(make_broker()),
        sources: &make_source,
        publishers: &make_publisher,
    };
    let in_process = played("in process settlement", &in_process, redelivery_timeout).await;
    Check::new("settlement")
        .step(
            "matches in process",
            "the in-process transport answers every settlement as the server does",
        )
        .require(
            on_server == in_process,
            format_args!("{on_server:?} live and {in_process:?} in process"),
        );
}

async fn played<U>(label: &str, under_test: &U, redelivery_timeout: Duration) -> Answers
where
    U: UnderTest,
    U::Source: Clone,
    MessageOf<U>: 'static,
{
    let timed = Timed {
        under_test,
        redelivery_timeout,
    };
    let named = |step: &str| Check::new(format!("{label} {step}"));
    let (ack, delay) = consumed::ack(&named("ack consumes"), timed).await;
    let reject = consumed::reject(&named("nack(false) drops"), timed).await;
    let requeue = requeued::requeue(&named("nack(true) returns"), timed).await;
    if requeue == Answer::Settled {
        unsettled::out_of_order(&named("out of order"), timed).await;
        unsettled::dropped(&named("unsettled drop"), timed).await;
    }
    Answers {
        ack,
        reject,
        requeue,
        delay,
    }
}
