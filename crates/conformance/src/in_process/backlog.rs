use ruststream_core::testing::{Backlog, InProcess, TestableBroker};
use ruststream_core::{Broker, Connected, IncomingMessage, Name, Publisher, Subscribe};

use super::side::{CALL, LIMITS, Side};
use crate::harness::InProcessBroker;
use crate::helpers::unique_subject;
use crate::kit::{Check, Inbox, Session, send, settled};

const LABEL: &str = "backlog_matches_server";

/// Holds the declared [`Backlog`] to what the server does, and the in-process transport to the same.
///
/// A message is published, a subscription opened by name, another message published: on the server,
/// then in process. Where the server refuses the first one, as nothing can take it yet, the
/// in-process transport has to refuse it too.
///
/// The subjects begin with `conformance.backlog.`.
///
/// # Panics
///
/// At the first difference; outside a Tokio runtime with time.
pub async fn backlog_matches_server<B, MkBroker, Pub, MkPub>(
    make_broker: MkBroker,
    make_publisher: MkPub,
) where
    B: InProcess,
    B::Connected: Subscribe,
    MkBroker: Fn() -> B,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new(LABEL);
    let step = check.step("connect in process", "the in-process transition succeeds");
    let in_process = step.done(CALL, make_broker().connect_in_process()).await;
    let backlog = in_process.backlog();
    drop(in_process);

    let on_server = played(Side::Server, make_broker(), &make_publisher, backlog).await;
    let broker = InProcessBroker::new(make_broker());
    let in_process = played(Side::InProcess, broker, &make_publisher, backlog).await;

    let step = check.step(
        "publish before subscribe",
        "a publish that nothing can take yet is refused on both sides or on neither",
    );
    match (on_server, in_process) {
        (Early::Refused, Early::Taken) => step.fail(
            "the server refuses it and the in-process transport takes it: a test that publishes \
             too early passes, and the service in production fails",
        ),
        (Early::Taken, Early::Refused) => step.fail(
            "the in-process transport refuses it and the server takes it: a test that publishes \
             early fails, and the service in production works",
        ),
        (Early::Taken, Early::Taken) | (Early::Refused, Early::Refused) => {}
    }
}

/// What became of the publish before the subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Early {
    Taken,
    Refused,
}

async fn played<B, Pub, MkPub>(
    side: Side,
    broker: B,
    make_publisher: &MkPub,
    backlog: Backlog,
) -> Early
where
    B: Broker<Connected: Subscribe>,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = side.check(LABEL);
    let session = Session::open(&check, LIMITS, broker).await;
    let subject = unique_subject("conformance.backlog");
    let publisher = make_publisher(session.connected());
    let step = check.step("publish before subscribe", "a publish answers");
    let early = match step
        .within(CALL, send(&publisher, &subject, b"early"))
        .await
    {
        Ok(()) => Early::Taken,
        Err(_) => Early::Refused,
    };
    let mut subscriber = session.subscribe(Name::new(subject.clone())).await;
    let mut inbox = Inbox::of(&mut subscriber);
    session.publish(&publisher, &subject, b"on time").await;

    let (asks, due): (_, &[&[u8]]) = match (early, backlog) {
        (Early::Refused, _) => (
            "a message whose publish was refused is never delivered",
            &[b"on time"],
        ),
        (Early::Taken, Backlog::Missed) => (
            "a subscription of a broker that declares `Backlog::Missed` starts with the first \
             message published after it opened",
            &[b"on time"],
        ),
        (Early::Taken, Backlog::Delivered) => (
            "a subscription of a broker that declares `Backlog::Delivered` gets what was published \
             before, first and in order",
            &[b"early", b"on time"],
        ),
        (Early::Taken, unknown) => check
            .step(
                "backlog",
                "the suite has a scenario for the declared backlog",
            )
            .fail(format_args!("there is none for `{unknown:?}`")),
    };
    let step = check.step("read", asks);
    for payload in due {
        let delivery = inbox.expect(step, side.delivery(), payload).await;
        settled(step, CALL, delivery.ack()).await;
    }
    if early == Early::Refused {
        inbox.silent(step, side.quiet()).await;
    }
    drop(inbox);
    drop(subscriber);
    drop(publisher);
    session.close().await;
    early
}
