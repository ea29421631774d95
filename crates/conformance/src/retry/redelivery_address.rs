use std::error::Error;
use std::sync::Arc;

use ruststream_core::{
    Broker, Connected, HeaderMap, IncomingMessage, Publisher, RETRY_COUNT_HEADER,
    RedeliveryAddressed,
};
use tokio::time::Instant;

use super::{ARRIVAL, CALL, QUIET};
use crate::helpers::unique_subject;
use crate::kit::{
    Arrival, Check, Inbox, Limits, Session, Shown, Step, elsewhere, send, send_with, settled,
};

/// Deliveries read beyond the ones due.
const SURPLUS: usize = 8;
const REQUEUES: u64 = 2;

const COPY: &[u8] = b"copy";
const CONTROL: &[u8] = b"control";
const OWN_HEADER: &str = "x-conformance-copy";
const HEADERS: [(&str, &str); 2] = [(RETRY_COUNT_HEADER, "1"), (OWN_HEADER, "kept")];

/// Holds the redelivery address of a descriptor to be where its copies come back from.
///
/// A copy published to the address reaches the subscription as often as a message published to the
/// name does: once, and in a group once for the group. Its headers arrive, also after a requeue, and
/// where the transport counts deliveries the count starts at one.
///
/// Run it for each descriptor that declares `AddressedCopies`, and for the bare `Name` where
/// `Subscribe::Copies` is that. The descriptor has to allow two deliveries in flight.
///
/// The subjects begin with `conformance.redelivery.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn redelivery_address<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: RedeliveryAddressed<Connected<B>> + Clone + Send + Sync,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher + 'static,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("redelivery_address");
    let session = Session::open(&check, Limits::of(CALL), make_broker()).await;
    let subject = unique_subject("conformance.redelivery");
    let source = make_source(&subject);

    let step = check.step(
        "address",
        "a source that addresses its copies has an address",
    );
    let asking = source.redelivery_address(session.connected());
    let address = step.done(CALL, asking).await;

    let mut subscribers = vec![session.subscribe(source.clone()).await];
    let step = check.step("second subscription", "a subscription opens or is refused");
    // One reader alone is as good: the copy then has to reach that one.
    let second = source.subscribe(session.connected());
    subscribers.extend(step.within(CALL, second).await.ok());

    let publisher = Arc::new(make_publisher(session.connected()));
    let step = check.step(
        "publish a copy",
        "a publish to the address is taken, also from a runtime that ends right after",
    );
    let first_caller = Arc::clone(&publisher);
    let publishing = move || async move {
        let headers = HeaderMap::from_iter(HEADERS);
        send_with(&*first_caller, address.as_str(), COPY, headers).await
    };
    step.accepted(elsewhere(step, CALL, publishing).await);
    let step = check.step(
        "publish the control",
        "the same publisher then works from the broker's runtime",
    );
    step.done(CALL, send(&*publisher, &subject, CONTROL)).await;

    let mut inboxes: Vec<_> = subscribers.iter_mut().map(Inbox::of).collect();
    let copy = compared(&check, &mut inboxes).await;
    requeued(&check, &mut inboxes, copy).await;
    drop(inboxes);
    drop(subscribers);
    session.close().await;
}

/// Reads both messages on both subscriptions; the copy must reach as many as the control does.
async fn compared<M, E>(check: &Check, inboxes: &mut [Inbox<'_, M, E>]) -> M
where
    M: IncomingMessage,
    E: Error,
{
    let step = check.step(
        "compare",
        "a copy published to the address reaches the subscriptions as a message published to their \
         name does, once each, and nothing else is delivered",
    );
    let mut copies = vec![0; inboxes.len()];
    let mut controls = vec![0; inboxes.len()];
    let mut kept = None;
    let mut surplus = 0;
    let until = Instant::now() + ARRIVAL;
    loop {
        let complete = kept.is_some() && controls.iter().any(|&times| times > 0);
        let until = if complete {
            Instant::now() + QUIET
        } else {
            until
        };
        let (position, delivery) = match Inbox::first_of(inboxes, until).await {
            (position, Arrival::Item(delivery)) => (position, delivery),
            (_, Arrival::Nothing) if complete => break,
            (_, Arrival::Nothing) => {
                let missing = Shown(if kept.is_some() { CONTROL } else { COPY });
                step.fail(format_args!("{missing} did not come within {ARRIVAL:?}"))
            }
            (_, other) => step.fail(other.described(ARRIVAL)),
        };
        if complete {
            surplus += 1;
        }
        match delivery.payload() {
            COPY => copies[position] += 1,
            CONTROL => controls[position] += 1,
            unknown => step.fail(format_args!("{} came", Shown(unknown))),
        }
        if delivery.payload() == COPY && kept.is_none() {
            headers_kept(step, &delivery);
            kept = Some(delivery);
        } else {
            settled(step, CALL, delivery.ack()).await;
        }
        if surplus == SURPLUS {
            break;
        }
    }
    step.require(
        copies.iter().chain(&controls).all(|&times| times <= 1),
        format_args!(
            "the subscriptions received the copy {copies:?} times and the control {controls:?} \
             times"
        ),
    );
    step.require(
        copies.iter().sum::<u32>() == controls.iter().sum::<u32>(),
        format_args!(
            "the copy reached {} subscriptions and the control {}",
            copies.iter().sum::<u32>(),
            controls.iter().sum::<u32>()
        ),
    );
    kept.unwrap_or_else(|| step.fail("the copy did not come"))
}

/// Requeues the copy; it must come back, whole, counted one more each time.
async fn requeued<M, E>(check: &Check, inboxes: &mut [Inbox<'_, M, E>], copy: M)
where
    M: IncomingMessage,
    E: Error,
{
    let counting = check.step(
        "count",
        "`redelivery_count` is one for the first delivery and one more for each redelivery, or \
         `None` throughout",
    );
    let step = check.step(
        "requeue",
        "a requeued copy comes back with its headers, or `nack(true)` answers `Unsupported`",
    );
    let counts = copy.redelivery_count().is_some();
    let mut copy = copy;
    for requeues in 0..=REQUEUES {
        let due = counts.then_some(requeues + 1);
        let count = copy.redelivery_count();
        counting.require(
            count == due,
            format_args!(
                "delivery number {} of the copy is counted {count:?}",
                requeues + 1
            ),
        );
        if requeues == REQUEUES {
            settled(step, CALL, copy.ack()).await;
            return;
        }
        if !settled(step, CALL, copy.nack(true)).await {
            return;
        }
        copy = came_back(step, inboxes).await;
        headers_kept(step, &copy);
    }
}

/// The copy's next delivery. A log that rewinds may repeat the control on the way.
async fn came_back<M, E>(step: Step<'_>, inboxes: &mut [Inbox<'_, M, E>]) -> M
where
    M: IncomingMessage,
    E: Error,
{
    let until = Instant::now() + ARRIVAL;
    for _ in 0..SURPLUS {
        let delivery = match Inbox::first_of(inboxes, until).await.1 {
            Arrival::Item(delivery) => delivery,
            Arrival::Nothing => break,
            other => step.fail(other.described(ARRIVAL)),
        };
        match delivery.payload() {
            COPY => return delivery,
            CONTROL => {
                settled(step, CALL, delivery.ack()).await;
            }
            unknown => step.fail(format_args!("{} came", Shown(unknown))),
        }
    }
    step.fail(format_args!(
        "`nack(true)` succeeded and the copy did not come back within {ARRIVAL:?} and {SURPLUS} \
         deliveries"
    ))
}

fn headers_kept<M: IncomingMessage>(step: Step<'_>, copy: &M) {
    let step = step.asking("a copy keeps its headers");
    for (name, value) in HEADERS {
        let came = copy.headers().get_str(name);
        step.require(
            came == Some(value),
            format_args!("the header `{name}` was published as {value:?} and came as {came:?}"),
        );
    }
}
