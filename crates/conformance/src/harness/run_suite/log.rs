use ruststream_core::testing::{InProcess, TestableBroker};
use ruststream_core::{HeaderMap, RawMessage, Subscribe};

use super::{inject, open, subscribe};
use crate::helpers::unique_subject;
use crate::kit::{Check, OwnPublish, Shown, Step};

/// Messages nobody reads are in the log.
pub(super) async fn injected<B>(check: &Check, broker: B)
where
    B: InProcess,
    B::Connected: Subscribe,
{
    const NAME: &str = "conformance.observe";
    let step = check.step(
        "log",
        "`published` holds every message taken, in order, also without a subscription and without \
         a coordinator",
    );
    let session = open(check, broker).await;
    inject(session.connected(), NAME, b"first");
    inject(session.connected(), NAME, b"second");
    holds(step, session.connected(), NAME, &[b"first", b"second"]);
}

/// What the broker publishes itself is in the log, between what a test injects.
pub(super) async fn own_publishes<B>(check: &Check, broker: B)
where
    B: InProcess,
    B::Connected: Subscribe,
{
    const HEADER: &str = "x-conformance-log";
    let step = check.step(
        "own publishes are logged",
        "`published` holds what the broker's own publishers published, headers included, and \
         nothing that was refused",
    );
    let session = open(check, broker).await;
    let connected = session.connected();
    let Some(own) = OwnPublish::of(connected) else {
        return;
    };
    let name = unique_subject("conformance.ownpublish");
    let _subscriber = subscribe(&session, &name).await;

    let headers = HeaderMap::from_iter([(HEADER, "kept")]);
    let first = own.publish(step, connected, &name, b"own 1", headers);
    if first.await.is_err() {
        return holds(step, connected, &name, &[]);
    }
    inject(connected, &name, b"injected");
    let second = own.publish(step, connected, &name, b"own 2", HeaderMap::new());
    if let Err(error) = second.await {
        step.asking("a publisher that took one message takes the next one like it")
            .fail(format_args!("the second publish was refused: {error}"));
    }
    holds(step, connected, &name, &[b"own 1", b"injected", b"own 2"]);
    let logged = connected.published(&name);
    let header = logged.first().and_then(|own| own.headers().get_str(HEADER));
    step.require(
        header == Some("kept"),
        format_args!("the header of the first message was logged as {header:?}"),
    );
}

fn holds<C: TestableBroker>(step: Step<'_>, connected: &C, name: &str, due: &[&[u8]]) {
    let logged = connected.published(name);
    let payloads = logged.iter().map(RawMessage::payload);
    if !payloads.clone().eq(due.iter().copied()) {
        let list = |payloads: &mut dyn Iterator<Item = &[u8]>| -> String {
            let shown: Vec<_> = payloads.map(|payload| Shown(payload).to_string()).collect();
            shown.join(", ")
        };
        step.fail(format_args!(
            "`published` holds [{}] where [{}] was published",
            list(&mut payloads.into_iter()),
            list(&mut due.iter().copied()),
        ));
    }
}
