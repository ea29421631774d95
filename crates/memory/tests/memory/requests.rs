use std::time::Duration;

use futures_util::future::join;
use futures_util::{FutureExt, StreamExt};
use ruststream_core::{
    Broker, BytesMut, ConnectedBroker, HeaderMap, IncomingMessage, OutgoingMessage, Publisher,
    RequestReply, Seekable, Seeker, Subscriber, nonzero,
};
use ruststream_memory::{
    MemoryBroker, MemoryMessage, MemoryPosition, MemoryPublisher, MemorySubscriber, RequestError,
    Retention, Routing,
};

use crate::support::*;

const PATIENCE: Duration = Duration::from_secs(5);

fn question(body: &str) -> OutgoingMessage<'_, BytesMut> {
    OutgoingMessage::new("questions", body.as_bytes())
}

fn inbox(question: &MemoryMessage) -> String {
    question
        .headers()
        .reply_to()
        .expect("a request names its inbox")
        .to_owned()
}

/// Answers the next question with its own body.
async fn answer(questions: &mut MemorySubscriber, publisher: &MemoryPublisher) {
    let question = questions
        .stream()
        .next()
        .await
        .expect("open")
        .expect("infallible");
    publish(publisher, &inbox(&question), &body(&question));
    ack(question);
}

// MEM-65, CORE-160, PUB-720
#[tokio::test]
async fn a_request_resolves_with_the_first_reply_and_drops_the_others() {
    let broker = MemoryBroker::new();
    let (requester, publisher) = (broker.requester(), broker.publisher());
    let mut questions = broker.subscribe("questions");
    let headers = HeaderMap::from_iter([("reply-to", "caller.own"), ("correlation-id", "c1")]);
    let request = requester.request(question("?").with_headers(headers), PATIENCE);
    let respond = async {
        let question = questions
            .stream()
            .next()
            .await
            .expect("open")
            .expect("infallible");
        assert!(
            inbox(&question).starts_with("_inbox."),
            "replaces the caller's own"
        );
        assert_eq!(question.headers().correlation_id(), Some("c1"));
        for reply in ["first", "second"] {
            publish(&publisher, &inbox(&question), reply);
        }
        ack(question);
    };
    let (reply, ()) = join(request, respond).await;
    assert_eq!(body(&reply.expect("a reply")), "first");
}

// MEM-68, PUB-720
#[tokio::test]
async fn every_settlement_of_a_reply_is_ok_and_does_nothing() {
    let broker = MemoryBroker::new();
    let (requester, publisher) = (broker.requester(), broker.publisher());
    let mut questions = broker.subscribe("questions");
    let mut replies = Vec::new();
    for _ in 0..5 {
        let request = requester.request(question("?"), PATIENCE);
        let (reply, ()) = join(request, answer(&mut questions, &publisher)).await;
        let reply = reply.expect("a reply");
        assert_eq!(reply.redelivery_count(), Some(1));
        replies.push(reply);
    }
    let mut replies = replies.into_iter();
    let mut reply = || replies.next().expect("five replies");
    at_once(reply().ack()).expect("ok");
    at_once(reply().nack(true)).expect("ok");
    at_once(reply().nack(false)).expect("ok");
    at_once(reply().nack_after(PATIENCE)).expect("ok");
    assert_eq!(reply().into_raw().payload(), b"?");
    assert!(next(&mut questions).is_none());
}

// MEM-66, CORE-161, PUB-721
#[tokio::test]
async fn concurrent_requests_get_their_own_replies_in_whatever_order() {
    let broker = MemoryBroker::new();
    let (requester, publisher) = (broker.requester(), broker.publisher());
    let mut questions = broker.subscribe("questions");
    let both = join(
        requester.request(question("one"), PATIENCE),
        requester.request(question("two"), PATIENCE),
    );
    let respond = async {
        let mut stream = questions.stream();
        let mut asked = Vec::new();
        for _ in 0..2 {
            asked.push(stream.next().await.expect("open").expect("infallible"));
        }
        assert_ne!(inbox(&asked[0]), inbox(&asked[1]));
        while let Some(question) = asked.pop() {
            publish(&publisher, &inbox(&question), &body(&question));
            ack(question);
        }
    };
    let ((one, two), ()) = join(both, respond).await;
    assert_eq!(body(&one.expect("a reply")), "one");
    assert_eq!(body(&two.expect("a reply")), "two");
}

// MEM-67, PUB-720, PUB-806
#[tokio::test(start_paused = true)]
async fn an_unanswered_request_times_out_with_its_subject() {
    let requester = MemoryBroker::new().requester();
    let wait = Duration::from_millis(100);
    let begun = tokio::time::Instant::now();
    let failed = requester.request(question("?"), wait).await;
    let Err(RequestError::Timeout { subject, timeout }) = failed else {
        panic!("{failed:?}")
    };
    assert_eq!((subject.as_str(), timeout), ("questions", wait));
    assert!(begun.elapsed() >= wait);
}

// MEM-66, CORE-161, PUB-721
#[tokio::test(start_paused = true)]
async fn a_late_reply_resolves_no_later_request() {
    let broker = MemoryBroker::new();
    let (requester, publisher) = (broker.requester(), broker.publisher());
    let mut questions = broker.subscribe("questions");
    requester
        .request(question("late"), PATIENCE)
        .await
        .expect_err("nobody answers");
    let late = take(&mut questions);
    let request = requester.request(question("next"), PATIENCE);
    let respond = async {
        publish(&publisher, &inbox(&late), "late");
        ack(late);
        answer(&mut questions, &publisher).await;
    };
    let (reply, ()) = join(request, respond).await;
    assert_eq!(body(&reply.expect("a reply")), "next");
}

// PUB-806
#[test]
fn a_request_without_patience_needs_no_runtime_and_fails_at_once() {
    let requester = MemoryBroker::new().requester();
    let failed = at_once(requester.request(question("?"), Duration::ZERO));
    assert!(matches!(
        failed,
        Err(RequestError::Timeout {
            timeout: Duration::ZERO,
            ..
        })
    ));
}

// MEM-11, CORE-162
#[tokio::test]
async fn a_shutdown_ends_a_request_that_waits() {
    let broker = MemoryBroker::new().connect().await.expect("connects");
    let requester = broker.requester();
    let waiting = requester.request(question("?"), Duration::from_hours(1));
    let (failed, closed) = join(waiting, async { broker.shutdown().await }).await;
    assert!(matches!(failed, Err(RequestError::ShutDown)));
    assert_eq!(
        closed.expect("shuts down").subscribers_dropped(),
        0,
        "an inbox is no subscription"
    );
}

// MEM-67: whether an inbox is open shows in where the most specific routing sends a message.
#[tokio::test(start_paused = true)]
async fn an_inbox_is_gone_however_its_request_ends() {
    let broker = MemoryBroker::new().routing(Routing::MostSpecific);
    let (requester, publisher) = (broker.requester(), broker.publisher());
    let mut questions = broker.subscribe("questions");
    let mut strays = subscribe_pattern(&connect(&broker), "_inbox.>");

    let answered = requester.request(question("?"), PATIENCE);
    let (reply, ()) = join(answered, answer(&mut questions, &publisher)).await;
    ack(reply.expect("a reply"));
    assert!(
        next(&mut strays).is_none(),
        "the live inbox takes its reply"
    );

    requester
        .request(question("?"), PATIENCE)
        .await
        .expect_err("times out");
    let timed_out = inbox(&take(&mut questions));
    let mut request = Box::pin(requester.request(question("?"), PATIENCE));
    assert!((&mut request).now_or_never().is_none());
    ack(take(&mut questions));
    let cancelled = inbox(&take(&mut questions));
    publish(&publisher, &cancelled, "in time");
    assert!(next(&mut strays).is_none(), "still open");
    drop(request);

    for inbox in [timed_out, cancelled] {
        publish(&publisher, &inbox, "stray");
        let stray = take(&mut strays);
        assert_eq!(stray.name(), inbox);
        ack(stray);
    }
}

// MEM-11
#[test]
fn a_refused_request_leaves_no_inbox_and_no_message() {
    let broker = MemoryBroker::new();
    let mut questions = broker.subscribe("questions");
    at_once(connect(&broker).shutdown()).expect("shuts down");
    let refused = at_once(broker.requester().request(question("?"), PATIENCE));
    assert!(matches!(refused, Err(RequestError::ShutDown)));
    assert!(next(&mut questions).is_none());
}

// The traps of the chapter: a pattern that matches inbox names reads them under `EveryMatch`.
#[tokio::test]
async fn a_pattern_over_everything_sees_replies_too() {
    let broker = MemoryBroker::new();
    let (requester, publisher) = (broker.requester(), broker.publisher());
    let mut questions = broker.subscribe("questions");
    let mut all = subscribe_pattern(&connect(&broker), ">");
    let request = requester.request(question("?"), PATIENCE);
    let (reply, ()) = join(request, answer(&mut questions, &publisher)).await;
    ack(reply.expect("a reply"));
    assert_eq!(bodies(&mut all).len(), 2);
}

// MEM-14: an inbox name can be subscribed to like any other.
#[test]
fn a_subscription_by_an_inbox_name_is_an_ordinary_one() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let mut curious = broker.subscribe("_inbox.0");
    publish(&publisher, "_inbox.0", "1");
    let request = broker.requester();
    let mut waiting = Box::pin(request.request(question("?"), Duration::ZERO));
    assert!((&mut waiting).now_or_never().is_some());
    publish(&publisher, "_inbox.0", "2");
    assert_eq!(bodies(&mut curious), ["1", "2"]);
    drop(curious);
    publish(&publisher, "_inbox.0", "3");
}

// MEM-47, PUB-805
#[tokio::test]
async fn a_retaining_broker_logs_questions_and_no_replies() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(16)));
    let (requester, publisher) = (broker.requester(), broker.publisher());
    let mut questions = broker.subscribe("questions");
    let respond = async {
        let question = questions
            .stream()
            .next()
            .await
            .expect("open")
            .expect("infallible");
        let inbox = question.headers().reply_to().expect("an inbox").to_owned();
        publish(&publisher, &inbox, "reply");
        ack(question);
        inbox
    };
    let (reply, inbox) = join(requester.request(question("?"), PATIENCE), respond).await;
    ack(reply.expect("a reply"));
    publish(&publisher, &inbox, "late");

    let mut late = broker.subscribe(inbox);
    at_once(late.seeker().seek(MemoryPosition::start())).expect("seeks");
    assert!(next(&mut late).is_none());
    at_once(questions.seeker().seek(MemoryPosition::start())).expect("seeks");
    assert_eq!(bodies(&mut questions), ["?"]);
}

// MEM-69
#[test]
fn a_requesters_plain_publish_carries_no_inbox() {
    let broker = MemoryBroker::new();
    let mut questions = broker.subscribe("questions");
    at_once(broker.requester().publish(question("statement"), None)).expect("publishes");
    let statement = take(&mut questions);
    assert_eq!(
        (body(&statement).as_str(), statement.headers().reply_to()),
        ("statement", None)
    );
}

// MEM-70, PUB-722
#[test]
fn requests_work_from_runtimes_that_stop() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let mut questions = broker.subscribe("questions");
    let responder = std::thread::spawn(move || {
        on_foreign_runtime(async move {
            for _ in 0..2 {
                answer(&mut questions, &publisher).await;
            }
        });
    });
    let requester = broker.requester();
    for body_sent in ["one", "two"] {
        let requester = requester.clone();
        let reply =
            on_foreign_runtime(
                async move { requester.request(question(body_sent), PATIENCE).await },
            );
        assert_eq!(body(&reply.expect("a reply")), body_sent);
    }
    responder.join().expect("no panic");
}
