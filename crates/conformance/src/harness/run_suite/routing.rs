use ruststream_core::testing::{Coordinator, InProcess, TestableBroker};
use ruststream_core::{HeaderMap, IncomingMessage, Subscribe};
use tokio::time::{Instant, timeout};

use super::{CALL, DELIVERY, QUIET, inject, open};
use crate::helpers::unique_subject;
use crate::kit::{Arrival, Check, Inbox, OwnPublish, Shown, Step, settled};

const MESSAGES: usize = 10;
/// Deliveries read beyond those owed; enough to see what is wrong with them.
const SURPLUS: usize = 20;

/// Each message reaches the subscriptions that `routes` names, once, and no other.
pub(super) async fn routing<B>(check: &Check, broker: B)
where
    B: InProcess,
    B::Connected: Subscribe,
{
    let step = check.step(
        "routing",
        "a publish is delivered once to each subscription that `routes` named right before it, \
         and to no other",
    );
    let session = open(check, broker).await;
    let connected = session.connected();
    let coordinator = Coordinator::new(usize::MAX);
    connected.install_coordinator(coordinator.clone());

    let shared = unique_subject("conformance.shared");
    let elsewhere = unique_subject("conformance.elsewhere");
    let mut names = Vec::new();
    let mut subscribers = Vec::new();
    for name in [&shared, &shared, &elsewhere] {
        match step.within(CALL, connected.subscribe(name)).await {
            Ok(subscriber) => {
                names.push(name.as_str());
                subscribers.push(subscriber);
            }
            // A transport may admit one reader of a name, or one at all.
            Err(_) if !subscribers.is_empty() => {}
            Err(error) => step.fail(format_args!("the first subscription was refused: {error}")),
        }
    }

    let own = OwnPublish::of(connected);
    let mut owed = Vec::with_capacity(MESSAGES);
    for number in 0..MESSAGES {
        let mut routed = connected.routes(&shared, &names);
        let payload = payload_of(number);
        let taken = match own {
            None => {
                inject(connected, &shared, payload.as_bytes());
                true
            }
            Some(own) => {
                let publish = own.publish(
                    step,
                    connected,
                    &shared,
                    payload.as_bytes(),
                    HeaderMap::new(),
                );
                publish.await.is_ok()
            }
        };
        if !taken {
            routed.clear();
        }
        routed.sort_unstable();
        owed.push(routed);
    }

    let received = received(step, &mut subscribers, owed.iter().map(Vec::len).sum()).await;
    for (number, (received, owed)) in received.iter().zip(&owed).enumerate() {
        step.require(
            received == owed,
            format_args!(
                "{} reached the subscriptions {received:?} of {names:?} where {owed:?} were owed it",
                payload_of(number)
            ),
        );
    }
    if timeout(DELIVERY, coordinator.drive()).await.is_err() {
        step.asking("everything settled is counted as consumed")
            .fail(format_args!("{coordinator:?} after the last settlement"));
    }
}

/// Who received each message, as positions; everything read is settled.
async fn received<S>(step: Step<'_>, subscribers: &mut [S], owed: usize) -> Vec<Vec<usize>>
where
    S: ruststream_core::Subscriber,
{
    let mut received = vec![Vec::new(); MESSAGES];
    let mut inboxes: Vec<_> = subscribers.iter_mut().map(Inbox::of).collect();
    for read in 0..owed + SURPLUS {
        let wait = if read < owed { DELIVERY } else { QUIET };
        let (position, arrival) = Inbox::first_of(&mut inboxes, Instant::now() + wait).await;
        let delivery = match arrival {
            Arrival::Item(delivery) => delivery,
            Arrival::Nothing => break,
            other => step.fail(other.described(wait)),
        };
        match (0..MESSAGES).find(|&number| payload_of(number).as_bytes() == delivery.payload()) {
            Some(number) => received[number].push(position),
            None => step.fail(format_args!(
                "{} came, which was never published",
                Shown(delivery.payload())
            )),
        }
        settled(step, CALL, delivery.ack()).await;
    }
    for positions in &mut received {
        positions.sort_unstable();
    }
    received
}

fn payload_of(number: usize) -> String {
    format!("routed {number}")
}
