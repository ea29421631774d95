//! The in-process transport, scenario by scenario, each on a broker of its own.
//!
//! | Room | Scenarios |
//! |---|---|
//! | `delivery` | order, ack, requeue, drop, headers |
//! | `backlog` | what was published before a subscription opened |
//! | `log` | the publish log, of injected and of own messages |
//! | `routing` | who receives what, against the answer of `routes` |
//! | `counting` | what the coordinator is told, step by step |

mod backlog;
mod counting;
mod delivery;
mod log;
mod routing;

use std::time::Duration;

use ruststream_core::testing::{InProcess, TestableBroker};
use ruststream_core::{Connected, Name, OutgoingMessage, Subscribe};

use super::InProcessBroker;
use crate::kit::{Check, Limits, Session};

/// How long a delivery may take in process.
const DELIVERY: Duration = Duration::from_secs(2);
/// How long "nothing more" is watched.
const QUIET: Duration = Duration::from_millis(100);
/// How long any other call may take.
const CALL: Duration = Duration::from_secs(10);

/// Holds an in-process transport to what every test of a service relies on.
///
/// It is routing only; each capability has a suite of its own. The broker is connected through
/// [`InProcess`] and driven by [`Subscribe`] and [`TestableBroker`]; what it publishes itself is
/// held too, through its registration with the test harness, if there is one.
///
/// The scenario that reads the publish log installs no coordinator, so a broker whose log is a
/// choice runs this with the log on. The counting scenario runs on a thread and a paused runtime of
/// its own and blocks the calling thread meanwhile.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn run_suite<B, F>(factory: F)
where
    B: InProcess,
    B::Connected: Subscribe,
    F: Fn() -> B,
{
    let check = Check::new("run_suite");
    delivery::order(&check, factory()).await;
    backlog::late(&check, factory()).await;
    delivery::ack(&check, factory()).await;
    delivery::requeue(&check, factory()).await;
    delivery::drop_for_good(&check, factory()).await;
    delivery::headers(&check, factory()).await;
    log::injected(&check, factory()).await;
    log::own_publishes(&check, factory()).await;
    routing::routing(&check, factory()).await;
    counting::counting(&check, factory());
}

type Opened<'c, B> = Session<'c, InProcessBroker<B>>;

async fn open<B: InProcess>(check: &Check, broker: B) -> Opened<'_, B> {
    Session::open(check, Limits::of(CALL), InProcessBroker::new(broker)).await
}

async fn subscribe<B>(
    session: &Opened<'_, B>,
    name: &str,
) -> <Connected<B> as Subscribe>::Subscriber
where
    B: InProcess,
    B::Connected: Subscribe,
{
    session.subscribe(Name::new(name.to_owned())).await
}

fn inject<C: TestableBroker>(connected: &C, name: &str, payload: &[u8]) {
    connected.inject(OutgoingMessage::new(name, payload));
}
