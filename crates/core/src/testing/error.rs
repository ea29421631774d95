use std::error::Error;
use std::time::Duration;

type BoxError = Box<dyn Error + Send + Sync>;

/// Why a test harness could not start the service, reach it, or wait for it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TestError {
    /// A lifecycle hook of the application failed.
    #[error("a startup hook of the service failed: {0}")]
    Startup(#[source] BoxError),

    /// A subscription of the application could not be opened.
    #[error("a subscription of the service did not open: {0}")]
    Subscribe(#[source] BoxError),

    /// Deliveries kept coming until the step budget was spent.
    #[error(
        "the service did not come to rest: {processed} deliveries were processed and more are \
         under way; a handler probably retries or answers itself for ever"
    )]
    NotQuiescent {
        /// How many deliveries were processed since the wait began.
        processed: usize,
    },

    /// Nothing happened any more, and the service had not come to rest.
    #[error("the service did not come to rest: {}", stuck(.running, *.under_way, *.patience))]
    Stuck {
        /// The subscriptions whose handlers were running, one for each run.
        running: Vec<String>,
        /// How many deliveries and runs were under way.
        under_way: isize,
        /// For how long nothing had happened, in real time.
        patience: Duration,
    },

    /// A live service did not handle all that it was sent before the deadline.
    #[error("the service did not settle within {deadline:?}: {}", unsettled(.subscription.as_deref(), *.handled, *.expected))]
    NotSettled {
        /// The subscription that is behind; `None` when only a running handler was missing.
        subscription: Option<String>,
        /// How many deliveries it handled.
        handled: usize,
        /// How many it is owed.
        expected: usize,
        /// How long the harness waited.
        deadline: Duration,
    },

    /// A broker did not connect, to its server or in process.
    #[error("the broker `{broker}` did not connect: {source}")]
    Connect {
        /// The broker's label, or the name of its type.
        broker: String,
        /// The broker's own error.
        source: BoxError,
    },

    /// A live broker refused the test's message.
    #[error("the broker `{broker}` refused the test's message: {source}")]
    Publish {
        /// The broker's label, or the name of its type.
        broker: String,
        /// The broker's own error.
        source: BoxError,
    },

    /// The service has stopped and takes no more input.
    #[error(
        "the service has shut down and takes no more messages; `run_result` tells what stopped it"
    )]
    ShutDown,

    /// The shortcut for an application of one broker met several.
    #[error(
        "the application has not exactly one broker: address it with `broker::<B>()` or \
         `broker_named(label)`"
    )]
    Ambiguous,

    /// The broker of this type cannot be driven by a test.
    #[error(
        "the broker `{0}` has no in-process mode here: turn on the `testing` feature of its crate \
         in [dev-dependencies]; its author registers the mode with `register_testable_broker!`"
    )]
    NoTransport(String),

    /// A live test was started on a paused clock, which would run ahead of the server.
    #[error(
        "a live test cannot run on a paused clock: remove `start_paused` (or the `pause` call), or \
         start in process with `TestApp::start`"
    )]
    PausedClock,

    /// The test's value or headers could not be encoded.
    #[error("the test's message could not be encoded: {0}")]
    Encode(String),
}

fn unsettled(subscription: Option<&str>, handled: usize, expected: usize) -> String {
    subscription.map_or_else(
        || "a handler was still running".to_owned(),
        |name| format!("subscription \"{name}\" handled {handled} of {expected} deliveries"),
    )
}

fn stuck(running: &[String], under_way: isize, patience: Duration) -> String {
    let still = format!("for {patience:?} nothing has happened while");
    match running {
        [] => format!(
            "{still} no handler was running; {under_way} deliveries are counted as under way, so a \
             subscription takes none, or a transport counts wrong"
        ),
        [one] => format!("{still} the handler of subscription \"{one}\" was running"),
        several => format!("{still} the handlers of subscriptions {several:?} were running"),
    }
}
