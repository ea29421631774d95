//! The domain of the tests, and words for what every test does.

pub(crate) mod station;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use ruststream::prelude::*;
use ruststream::runtime::PublishError;
use ruststream::testing::{BrokerHandle, TestApp, TestError};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
pub(crate) struct Parcel {
    pub(crate) id: u32,
}

pub(crate) fn parcel(id: u32) -> Parcel {
    Parcel { id }
}

pub(crate) const MS: Duration = Duration::from_millis(1);
pub(crate) const SECOND: Duration = Duration::from_secs(1);

pub(crate) fn info() -> AppInfo {
    AppInfo::new("depot", "1.0.0")
}

/// Lines in the order in which they were written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal(Arc<Mutex<Vec<String>>>);

impl Journal {
    pub(crate) fn note(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// The state of a service, of which handlers take what is inside.
pub(crate) struct Of<T>(pub(crate) Arc<T>);

impl<T> Of<T> {
    pub(crate) fn new(state: T) -> Self {
        Self(Arc::new(state))
    }
}

impl<T> FromRef<Of<T>> for Arc<T> {
    fn from_ref(state: &Of<T>) -> Self {
        Self::clone(&state.0)
    }
}

/// Runs one test on an application in process, and once more live.
pub(crate) async fn in_both_modes<A, S>(app: impl Fn() -> A, test: impl AsyncFn(&TestApp<S>))
where
    A: App<State = S>,
    S: Send + Sync + 'static,
{
    let tb = TestApp::start(app()).await.expect("starts in process");
    test(&tb).await;
    tb.shutdown().await.ok();
    let tb = TestApp::start_live(app()).await.expect("starts live");
    test(&tb).await;
    tb.shutdown().await.ok();
}

/// Sends a parcel and waits for the reaction.
pub(crate) async fn send(broker: &BrokerHandle<'_>, name: &str, id: u32) {
    try_send(broker, name, id).await.expect("sends");
}

pub(crate) async fn try_send(
    broker: &BrokerHandle<'_>,
    name: &str,
    id: u32,
) -> Result<(), TestError> {
    match broker.message(&parcel(id)).to(name).publish().await {
        Ok(()) => Ok(()),
        Err(PublishError::Publish(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

/// What `assertion` panics with.
pub(crate) fn failure<R>(assertion: impl FnOnce() -> R) -> String {
    match catch_unwind(AssertUnwindSafe(assertion)) {
        Ok(_) => panic!("the assertion must not hold"),
        Err(panic) => text(&*panic),
    }
}

/// What `future` panics with.
pub(crate) async fn async_failure<F: Future>(future: F) -> String {
    match AssertUnwindSafe(future).catch_unwind().await {
        Ok(_) => panic!("must panic"),
        Err(panic) => text(&*panic),
    }
}

fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .expect("a panic with a text")
}

#[track_caller]
pub(crate) fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
}
