use ruststream_core::testing::{Backlog, InProcess, TestableBroker};
use ruststream_core::{IncomingMessage, Subscribe};

use super::{CALL, DELIVERY, inject, open, subscribe};
use crate::kit::{Check, Inbox, settled};

/// A new subscription gets of the past what `backlog` says.
pub(super) async fn late<B>(check: &Check, broker: B)
where
    B: InProcess,
    B::Connected: Subscribe,
{
    const NAME: &str = "conformance.late";
    const STEP: &str = "publish before subscribe";
    let session = open(check, broker).await;
    let backlog = session.connected().backlog();
    let (step, due): (_, &[&[u8]]) = match backlog {
        Backlog::Missed => (
            check.step(
                STEP,
                "a broker that declares `Backlog::Missed` starts a subscription with the first \
                 message published after it opened",
            ),
            &[b"on time"],
        ),
        Backlog::Delivered => (
            check.step(
                STEP,
                "a broker that declares `Backlog::Delivered` hands a new subscription what was \
                 published before, first and in order",
            ),
            &[b"early", b"on time"],
        ),
        unknown => check
            .step(STEP, "the suite has a scenario for the declared backlog")
            .fail(format_args!("there is none for `{unknown:?}`")),
    };
    inject(session.connected(), NAME, b"early");
    let mut subscriber = subscribe(&session, NAME).await;
    let mut inbox = Inbox::of(&mut subscriber);
    inject(session.connected(), NAME, b"on time");
    for payload in due {
        let delivery = inbox.expect(step, DELIVERY, payload).await;
        settled(step, CALL, delivery.ack()).await;
    }
}
