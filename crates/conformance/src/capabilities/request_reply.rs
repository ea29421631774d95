use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join, join3};
use ruststream_core::{
    Broker, Connected, HeaderMap, IncomingMessage, OutgoingMessage, Publisher, RequestReply,
    SubscriptionSource,
};

use super::{AFTER_SHUTDOWN, CALL, DELIVERY, open};
use crate::helpers::unique_subject;
use crate::kit::{Check, Factories, Inbox, Shown, Step, UnderTest, elsewhere, send_with, settled};

/// How long a request that is answered may take.
const ANSWERED: Duration = Duration::from_secs(5);
/// The timeout of a request that nobody answers.
const UNANSWERED: Duration = Duration::from_millis(100);
/// The timeout of a request on a connection that is gone; nothing may wait for it.
const NEVER_WAITED: Duration = Duration::from_secs(30);

/// Holds a request to resolve with its own reply, and to fail in time without one.
///
/// The suite answers what it reads from `make_source`, at the request's `reply-to`, echoing its
/// correlation id. Requests resolve from any runtime, whatever order their replies come in; a reply
/// that comes too late resolves no other request; a request on a connection that was shut down fails
/// at once.
///
/// The subjects begin with `conformance.request_reply.`; one ends with `.void` and has no reader.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn request_reply<B, MkBroker, Src, MkSrc, Req, MkReq, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_requester: MkReq,
    make_publisher: MkPub,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    Req: RequestReply + 'static,
    MkReq: Fn(&Connected<B>) -> Req,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("request_reply");
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    let session = open(&check, &under_test).await;
    let subject = unique_subject("conformance.request_reply");
    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let requester = Arc::new(make_requester(session.connected()));
    let mut responder = Responder {
        publisher: under_test.publisher(session.connected()),
        inbox: Inbox::of(&mut subscriber),
    };

    from_anywhere(&check, &requester, &mut responder, &subject).await;
    late_reply(&check, &*requester, &mut responder, &subject).await;
    out_of_order(&check, &*requester, &mut responder, &subject).await;

    let step = check.step(
        "nobody there",
        "a request nobody reads fails after its timeout",
    );
    let void = format!("{subject}.void");
    step.refused(
        CALL,
        request(&*requester, &void, "into the void", UNANSWERED),
    )
    .await;

    drop(responder);
    drop(subscriber);
    session.close().await;
    let step = check.step(
        "request after shutdown",
        "a request on a connection that was shut down fails, without waiting for its timeout",
    );
    let too_late = request(&*requester, &subject, "too late", NEVER_WAITED);
    step.refused(AFTER_SHUTDOWN, too_late).await;
}

async fn request<Req: RequestReply>(
    requester: &Req,
    subject: &str,
    question: &str,
    timeout: Duration,
) -> Result<Req::Reply, Req::Error> {
    let message = OutgoingMessage::new(subject, question.as_bytes());
    requester.request(message, timeout).await
}

/// A request resolves on a runtime that ends right after, and then on the broker's.
async fn from_anywhere<Req, P, M, E>(
    check: &Check,
    requester: &Arc<Req>,
    responder: &mut Responder<'_, P, M, E>,
    subject: &str,
) where
    Req: RequestReply + 'static,
    P: Publisher,
    M: IncomingMessage,
    E: Error,
{
    let step = check.step(
        "request elsewhere",
        "a request made on a runtime of the caller's own resolves with its reply",
    );
    let travelling = Arc::clone(requester);
    let owned = subject.to_owned();
    let asking = elsewhere(step, CALL, move || async move {
        request(&*travelling, &owned, "elsewhere", ANSWERED).await
    });
    let (answer, ()) = join(asking, responder.answer(step, "elsewhere")).await;
    resolved(step, answer, "elsewhere").await;

    let step = check.step(
        "request here",
        "after a request from a runtime that ended, one from the broker's runtime resolves",
    );
    exchange(step, &**requester, responder, subject, "here").await;
}

/// A reply that came after its request failed resolves no other request.
async fn late_reply<Req, P, M, E>(
    check: &Check,
    requester: &Req,
    responder: &mut Responder<'_, P, M, E>,
    subject: &str,
) where
    Req: RequestReply,
    P: Publisher,
    M: IncomingMessage,
    E: Error,
{
    let step = check.step(
        "unanswered request",
        "a request whose reply is held back fails once its timeout has passed",
    );
    let asking = step.within(CALL, request(requester, subject, "held back", UNANSWERED));
    let (answer, held) = join(asking, responder.question(step, "held back")).await;
    step.require(answer.is_err(), "it resolved");

    let step = check.step(
        "late reply",
        "a reply later than its request's timeout resolves no later request",
    );
    // Its address may be gone by now, so that the reply is refused.
    drop(step.within(CALL, responder.reply(step, &held)).await);
    settled(step, CALL, held.ack()).await;
    exchange(step, requester, responder, subject, "after the late reply").await;
}

/// Two requests at once, answered in reverse.
async fn out_of_order<Req, P, M, E>(
    check: &Check,
    requester: &Req,
    responder: &mut Responder<'_, P, M, E>,
    subject: &str,
) where
    Req: RequestReply,
    P: Publisher,
    M: IncomingMessage,
    E: Error,
{
    let step = check.step(
        "concurrent requests",
        "requests in flight at once resolve each with its own reply, in whatever order they come",
    );
    let answering = async {
        let first = responder.inbox.next(step, DELIVERY).await;
        let second = responder.inbox.next(step, DELIVERY).await;
        for question in [second, first] {
            step.done(CALL, responder.reply(step, &question)).await;
            settled(step, CALL, question.ack()).await;
        }
    };
    let (one, other, ()) = join3(
        step.within(CALL, request(requester, subject, "one", ANSWERED)),
        step.within(CALL, request(requester, subject, "another", ANSWERED)),
        answering,
    )
    .await;
    resolved(step, one, "one").await;
    resolved(step, other, "another").await;
}

/// One request and its reply.
async fn exchange<Req, P, M, E>(
    step: Step<'_>,
    requester: &Req,
    responder: &mut Responder<'_, P, M, E>,
    subject: &str,
    question: &str,
) where
    Req: RequestReply,
    P: Publisher,
    M: IncomingMessage,
    E: Error,
{
    let asking = step.within(CALL, request(requester, subject, question, ANSWERED));
    let (answer, ()) = join(asking, responder.answer(step, question)).await;
    resolved(step, answer, question).await;
}

/// The answer must be the reply to `question`.
async fn resolved<Reply, E>(step: Step<'_>, answer: Result<Reply, E>, question: &str)
where
    Reply: IncomingMessage,
    E: Error,
{
    let reply = step.accepted(answer);
    step.require(
        reply.payload() == reply_to(question.as_bytes()),
        format_args!(
            "the request \"{question}\" resolved with {}",
            Shown(reply.payload())
        ),
    );
    // A reply has no subscription behind it: its settlements mean nothing, but they answer.
    drop(step.within(CALL, reply.ack()).await);
}

fn reply_to(question: &[u8]) -> Vec<u8> {
    [b"reply to ", question].concat()
}

/// The suite's side that answers.
struct Responder<'s, P, M, E> {
    publisher: P,
    inbox: Inbox<'s, M, E>,
}

impl<P, M, E> Responder<'_, P, M, E>
where
    P: Publisher,
    M: IncomingMessage,
    E: Error,
{
    /// Reads a request, which must be `question`.
    async fn question(&mut self, step: Step<'_>, question: &str) -> M {
        self.inbox.expect(step, DELIVERY, question.as_bytes()).await
    }

    /// Publishes the reply to a request.
    async fn reply(&mut self, step: Step<'_>, question: &M) -> Result<(), P::Error> {
        let headers = question.headers();
        let Some(address) = headers.reply_to() else {
            step.asking("a request reaches its responder with a `reply-to` header")
                .fail("there is none")
        };
        let correlation = headers
            .correlation_id()
            .map(|id| ("correlation-id", id.to_owned()));
        let echoed = HeaderMap::from_iter(correlation);
        send_with(
            &self.publisher,
            address,
            &reply_to(question.payload()),
            echoed,
        )
        .await
    }

    /// Reads a request and replies.
    async fn answer(&mut self, step: Step<'_>, question: &str) {
        let question = self.question(step, question).await;
        let replying = step.asking("a reply is taken at the address a request gives");
        replying.done(CALL, self.reply(step, &question)).await;
        settled(step, CALL, question.ack()).await;
    }
}
