//! The publish log.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ruststream_core::HeaderMap;

use super::super::support::*;
use super::run;

struct LogsNothing;

impl Twist for LogsNothing {
    fn published(&self, _: &Link, _: &str) -> Vec<Arc<Letter>> {
        Vec::new()
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_that_is_empty() {
    rejected(
        run(LogsNothing),
        "run_suite: log: `published` holds [] where [\"first\"",
        &[],
    )
    .await;
}

struct LogsInjectedOnly;

impl Twist for LogsInjectedOnly {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        sender.link.world().route(&Arc::new(letter));
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_of_injected_messages_only() {
    let told = ["holds [\"injected\"]"];
    rejected(
        run(LogsInjectedOnly),
        "run_suite: own publishes are logged: ",
        &told,
    )
    .await;
}

struct LogsWithoutHeaders;

impl Twist for LogsWithoutHeaders {
    fn published(&self, link: &Link, name: &str) -> Vec<Arc<Letter>> {
        let bare = |letter: Arc<Letter>| Letter {
            headers: HeaderMap::new(),
            ..Letter::clone(&letter)
        };
        let logged = link.world().logged(name);
        logged.into_iter().map(bare).map(Arc::new).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_without_headers() {
    let told = ["was logged as None"];
    rejected(
        run(LogsWithoutHeaders),
        "run_suite: own publishes are logged: ",
        &told,
    )
    .await;
}

struct LogsRefused;

impl Twist for LogsRefused {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        sender.link.world().log(letter);
        now(Err(ToyError::Refused("publishes")))
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_publish_in_the_log() {
    let told = ["holds [\"own 1\"] where [] was published"];
    rejected(
        run(LogsRefused),
        "run_suite: own publishes are logged: ",
        &told,
    )
    .await;
}

#[derive(Default)]
struct TakesOne(AtomicUsize);

impl Twist for TakesOne {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if self.0.fetch_add(1, Ordering::Relaxed) > 0 {
            return now(Err(ToyError::Refused("a second publish")));
        }
        Honest.publish(sender, letter)
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_publish_refused() {
    let told = ["the second publish was refused: the toy refuses: a second publish"];
    rejected(
        run(TakesOne::default()),
        "run_suite: own publishes are logged: ",
        &told,
    )
    .await;
}
