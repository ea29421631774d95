//! `capabilities::transactions_are_whole`, `owned_transactions_are_whole` and `replies_are_whole`:
//! CORE-088, CORE-150, CORE-160, CORE-162.

use std::sync::Arc;
use std::time::Duration;

use ruststream_conformance::capabilities;
use ruststream_core::HeaderMap;

use super::support::*;

async fn transactions(twist: impl Twist) {
    capabilities::transactions_are_whole(
        toys(Kind::Each, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
}

async fn owned(twist: impl Twist) {
    capabilities::owned_transactions_are_whole(
        toys(Kind::Each, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
}

const COMMIT: &str = "transactions_are_whole: commit: ";
const OWNED: &str = "owned_transactions_are_whole: commit: ";
const LOST_HEADER: &str = "the header `x-conformance-name` of \"";

#[tokio::test(start_paused = true)]
async fn transactions_that_are_whole_pass() {
    transactions(Honest).await;
    owned(Honest).await;
}

/// Changes the buffer of a transaction at its commit.
struct Commits(fn(&mut Vec<Letter>));

impl Twist for Commits {
    fn commit<'a>(&'a self, sender: &'a Sender) -> Done<'a> {
        now(sender.abort().and_then(|mut letters| {
            (self.0)(&mut letters);
            sender.link.commit(letters)
        }))
    }

    fn commit_owned<'a>(&'a self, link: &'a Link, mut letters: Vec<Letter>) -> Done<'a> {
        (self.0)(&mut letters);
        now(link.commit(letters))
    }
}

#[tokio::test(start_paused = true)]
async fn a_commit_of_the_first_three_of_ten() {
    let told = [
        "of 10 messages 3 came, and then nothing came within 2s",
        "what to do: keep each",
    ];
    let twist = || Commits(|letters| letters.truncate(3));
    rejected(transactions(twist()), COMMIT, &told).await;
    rejected(owned(twist()), OWNED, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_commit_without_headers() {
    let told = [LOST_HEADER, "and came as nothing"];
    let twist = || {
        Commits(|letters| {
            for letter in letters {
                letter.headers = HeaderMap::new();
            }
        })
    };
    rejected(transactions(twist()), COMMIT, &told).await;
    rejected(owned(twist()), OWNED, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_commit_of_other_bytes() {
    let told = [" came where ", " was due: they differ from byte "];
    let twist = || {
        Commits(|letters| {
            for letter in letters {
                letter.payload = String::from_utf8_lossy(&letter.payload).into_owned().into();
            }
        })
    };
    rejected(transactions(twist()), COMMIT, &told).await;
    rejected(owned(twist()), OWNED, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_commit_out_of_order_or_with_one_too_many() {
    let told = ["\"first 2\\x00", " came where \"first 1\\x00"];
    rejected(
        transactions(Commits(|letters| letters.swap(0, 1))),
        COMMIT,
        &told,
    )
    .await;
    let told = [" came within 100ms"];
    let repeats = || Commits(|letters| letters.extend(letters.last().cloned()));
    rejected(transactions(repeats()), COMMIT, &told).await;
    rejected(owned(repeats()), OWNED, &told).await;
}

fn has_bytes(letter: &Letter) -> bool {
    let mut values = letter.headers.iter().map(|(_, value)| value);
    values.any(|value| std::str::from_utf8(value).is_err())
}

/// Refuses headers that are no text.
struct RefusesBytes;

impl Twist for RefusesBytes {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if has_bytes(&letter) {
            return now(Err(ToyError::Refused("headers that are no text")));
        }
        Honest.publish(sender, letter)
    }

    fn request<'a>(
        &'a self,
        sender: &'a Sender,
        letter: Letter,
        wait: Duration,
    ) -> Task<'a, Result<Arc<Letter>, ToyError>> {
        if has_bytes(&letter) {
            return now(Err(ToyError::Refused("headers that are no text")));
        }
        Honest.request(sender, letter, wait)
    }
}

#[tokio::test(start_paused = true)]
async fn headers_that_are_refused_honestly_pass() {
    transactions(RefusesBytes).await;
    replies(RefusesBytes).await;
}

// Requests.

async fn replies(twist: impl Twist) {
    capabilities::replies_are_whole(
        toys(Kind::Each, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        |connected| connected.publisher(),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn replies_that_are_whole_pass() {
    replies(Honest).await;
}

/// Changes a request before it leaves, its timeout, and its reply before it is handed on.
struct Requests {
    asks: fn(&mut Letter),
    waits: fn(Duration) -> Duration,
    resolves: fn(&mut Letter),
}

impl Requests {
    const HONEST: Self = Self {
        asks: |_| {},
        waits: |timeout| timeout,
        resolves: |_| {},
    };
}

impl Twist for Requests {
    fn request<'a>(
        &'a self,
        sender: &'a Sender,
        mut letter: Letter,
        timeout: Duration,
    ) -> Task<'a, Result<Arc<Letter>, ToyError>> {
        Box::pin(async move {
            (self.asks)(&mut letter);
            let mut reply = sender.request(letter, (self.waits)(timeout)).await?;
            (self.resolves)(Arc::make_mut(&mut reply));
            Ok(reply)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_waits_ten_times_too_long() {
    let told = [
        "no answer within 4s",
        "what to do: take the timeout of a request as it is given",
    ];
    let twist = Requests {
        waits: |timeout| timeout * 10,
        ..Requests::HONEST
    };
    rejected(replies(twist), "replies_are_whole: timeout: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_waits_a_tenth_of_its_timeout() {
    let told = ["it failed with: the toy got no reply"];
    let twist = Requests {
        waits: |timeout| timeout / 10,
        ..Requests::HONEST
    };
    rejected(replies(twist), "replies_are_whole: reply in time: ", &told).await;
    let told = ["it failed after 1.4", "where its timeout is 2s"];
    let twist = Requests {
        waits: |timeout| timeout * 7 / 10,
        ..Requests::HONEST
    };
    rejected(replies(twist), "replies_are_whole: timeout: ", &told).await;
}

const EXCHANGE: &str = "replies_are_whole: request and reply: ";

#[tokio::test(start_paused = true)]
async fn a_reply_without_its_headers() {
    let told = [
        LOST_HEADER,
        "reply\\x00",
        "and came as nothing",
        "what to do: hand on the reply",
    ];
    let twist = Requests {
        resolves: |reply| reply.headers = HeaderMap::new(),
        ..Requests::HONEST
    };
    rejected(replies(twist), EXCHANGE, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_reply_taken_for_text() {
    let told = ["\"reply\\x00\\xef\\xbf\\xbd", "they differ from byte 6 on"];
    let twist = Requests {
        resolves: |reply| {
            reply.payload = String::from_utf8_lossy(&reply.payload).into_owned().into();
        },
        ..Requests::HONEST
    };
    rejected(replies(twist), EXCHANGE, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_without_its_headers() {
    let told = [LOST_HEADER, "request\\x00", "and came as nothing"];
    let twist = Requests {
        asks: |letter| letter.headers = HeaderMap::new(),
        ..Requests::HONEST
    };
    rejected(replies(twist), EXCHANGE, &told).await;
}

/// Resolves requests by itself.
struct Resolves;

impl Twist for Resolves {
    fn request<'a>(
        &'a self,
        _: &'a Sender,
        _: Letter,
        _: Duration,
    ) -> Task<'a, Result<Arc<Letter>, ToyError>> {
        now(Ok(Arc::default()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_nobody_answered() {
    let told = ["the request resolved before its responder got it"];
    rejected(replies(Resolves), EXCHANGE, &told).await;
}
