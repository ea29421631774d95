//! `capabilities::request_reply` (CONF-37).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use ruststream_conformance::capabilities;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

use super::support::*;

async fn run(twist: impl Twist) {
    capabilities::request_reply(
        toys(Kind::Each, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        |connected| connected.publisher(),
    )
    .await;
}

type Answer<'a> = Task<'a, Result<Arc<Letter>, ToyError>>;

#[tokio::test(start_paused = true)]
async fn honest_requests_pass() {
    run(Honest).await;
}

/// One inbox for all requests, which keeps what comes late.
#[derive(Default)]
struct SharedInbox(tokio::sync::Mutex<Option<Reader>>);

impl Twist for SharedInbox {
    fn request<'a>(&'a self, sender: &'a Sender, mut letter: Letter, wait: Duration) -> Answer<'a> {
        Box::pin(async move {
            let mut shared = self.0.lock().await;
            let inbox = match &mut *shared {
                Some(inbox) => inbox,
                none => none.insert(sender.link.subscribe("replies", None)?),
            };
            letter.headers.insert("reply-to", "replies");
            sender.link.publish(letter)?;
            let reply = timeout(wait, inbox.next()).await;
            let reply = reply.ok().flatten().ok_or(ToyError::NoReply)?;
            Ok(reply.consume().letter)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn an_inbox_shared_by_all_requests() {
    let told = ["the request \"after the late reply\" resolved with \"reply to held back\""];
    rejected(
        run(SharedInbox::default()),
        "request_reply: late reply: ",
        &told,
    )
    .await;
}

/// One reply address for all requests; a reply resolves the one that waits longest.
#[derive(Default)]
struct OneAddress(Mutex<VecDeque<oneshot::Sender<Arc<Letter>>>>);

impl Twist for OneAddress {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if letter.name != "replies" {
            return Honest.publish(sender, letter);
        }
        let mut waiting = self.0.lock().expect("not poisoned");
        waiting.retain(|waiting| !waiting.is_closed());
        if let Some(oldest) = waiting.pop_front() {
            let _ = oldest.send(Arc::new(letter));
        }
        now(Ok(()))
    }

    fn request<'a>(&'a self, sender: &'a Sender, mut letter: Letter, wait: Duration) -> Answer<'a> {
        let (waiting, reply) = oneshot::channel();
        self.0.lock().expect("not poisoned").push_back(waiting);
        letter.headers.insert("reply-to", "replies");
        Box::pin(async move {
            sender.link.publish(letter)?;
            let reply = timeout(wait, reply).await;
            reply.ok().and_then(Result::ok).ok_or(ToyError::NoReply)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn replies_crossed_at_one_address() {
    let told = ["the request \"one\" resolved with \"reply to another\""];
    rejected(
        run(OneAddress::default()),
        "request_reply: concurrent requests: ",
        &told,
    )
    .await;
}

/// Requests as the function says.
struct Requests(for<'a> fn(&'a Sender, Letter, Duration) -> Answer<'a>);

impl Twist for Requests {
    fn request<'a>(&'a self, sender: &'a Sender, letter: Letter, wait: Duration) -> Answer<'a> {
        (self.0)(sender, letter, wait)
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_waits_for_its_timeout_after_shutdown() {
    let twist = Requests(|sender, letter, wait| {
        Box::pin(async move {
            if sender.link.is_closed() {
                sleep(wait).await;
            }
            sender.request(letter, wait).await
        })
    });
    let start = "request_reply: request after shutdown: no answer within 5s";
    rejected(run(twist), start, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_without_a_reply_address() {
    struct NoAddress;
    impl Twist for NoAddress {
        fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
            Honest.publish(sender, letter)
        }

        fn request<'a>(&'a self, sender: &'a Sender, letter: Letter, wait: Duration) -> Answer<'a> {
            Box::pin(async move {
                sender.link.publish(letter)?;
                sleep(wait).await;
                Err(ToyError::NoReply)
            })
        }
    }
    let told = ["there is none", "`reply-to`"];
    rejected(run(NoAddress), "request_reply: request elsewhere: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_ignores_its_timeout() {
    let twist =
        Requests(|sender, letter, _| Box::pin(sender.request(letter, Duration::from_hours(1))));
    let start = "request_reply: unanswered request: no answer within 10s";
    rejected(run(twist), start, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_nobody_reads_that_resolves() {
    let twist = Requests(|sender, letter, wait| {
        if letter.payload == b"into the void" {
            return now(Ok(Arc::new(letter)));
        }
        Box::pin(sender.request(letter, wait))
    });
    rejected(run(twist), "request_reply: nobody there: it succeeded", &[]).await;
}

/// Replies are dispatched by a task of whoever requests first.
#[derive(Default)]
struct DispatchedByTheFirstCaller(OnceLock<mpsc::UnboundedSender<Asked>>);

struct Asked {
    sender: Arc<Sender>,
    letter: Letter,
    wait: Duration,
    answer: oneshot::Sender<Result<Arc<Letter>, ToyError>>,
}

impl Twist for DispatchedByTheFirstCaller {
    fn request<'a>(&'a self, sender: &'a Sender, letter: Letter, wait: Duration) -> Answer<'a> {
        let lane = self.0.get_or_init(|| {
            let (lane, mut asked) = mpsc::unbounded_channel::<Asked>();
            tokio::spawn(async move {
                while let Some(asked) = asked.recv().await {
                    let answer = asked.sender.request(asked.letter, asked.wait).await;
                    let _ = asked.answer.send(answer);
                }
            });
            lane
        });
        let (answer, answered) = oneshot::channel();
        let sender = Arc::new(Sender::new(&sender.link));
        let asked = Asked {
            sender,
            letter,
            wait,
            answer,
        };
        Box::pin(async move {
            lane.send(asked).map_err(|_| ToyError::Closed)?;
            answered.await.map_err(|_| ToyError::Closed)?
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_dispatcher_of_the_first_callers_runtime() {
    let start = "request_reply: request here: ";
    rejected(run(DispatchedByTheFirstCaller::default()), start, &[]).await;
}

/// A reply whose address is gone is refused.
struct RefusesLateReplies;

impl Twist for RefusesLateReplies {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if letter.payload == b"reply to held back" {
            return now(Err(ToyError::Refused("late replies")));
        }
        Honest.publish(sender, letter)
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_reply_refused_passes() {
    run(RefusesLateReplies).await;
}
