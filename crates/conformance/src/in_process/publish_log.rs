use ruststream_core::testing::{Coordinator, InProcess, TestableBroker};
use ruststream_core::{HeaderMap, OutgoingMessage, RawMessage, Subscribe};

use super::side::{CALL, LIMITS};
use crate::harness::InProcessBroker;
use crate::helpers::unique_subject;
use crate::kit::{Check, OwnPublish, Sample, Session, Shown, Step};

/// Holds `published` to show the messages of one name, all of them, whole and in order.
///
/// Messages of two names are published, in turn, injected by a test and published by the broker's
/// own publisher, the latter with headers and a payload that are no text. Under each name the log
/// has its own messages alone, each with its name, its payload and its headers, in publish order,
/// less the first that `evicted` counts; under a name that nothing was published to it is empty. A
/// publish that was refused is not in it. A coordinator is installed first, as in every test.
///
/// This is TEST-67, and CORE-282 for what was refused.
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
/// conformance::in_process::publish_log(MemoryBroker::new).await;
/// # });
/// ```
pub async fn publish_log<B, MkBroker>(make_broker: MkBroker)
where
    B: InProcess,
    B::Connected: Subscribe,
    MkBroker: Fn() -> B,
{
    let check = Check::new("publish_log");
    let session = Session::open(&check, LIMITS, InProcessBroker::new(make_broker())).await;
    let connected = session.connected();
    connected.install_coordinator(Coordinator::new(usize::MAX));
    let step = check
        .step(
            "published",
            "`published(name)` holds the messages taken under that name, each with its name, \
             payload and headers, in publish order, and no other",
        )
        .advising("log each message once, whole, where the transport takes it, and filter by name");
    let names = [
        unique_subject("conformance.log"),
        unique_subject("conformance.log"),
    ];
    // A transport may refuse what nobody reads, and more than one reader.
    let mut open = Vec::new();
    for name in &names {
        open.extend(step.within(CALL, connected.subscribe(name)).await.ok());
    }
    let own = OwnPublish::of(connected);
    let mut due = [Vec::new(), Vec::new()];
    for number in 1..=3 {
        for (name, due) in names.iter().zip(&mut due) {
            due.push(injected(connected, name, number));
            if let Some(own) = own {
                due.extend(published(step, own, connected, name, number).await);
            }
        }
    }
    for (name, due) in names.iter().zip(&due) {
        holds(step, connected, name, due);
    }
    let silent = unique_subject("conformance.log");
    holds(step, connected, &silent, &[]);
}

fn injected<C: TestableBroker>(connected: &C, name: &str, number: usize) -> Sample {
    let sample = Sample {
        payload: format!("injected {number}").into_bytes(),
        headers: HeaderMap::from_iter([("x-conformance-log", number.to_string())]),
    };
    let message = OutgoingMessage::new(name, &sample.payload);
    connected.inject(message.with_headers(sample.headers.clone()));
    sample
}

/// What was taken of a publish as a service makes it, if anything was.
async fn published<C>(
    step: Step<'_>,
    own: OwnPublish,
    connected: &C,
    name: &str,
    number: usize,
) -> Option<Sample>
where
    C: ruststream_core::ConnectedBroker,
{
    for offer in Sample::named(&format!("own {number}")).offers() {
        let headers = offer.headers.clone();
        let publishing = own.publish(step, connected, name, &offer.payload, headers);
        if publishing.await.is_ok() {
            return Some(offer);
        }
    }
    None
}

fn holds<C: TestableBroker>(step: Step<'_>, connected: &C, name: &str, due: &[Sample]) {
    let logged = connected.published(name);
    let due = due.get(connected.evicted(name)..).unwrap_or_default();
    for message in &logged {
        step.require(
            message.name() == name,
            format_args!(
                "{} of \"{}\" is in the log of \"{name}\"",
                Shown(message.payload()),
                message.name()
            ),
        );
    }
    let payloads = logged.iter().map(RawMessage::payload);
    if !payloads.eq(due.iter().map(|due| &due.payload[..])) {
        step.fail(format_args!(
            "`published` holds [{}] where [{}] was published",
            list(logged.iter().map(RawMessage::payload)),
            list(due.iter().map(|due| &due.payload[..])),
        ));
    }
    for (due, logged) in due.iter().zip(&logged) {
        due.has_headers(step, logged.headers());
    }
}

fn list<'p>(payloads: impl Iterator<Item = &'p [u8]>) -> String {
    let shown: Vec<_> = payloads.map(|payload| Shown(payload).to_string()).collect();
    shown.join(", ")
}
