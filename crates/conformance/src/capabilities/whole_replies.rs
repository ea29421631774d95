use std::error::Error;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, join, select};
use ruststream_core::{
    Broker, Connected, HeaderMap, IncomingMessage, OutgoingMessage, Publisher, RequestReply,
    SubscriptionSource,
};
use tokio::time::{Instant, sleep};

use super::{CALL, DELIVERY, open};
use crate::helpers::unique_subject;
use crate::kit::{
    Check, Factories, Inbox, Sample, Shown, Step, UnderTest, send_with, settled, taken,
};

/// How long a request that is answered at once may take.
const ANSWERED: Duration = Duration::from_secs(5);
/// The timeout of a request that is measured, and after which part of it its reply is sent.
const TIMEOUT: Duration = Duration::from_secs(2);
const REPLY_AFTER: Duration = Duration::from_millis(600);
/// How much sooner, and how much later, than its timeout a request may fail.
const SOONER: Duration = Duration::from_millis(100);
const LATER: Duration = Duration::from_secs(2);
const IN_TIME: &[u8] = b"in time";
const TIME: &str = "take the timeout of a request as it is given, and measure it from the call on";

/// Holds a request and its reply to be whole, and a request to wait as long as it was told to.
///
/// A request with headers, and a payload that is no text, reaches its responder as it is, beside the
/// headers of the exchange; so does the reply to it, which resolves the request. Headers that the
/// transport cannot carry are refused when they are published. A request of 2 s whose reply is sent
/// after 0.6 s resolves; one whose reply is held back fails after 2 s, not before and, with all its
/// call takes, not 2 s later.
///
/// These are CORE-160 (one correlated reply resolves it; without one, an error once the timeout has
/// passed), CORE-162 (the timeout covers the whole call) and CORE-088 (every header, byte for byte).
/// The rest of the capability is [`request_reply`](super::request_reply), whose factories these are.
///
/// The subjects begin with `conformance.request_reply.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
///
/// # Examples
///
/// ```
/// # use ruststream_conformance as conformance;
/// # use ruststream_memory::{MemoryBroker, MemorySource};
/// # let mut paused = tokio::runtime::Builder::new_current_thread();
/// # paused.enable_all().start_paused(true).build().unwrap().block_on(async {
/// conformance::capabilities::replies_are_whole(
///     MemoryBroker::new,
///     |name| MemorySource::new(name),
///     |connected| connected.requester(),
///     |connected| connected.publisher(),
/// )
/// .await;
/// # });
/// ```
pub async fn replies_are_whole<B, MkBroker, Src, MkSrc, Req, MkReq, Pub, MkPub>(
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
    Req: RequestReply,
    MkReq: Fn(&Connected<B>) -> Req,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("replies_are_whole");
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    let session = open(&check, &under_test).await;
    let subject = unique_subject("conformance.request_reply");
    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let requester = make_requester(session.connected());
    let mut exchange = Exchange {
        requester: &requester,
        publisher: under_test.publisher(session.connected()),
        subject: &subject,
        inbox: Inbox::of(&mut subscriber),
    };
    exchange.whole(&check).await;
    exchange.waits(&check).await;
    exchange.times_out(&check).await;
    drop(exchange);
    drop(subscriber);
    drop(requester);
    session.close().await;
}

struct Exchange<'a, 's, Req, P, M, E> {
    requester: &'a Req,
    publisher: P,
    subject: &'a str,
    inbox: Inbox<'s, M, E>,
}

impl<Req, P, M, E> Exchange<'_, '_, Req, P, M, E>
where
    Req: RequestReply,
    P: Publisher,
    M: IncomingMessage,
    E: Error,
{
    async fn whole(&mut self, check: &Check) {
        let step = check
            .step(
                "request and reply",
                "a request and its reply arrive as they were published, payload and headers",
            )
            .advising("hand on the reply that came, headers included, and not its payload alone");
        for offer in Sample::named("request").offers() {
            let message = OutgoingMessage::new(self.subject, &offer.payload);
            let message = message.with_headers(offer.headers.clone());
            let mut asking = pin!(step.within(CALL, self.requester.request(message, ANSWERED)));
            let received = {
                let question = pin!(self.inbox.next(step, DELIVERY));
                match select(asking.as_mut(), question).await {
                    Either::Left((answer, _)) => Err(answer),
                    Either::Right((question, _)) => Ok(question),
                }
            };
            let question = match received {
                Ok(question) => question,
                // It cannot carry such headers, and says so; without them it has to.
                Err(Err(_)) if !offer.headers.is_empty() => continue,
                Err(Err(error)) => step.accepted(Err(error)),
                Err(Ok(_)) => step.fail("the request resolved before its responder got it"),
            };
            offer.is(step, &question);
            let publisher = &self.publisher;
            let answering = async {
                let reply = reply(step, publisher, &question).await;
                settled(step, CALL, question.ack()).await;
                reply
            };
            let (answer, replied) = join(asking, answering).await;
            let reply = step.accepted(answer);
            replied.is(step, &reply);
            // A reply has no subscription behind it: its settlements mean nothing, but they answer.
            drop(step.within(CALL, reply.ack()).await);
            return;
        }
    }

    async fn waits(&mut self, check: &Check) {
        let step = check
            .step(
                "reply in time",
                "a request resolves with a reply that comes before its timeout has passed",
            )
            .advising(TIME);
        let (inbox, publisher) = (&mut self.inbox, &self.publisher);
        let answering = async {
            let question = inbox.expect(step, DELIVERY, b"slow").await;
            sleep(REPLY_AFTER).await;
            let headers = question.headers();
            let address = headers.reply_to().unwrap_or_default();
            let id = headers.correlation_id();
            let echoed = id.map(|id| ("correlation-id", id.to_owned()));
            let replying = send_with(publisher, address, IN_TIME, HeaderMap::from_iter(echoed));
            // Its address may be gone: then the request has failed, which is judged below.
            drop(step.within(CALL, replying).await);
            settled(step, CALL, question.ack()).await;
        };
        let asking = asked(step, self.requester, self.subject, b"slow");
        let (answer, ()) = join(asking, answering).await;
        let reply = step.accepted(answer);
        step.require(
            reply.payload() == IN_TIME,
            format_args!("it resolved with {}", Shown(reply.payload())),
        );
        drop(step.within(CALL, reply.ack()).await);
    }

    async fn times_out(&mut self, check: &Check) {
        let step = check
            .step(
                "timeout",
                "a request without a reply fails once its timeout has passed: not before, and \
                 not much later",
            )
            .advising(TIME);
        let began = Instant::now();
        let asking = asked(step, self.requester, self.subject, b"held back");
        let receiving = self.inbox.expect(step, DELIVERY, b"held back");
        let ((answer, waited), question) =
            join(async { (asking.await, began.elapsed()) }, receiving).await;
        step.require(answer.is_err(), "it resolved");
        step.require(
            waited + SOONER >= TIMEOUT,
            format_args!("it failed after {waited:?} where its timeout is {TIMEOUT:?}"),
        );
        settled(step, CALL, question.ack()).await;
    }
}

/// A request of the timeout that is measured.
async fn asked<Req: RequestReply>(
    step: Step<'_>,
    requester: &Req,
    subject: &str,
    question: &[u8],
) -> Result<Req::Reply, Req::Error> {
    let requesting = requester.request(OutgoingMessage::new(subject, question), TIMEOUT);
    step.within(TIMEOUT + LATER, requesting).await
}

/// Replies with as much of a sample as the transport takes; what was taken of it.
async fn reply<P, M>(step: Step<'_>, publisher: &P, question: &M) -> Sample
where
    P: Publisher,
    M: IncomingMessage,
{
    let headers = question.headers();
    let Some(address) = headers.reply_to() else {
        step.asking("a request reaches its responder with a `reply-to` header")
            .fail("there is none")
    };
    let mut sample = Sample::named("reply");
    if let Some(id) = headers.correlation_id() {
        sample.headers.insert("correlation-id", id.to_owned());
    }
    taken(step, CALL, publisher, address, sample, None).await
}
