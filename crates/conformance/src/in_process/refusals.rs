use ruststream_core::testing::InProcess;
use ruststream_core::{
    Broker, Connected, ConnectedBroker, IncomingMessage, Name, Publisher, Subscribe,
    SubscriptionSource,
};

use super::Refusal;
use super::side::{CALL, LIMITS, Side};
use crate::harness::InProcessBroker;
use crate::helpers::unique_subject;
use crate::kit::{Check, Inbox, Session, Step, send, settled};

const LABEL: &str = "refuses_like_the_server";

/// Holds the in-process transport to refuse what the server refuses, and to take what it takes.
///
/// Each of `refusals` is tried on a fresh connection to the server and on one in process. A probe
/// that neither refuses is a mistake of the caller and fails. Last, the two have to agree which of
/// three subscriptions by name they admit at once: a name, the same name again, another name.
///
/// The subjects of that last part begin with `conformance.admitted.` and
/// `conformance.admitted.elsewhere.`.
///
/// # Panics
///
/// At the first difference; if `refusals` is empty; outside a Tokio runtime with time.
pub async fn refuses_like_the_server<B, MkBroker, Src, Pub, MkPub>(
    make_broker: MkBroker,
    make_publisher: MkPub,
    refusals: impl IntoIterator<Item = Refusal<Src>> + Send,
) where
    B: InProcess,
    B::Connected: Subscribe,
    MkBroker: Fn() -> B + Send,
    Src: SubscriptionSource<Connected<B>> + Clone + Send + Sync,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub + Send + Sync,
{
    let check = Check::new(LABEL);
    let refusals: Vec<_> = refusals.into_iter().collect();
    if refusals.is_empty() {
        check
            .step("refusals", "the caller names what the server refuses")
            .fail("the list is empty");
    }
    for refusal in &refusals {
        let on_server = tried(Side::Server, make_broker(), &make_publisher, refusal).await;
        let broker = InProcessBroker::new(make_broker());
        let in_process = tried(Side::InProcess, broker, &make_publisher, refusal).await;
        agree(&check, &named(refusal), on_server, in_process);
    }
    let on_server = admitted(Side::Server, make_broker()).await;
    let in_process = admitted(Side::InProcess, InProcessBroker::new(make_broker())).await;
    check
        .step(
            "subscriptions admitted",
            "both sides admit the same of three subscriptions at once: a name, the same name \
             again, another name",
        )
        .require(
            on_server == in_process,
            format_args!(
                "{on_server:?} {} and {in_process:?} {}",
                Side::Server,
                Side::InProcess
            ),
        );
}

/// What a probe came to on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Refused,
    Taken,
}

impl Verdict {
    fn of<T, E>(answer: &Result<T, E>) -> Self {
        if answer.is_ok() {
            Self::Taken
        } else {
            Self::Refused
        }
    }
}

fn agree(check: &Check, probe: &str, on_server: Verdict, in_process: Verdict) {
    let step = check.step(
        probe,
        "the in-process transport refuses what the server refuses",
    );
    match (on_server, in_process) {
        (Verdict::Refused, Verdict::Refused) => {}
        (Verdict::Refused, Verdict::Taken) => step.fail(
            "the server refuses it and the in-process transport takes it: a test passes that \
             production fails",
        ),
        (Verdict::Taken, Verdict::Refused) => step
            .asking("the in-process transport takes what the server takes")
            .fail(
                "the in-process transport refuses it and the server takes it: a test fails that \
                 production passes",
            ),
        (Verdict::Taken, Verdict::Taken) => step
            .asking("a probe is something that the server refuses")
            .fail("neither side refuses it: the probe is useless"),
    }
}

async fn tried<B, Src, Pub, MkPub>(
    side: Side,
    broker: B,
    make_publisher: &MkPub,
    refusal: &Refusal<Src>,
) -> Verdict
where
    B: Broker<Connected: Subscribe>,
    Src: SubscriptionSource<Connected<B>> + Clone,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = side.check(LABEL);
    let name = named(refusal);
    let step = check.step(&name, "a probe answers");
    let session = Session::open(&check, LIMITS, broker).await;
    let connected = session.connected();
    let verdict = match refusal {
        Refusal::PayloadOver { name, limit } => {
            let publisher = make_publisher(connected);
            oversized(side, step, &session, &publisher, name, *limit).await
        }
        Refusal::Publish { name } => {
            let publisher = make_publisher(connected);
            let answer = step.within(CALL, send(&publisher, name, b"probe")).await;
            Verdict::of(&answer)
        }
        Refusal::Subscription { source } => {
            let opening = source.clone().subscribe(connected);
            Verdict::of(&step.within(CALL, opening).await)
        }
        Refusal::Conflicting { open, refused } => {
            let first = step.asking("the first of two conflicting subscriptions opens");
            let opened = first.done(CALL, open.clone().subscribe(connected)).await;
            let opening = refused.clone().subscribe(connected);
            let verdict = Verdict::of(&step.within(CALL, opening).await);
            drop(opened);
            verdict
        }
    };
    session.close().await;
    verdict
}

/// A payload of the limit is taken and delivered; one byte more is the probe.
async fn oversized<B, Pub>(
    side: Side,
    step: Step<'_>,
    session: &Session<'_, B>,
    publisher: &Pub,
    name: &str,
    limit: usize,
) -> Verdict
where
    B: Broker<Connected: Subscribe>,
    Pub: Publisher,
{
    let mut subscriber = session.subscribe(Name::new(name.to_owned())).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let longest = vec![b'x'; limit];
    let fits = step.asking("a payload of exactly the limit is taken and delivered");
    fits.done(CALL, send(publisher, name, &longest)).await;
    let delivery = inbox.expect(fits, side.delivery(), &longest).await;
    settled(fits, CALL, delivery.ack()).await;

    let longer = vec![b'y'; limit + 1];
    let verdict = Verdict::of(&step.within(CALL, send(publisher, name, &longer)).await);
    if verdict == Verdict::Refused {
        let refused = step.asking("a message whose publish was refused is never delivered");
        inbox.silent(refused, side.quiet()).await;
    }
    verdict
}

/// Which of three subscriptions are open at once.
async fn admitted<B>(side: Side, broker: B) -> [bool; 3]
where
    B: Broker<Connected: Subscribe>,
{
    let check = side.check(LABEL);
    let session = Session::open(&check, LIMITS, broker).await;
    let name = unique_subject("conformance.admitted");
    let other = unique_subject("conformance.admitted.elsewhere");
    let step = check.step(
        "subscriptions admitted",
        "a subscription opens or is refused",
    );
    let mut open = Vec::new();
    let mut admitted = [false; 3];
    for (admitted, name) in admitted.iter_mut().zip([&name, &name, &other]) {
        let opening = session.connected().subscribe(name);
        let opened = step.within(CALL, opening).await;
        *admitted = opened.is_ok();
        open.extend(opened.ok());
    }
    drop(open);
    session.close().await;
    admitted
}

/// A probe as its step is named.
fn named<C, Src>(refusal: &Refusal<Src>) -> String
where
    C: ConnectedBroker,
    Src: SubscriptionSource<C>,
{
    match refusal {
        Refusal::PayloadOver { name, limit } => {
            format!("a payload over {limit} bytes to {name:?}")
        }
        Refusal::Publish { name } => format!("a publish to {name:?}"),
        Refusal::Subscription { source } => format!("a subscription to {:?}", source.name()),
        Refusal::Conflicting { open, refused } => format!(
            "a subscription to {:?} beside one to {:?}",
            refused.name(),
            open.name()
        ),
    }
}
