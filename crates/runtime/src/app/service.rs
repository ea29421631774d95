//! What the dispatch loops of one application share: the stop signal, the first failure, the
//! continuations to wait for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::health::HealthReporter;
use super::health::SubscriptionEnd;
use crate::deliver::stop::Stop;
use crate::extract::MainRuntime;
use crate::observe::Attached;
use crate::tasks::Tasks;

/// The loops' side of a running application; cheap to clone.
#[derive(Clone)]
pub(crate) struct Service(Arc<Shared>);

struct Shared {
    stop: Stop,
    continuations: Tasks,
    workers: Tasks,
    main_runtime: MainRuntime,
    health: HealthReporter,
    on_end: SubscriptionEnd,
    /// From the begin of an orderly stop on, ends of streams mean nothing.
    stopping: AtomicBool,
    failure: OnceLock<String>,
    observed: Attached,
    #[cfg(feature = "poll-diagnostics")]
    poll_diagnostics: crate::PollDiagnostics,
}

impl Service {
    pub(crate) fn new(
        main_runtime: MainRuntime,
        health: HealthReporter,
        on_end: SubscriptionEnd,
    ) -> Self {
        Self(Arc::new(Shared {
            stop: Stop::default(),
            continuations: Tasks::default(),
            workers: Tasks::default(),
            main_runtime,
            health,
            on_end,
            stopping: AtomicBool::new(false),
            failure: OnceLock::new(),
            observed: Attached::default(),
            #[cfg(feature = "poll-diagnostics")]
            poll_diagnostics: crate::PollDiagnostics::default(),
        }))
    }

    /// Samples into the application's diagnostics. Only before the service is shared.
    #[cfg(feature = "poll-diagnostics")]
    pub(crate) fn sampling(mut self, diagnostics: crate::PollDiagnostics) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.0) {
            shared.poll_diagnostics = diagnostics;
        }
        self
    }

    /// Where the loops leave the timings of their bodies' polls.
    #[cfg(feature = "poll-diagnostics")]
    pub(crate) fn poll_diagnostics(&self) -> &crate::PollDiagnostics {
        &self.0.poll_diagnostics
    }

    /// Lets a test harness see the loops. Only before the service is shared.
    pub(crate) fn observed_by(mut self, observed: Attached) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.0) {
            shared.observed = observed;
        }
        self
    }

    pub(crate) fn observed(&self) -> &Attached {
        &self.0.observed
    }

    pub(crate) fn stop(&self) -> &Stop {
        &self.0.stop
    }

    /// The continuations that a stop waits for; a dedicated thread has a tracker of its own.
    pub(crate) fn continuations(&self) -> &Tasks {
        &self.0.continuations
    }

    /// What a loop spawned to handle deliveries, be it a task or a thread with its token. A loop
    /// that is aborted can only abort them; the stop waits here until they are gone.
    pub(crate) fn workers(&self) -> &Tasks {
        &self.0.workers
    }

    pub(crate) fn main_runtime(&self) -> &MainRuntime {
        &self.0.main_runtime
    }

    pub(crate) fn health(&self) -> &HealthReporter {
        &self.0.health
    }

    /// An orderly stop began (RUN-070 step 1).
    pub(crate) fn begin_stopping(&self) {
        self.0.stopping.store(true, Ordering::SeqCst);
    }

    /// The first fail-fast reason, `<subscription>: <why>`.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.0.failure.get().map(String::as_str)
    }

    /// Stops the whole service because of `subscription` (RUN-307); only the first reason is kept.
    pub(crate) fn fail(&self, subscription: &str, reason: &str) {
        tracing::error!(
            target: "ruststream::dispatch",
            subscription = %subscription, reason = %reason,
            "fail-fast: a dispatch failure is tearing the service down"
        );
        let told = self
            .0
            .failure
            .get_or_init(|| format!("{subscription}: {reason}"));
        self.0.health.fail(told);
        self.0.stop.raise();
    }

    /// A subscription's stream ended (RUN-094).
    pub(crate) fn stream_ended(&self, subscription: &str) {
        if self.0.stopping.load(Ordering::SeqCst) || self.0.stop.is_raised() {
            return;
        }
        if self.0.on_end == SubscriptionEnd::FailFast {
            self.fail(subscription, "the subscription's stream ended");
        } else {
            tracing::debug!(
                target: "ruststream::dispatch",
                subscription = %subscription, "subscriber stream ended"
            );
        }
    }
}
