//! One service, tested in process and against a server by the same bodies (NATS-T60, NATS-951).
//!
//! The streams `LEDGER` (of `ledger.>`) and `BOOKED` (of `booked.>`) exist on the server.

mod core;
mod publishing;
mod streams;

use std::time::Duration;

use ruststream::runtime::BrokerScope;
use ruststream::testing::{BrokerHandle, TestApp, TestError};
use ruststream_nats::prelude::*;
use serde::{Deserialize, Serialize};

pub(crate) use self::core::*;
pub(crate) use self::publishing::*;
pub(crate) use self::streams::*;

pub(crate) const DELAY: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
pub(crate) struct Entry {
    pub(crate) id: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
#[outgoing(name = "booked.entries")]
pub(crate) struct Booked {
    pub(crate) id: u32,
}

/// How the service is started.
#[expect(dead_code, reason = "each test binary starts it in one way")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    InProcess,
    Live,
}

impl Mode {
    async fn start(self, app: impl App<State = ()>) -> TestApp<()> {
        self.try_start(app).await.expect("starts")
    }

    async fn try_start(self, app: impl App<State = ()>) -> Result<TestApp<()>, TestError> {
        match self {
            Self::InProcess => TestApp::start(app).await,
            Self::Live => TestApp::start_live(app).await,
        }
    }
}

fn service(
    broker: NatsBroker,
    mount: impl FnOnce(&mut BrokerScope<NatsBroker>),
) -> impl App<State = ()> {
    RustStream::new(AppInfo::new("books", "1.0.0")).with_broker(broker, mount)
}

fn nats(tb: &TestApp<()>) -> BrokerHandle<'_> {
    tb.broker::<NatsBroker>()
}

async fn send(tb: &TestApp<()>, subject: &str, id: u32) {
    let sent = nats(tb).message(&Entry { id }).to(subject).publish().await;
    sent.expect("sent");
}

/// Waits for what live comes a moment later than the send that caused it.
async fn eventually(tb: &TestApp<()>, what: impl Fn() -> bool) {
    for _ in 0..200 {
        if what() {
            return;
        }
        tb.advance(Duration::from_millis(20))
            .await
            .expect("settles");
    }
}

async fn close(tb: TestApp<()>) {
    tb.shutdown().await.expect("stops");
}

/// Calls `run` with the names of all bodies.
macro_rules! service_tests {
    ($run:ident) => {
        $run! {
            a_held_delivery_comes_back_after_its_delay
            a_retry_comes_back_at_once_and_a_drop_never
            a_stream_is_capped_by_the_servers_count
            a_core_subject_is_capped_by_its_copies
            a_pattern_is_capped_by_copies_to_the_subject_that_the_mount_names
            a_pattern_without_a_subject_for_its_copies_refuses_to_start
            a_reply_leaves_over_core
            a_slot_publishes_into_a_stream_with_options
            a_slot_that_expects_the_wrong_stream_is_refused
            a_handler_asks_and_another_answers
            a_group_over_two_subjects_gets_each_message_once
            overlapping_subscriptions_each_run_once
            a_dead_letter_inside_the_pattern_comes_to_who_gave_up
            a_copy_outside_the_pattern_never_comes_back
            a_stream_is_read_in_batches
            the_context_of_the_first_delivery
        }
    };
}
pub(crate) use service_tests;
