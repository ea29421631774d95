use ruststream_core::Subscribe;
use ruststream_core::testing::{InProcess, TestableBroker};

use super::side::{CALL, LIMITS};
use crate::harness::InProcessBroker;
use crate::helpers::unique_subject;
use crate::kit::{Check, Session, Step};

/// Holds `routes` to answer about the subscriptions it is asked about, and to change nothing.
///
/// A name is subscribed to, the same again, and another name; a refused one is left out. The answer
/// for the name is the same however often it is asked, has positions of the list alone, each once,
/// and moves with them when the list is turned around; for a name that nobody reads, and for an
/// empty list, it is empty. That the messages go where the answer says is part of
/// [`run_suite`](crate::harness::run_suite).
///
/// This is TEST-67: the question is pure, and takes no turn in a group.
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
/// conformance::in_process::routes(MemoryBroker::new).await;
/// # });
/// ```
pub async fn routes<B, MkBroker>(make_broker: MkBroker)
where
    B: InProcess,
    B::Connected: Subscribe,
    MkBroker: Fn() -> B,
{
    let check = Check::new("routes");
    let session = Session::open(&check, LIMITS, InProcessBroker::new(make_broker())).await;
    let connected = session.connected();
    let shared = unique_subject("conformance.routes");
    let other = unique_subject("conformance.routes");
    let step = check.step("subscribe", "a subscription opens by name");
    let mut open = vec![step.done(CALL, connected.subscribe(&shared)).await];
    let mut names = vec![shared.as_str()];
    for name in [&shared, &other] {
        if let Ok(subscriber) = step.within(CALL, connected.subscribe(name)).await {
            open.push(subscriber);
            names.push(name);
        }
    }

    let step = check
        .step(
            "ask",
            "`routes` answers with the positions, in the list it is given, of the subscriptions \
             that the next publish reaches, and asking changes nothing",
        )
        .advising("look where the next message would go, and leave the turn of a group as it is");
    let first = asked(step, connected, &shared, &names);
    step.require(
        !first.is_empty(),
        "a name that is subscribed to reaches nobody",
    );
    for _ in 0..8 {
        let again = asked(step, connected, &shared, &names);
        step.require(
            again == first,
            format_args!("it answered {first:?} of {names:?}, and then {again:?}"),
        );
    }
    let unread = unique_subject("conformance.routes");
    for (destination, names) in [(&unread, &names[..]), (&shared, &[])] {
        let answer = asked(step, connected, destination, names);
        step.require(
            answer.is_empty(),
            format_args!("it answered {answer:?} for \"{destination}\" of {names:?}"),
        );
    }
    // The other name in front: what is asked about is the list, not the broker's own order.
    let turned: Vec<_> = names
        .iter()
        .filter(|name| **name == other)
        .chain(names.iter().filter(|name| **name == shared))
        .copied()
        .collect();
    let moved = turned.iter().filter(|name| **name == other).count();
    let due: Vec<_> = first.iter().map(|position| position + moved).collect();
    let answer = asked(step, connected, &shared, &turned);
    step.require(
        answer == due,
        format_args!("it answered {answer:?} of {turned:?} where {due:?} was due"),
    );
    drop(open);
}

/// The answer, sorted; its positions must be of the list, each once.
fn asked<C: TestableBroker>(
    step: Step<'_>,
    connected: &C,
    destination: &str,
    names: &[&str],
) -> Vec<usize> {
    let mut answer = connected.routes(destination, names);
    answer.sort_unstable();
    let distinct = answer.windows(2).all(|pair| pair[0] != pair[1]);
    step.require(
        distinct && answer.iter().all(|&position| position < names.len()),
        format_args!("it answered {answer:?} of {names:?}"),
    );
    answer
}
