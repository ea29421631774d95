//! `capabilities::transactions` and `capabilities::owned_transactions` (CONF-38, CONF-39).

use std::time::Duration;

use ruststream_conformance::capabilities;
use tokio::time::sleep;

use super::support::*;

async fn borrowed(twist: impl Twist) {
    capabilities::transactions(
        toys(Kind::Each, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
}

async fn owned(twist: impl Twist) {
    capabilities::owned_transactions(
        toys(Kind::Each, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn honest_transactions_pass() {
    borrowed(Honest).await;
    owned(Honest).await;
}

struct VisibleAtOnce;

impl Twist for VisibleAtOnce {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        now(sender.link.publish(letter))
    }
}

#[tokio::test(start_paused = true)]
async fn a_transaction_visible_before_its_commit() {
    let start = "transactions: commit: \"committed, message 1\" came within 100ms";
    rejected(borrowed(VisibleAtOnce), start, &[]).await;
}

/// Settles the transaction of a publisher as the functions say.
struct Borrowed {
    commit: fn(&Sender) -> Result<(), ToyError>,
    abort: fn(&Sender) -> Result<(), ToyError>,
    begin: fn(&Sender) -> Result<(), ToyError>,
}

const HONEST: Borrowed = Borrowed {
    commit: Sender::commit,
    abort: |sender| sender.abort().map(drop),
    begin: Sender::begin,
};

impl Twist for Borrowed {
    fn begin<'a>(&'a self, sender: &'a Sender) -> Done<'a> {
        now((self.begin)(sender))
    }

    fn commit<'a>(&'a self, sender: &'a Sender) -> Done<'a> {
        now((self.commit)(sender))
    }

    fn abort<'a>(&'a self, sender: &'a Sender) -> Done<'a> {
        now((self.abort)(sender))
    }
}

#[tokio::test(start_paused = true)]
async fn a_commit_out_of_order() {
    let twist = Borrowed {
        commit: |sender| {
            let letters = sender.abort()?;
            sender.link.commit(letters.into_iter().rev().collect())
        },
        ..HONEST
    };
    let told = ["\"committed, message 2\" came where \"committed, message 1\" was due"];
    rejected(borrowed(twist), "transactions: commit: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_commit_that_loses_a_message() {
    let twist = Borrowed {
        commit: |sender| {
            let letters = sender.abort()?;
            sender.link.commit(letters.into_iter().skip(1).collect())
        },
        ..HONEST
    };
    rejected(
        borrowed(twist),
        "transactions: commit: ",
        &["\"committed, message 2\" came"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_abort_that_publishes() {
    let twist = Borrowed {
        abort: Sender::commit,
        ..HONEST
    };
    let start = "transactions: abort: \"aborted, message 1\" came within 100ms";
    rejected(borrowed(twist), start, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_commit_with_none_open_that_succeeds() {
    let commit = |sender: &Sender| match sender.abort() {
        Ok(letters) => sender.link.commit(letters),
        Err(_) => sender.link.live(),
    };
    let twist = Borrowed { commit, ..HONEST };
    rejected(
        borrowed(twist),
        "transactions: none open: it succeeded",
        &[],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_abort_with_none_open_that_succeeds() {
    let abort = |sender: &Sender| {
        drop(sender.abort());
        Ok(())
    };
    let twist = Borrowed { abort, ..HONEST };
    rejected(
        borrowed(twist),
        "transactions: none open: it succeeded",
        &[],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_second_begin_that_succeeds() {
    let begin = |sender: &Sender| {
        drop(sender.begin());
        Ok(())
    };
    let twist = Borrowed { begin, ..HONEST };
    rejected(
        borrowed(twist),
        "transactions: second begin: it succeeded",
        &[],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_second_begin_that_discards_the_open_transaction() {
    let begin = |sender: &Sender| {
        let second = sender.begin();
        if second.is_err() {
            sender.abort()?;
            sender.begin()?;
        }
        second
    };
    let twist = Borrowed { begin, ..HONEST };
    let told = ["\"around a second begin, message 2\" came where"];
    rejected(borrowed(twist), "transactions: second begin: ", &told).await;
}

/// Commits by a task of the caller's runtime.
struct CommitsByTheCaller;

fn committed_by_the_caller(link: &Link, letters: Vec<Letter>) -> Result<(), ToyError> {
    if !link.is_elsewhere() {
        return link.commit(letters);
    }
    let link = link.clone();
    tokio::spawn(async move {
        sleep(Duration::from_hours(1)).await;
        drop(link.commit(letters));
    });
    Ok(())
}

impl Twist for CommitsByTheCaller {
    fn commit<'a>(&'a self, sender: &'a Sender) -> Done<'a> {
        let committed = sender.abort();
        now(committed.and_then(|letters| committed_by_the_caller(&sender.link, letters)))
    }

    fn commit_owned<'a>(&'a self, link: &'a Link, letters: Vec<Letter>) -> Done<'a> {
        now(committed_by_the_caller(link, letters))
    }
}

#[tokio::test(start_paused = true)]
async fn a_commit_left_to_the_callers_runtime() {
    let start = "transactions: commit elsewhere: nothing came within 2s";
    rejected(borrowed(CommitsByTheCaller), start, &[]).await;
    let start = "owned_transactions: commit elsewhere: nothing came within 2s";
    rejected(owned(CommitsByTheCaller), start, &[]).await;
}

struct CommitsAfterShutdown;

impl Twist for CommitsAfterShutdown {
    fn commit<'a>(&'a self, sender: &'a Sender) -> Done<'a> {
        if sender.link.is_closed() {
            return now(Ok(()));
        }
        Honest.commit(sender)
    }

    fn commit_owned<'a>(&'a self, link: &'a Link, letters: Vec<Letter>) -> Done<'a> {
        if link.is_closed() {
            return now(Ok(()));
        }
        Honest.commit_owned(link, letters)
    }
}

#[tokio::test(start_paused = true)]
async fn a_commit_that_succeeds_after_shutdown() {
    let start = "transactions: commit after shutdown: it succeeded";
    rejected(borrowed(CommitsAfterShutdown), start, &[]).await;
    let start = "owned_transactions: commit after shutdown: it succeeded";
    rejected(owned(CommitsAfterShutdown), start, &[]).await;
}

struct CommitHangsAfterShutdown;

impl Twist for CommitHangsAfterShutdown {
    fn commit<'a>(&'a self, sender: &'a Sender) -> Done<'a> {
        if sender.link.is_closed() {
            return hanging();
        }
        Honest.commit(sender)
    }
}

#[tokio::test(start_paused = true)]
async fn a_commit_that_hangs_after_shutdown() {
    let start = "transactions: commit after shutdown: no answer within 5s";
    rejected(borrowed(CommitHangsAfterShutdown), start, &[]).await;
}

struct PublishesAfterShutdown;

impl Twist for PublishesAfterShutdown {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if sender.link.is_closed() {
            return now(Ok(()));
        }
        Honest.publish(sender, letter)
    }
}

#[tokio::test(start_paused = true)]
async fn a_direct_publish_that_succeeds_after_shutdown() {
    let start = "transactions: publish after shutdown: it succeeded";
    rejected(borrowed(PublishesAfterShutdown), start, &[]).await;
    let start = "owned_transactions: publish after shutdown: it succeeded";
    rejected(owned(PublishesAfterShutdown), start, &[]).await;
}

/// A transaction opened after the shutdown opens a connection of its own.
struct LateTransactionCommits;

impl Twist for LateTransactionCommits {
    fn open_owned<'a>(&'a self, _: &'a Link) -> Done<'a> {
        now(Ok(()))
    }

    fn commit_owned<'a>(&'a self, link: &'a Link, letters: Vec<Letter>) -> Done<'a> {
        // One opened before has a message.
        if link.is_closed() && letters.is_empty() {
            return now(Ok(()));
        }
        Honest.commit_owned(link, letters)
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_transaction_that_commits() {
    let start = "owned_transactions: open after shutdown: it succeeded";
    rejected(owned(LateTransactionCommits), start, &[]).await;
}

/// A late transaction is refused at its commit instead of when it opens.
struct LateTransactionRefusedAtItsCommit;

impl Twist for LateTransactionRefusedAtItsCommit {
    fn open_owned<'a>(&'a self, _: &'a Link) -> Done<'a> {
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_transaction_refused_at_its_commit_passes() {
    owned(LateTransactionRefusedAtItsCommit).await;
}

struct CommitsOwned(fn(&Link, Vec<Letter>) -> Result<(), ToyError>);

impl Twist for CommitsOwned {
    fn commit_owned<'a>(&'a self, link: &'a Link, letters: Vec<Letter>) -> Done<'a> {
        now((self.0)(link, letters))
    }
}

#[tokio::test(start_paused = true)]
async fn an_owned_commit_out_of_order() {
    let twist = CommitsOwned(|link, letters| link.commit(letters.into_iter().rev().collect()));
    let told = ["\"committed, message 2\" came where \"committed, message 1\" was due"];
    rejected(owned(twist), "owned_transactions: commit: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn an_owned_commit_that_loses_a_message_of_the_second_transaction() {
    let twist = CommitsOwned(|link, mut letters| {
        letters.retain(|letter| letter.payload != b"another, message 1");
        link.commit(letters)
    });
    let told = ["\"another, message 2\" came out of turn"];
    rejected(owned(twist), "owned_transactions: both of two: ", &told).await;
}

/// One buffer for all transactions of a connection.
#[derive(Default)]
struct OneBuffer(std::sync::Mutex<Vec<Letter>>);

impl Twist for OneBuffer {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        // A direct publish is captured by what is open.
        self.0.lock().expect("not poisoned").push(letter);
        let _ = sender;
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_direct_publish_captured_by_an_open_transaction() {
    let start = "owned_transactions: direct publish: nothing came within 2s";
    rejected(owned(OneBuffer::default()), start, &[]).await;
}
