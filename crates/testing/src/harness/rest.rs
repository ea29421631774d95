//! Rest in process, and what is told where it does not come.
//!
//! The counter says that something is under way and not what, so the runs of handlers are noted
//! beside it. Both the counter and the notes show whether anything happened.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{Either, select};
use ruststream_core::testing::TestError;

use super::Harness;
use crate::alarm::Alarm;

/// For how long nothing may happen, unless a test says otherwise.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often the wait looks whether something happened, in the time that nothing may happen.
const LOOKS: u32 = 8;

/// The handlers that run.
#[derive(Debug)]
pub(super) struct Runs(Mutex<Noted>);

#[derive(Debug)]
struct Noted {
    /// How often the handler of each mount runs.
    running: BTreeMap<usize, usize>,
    /// How many runs began.
    begun: usize,
    patience: Duration,
}

impl Default for Runs {
    fn default() -> Self {
        Self(Mutex::new(Noted {
            running: BTreeMap::new(),
            begun: 0,
            patience: PATIENCE,
        }))
    }
}

impl Runs {
    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn began(&self, mount: usize) {
        let mut noted = self.noted();
        noted.begun += 1;
        *noted.running.entry(mount).or_default() += 1;
    }

    pub(super) fn ended(&self, mount: usize) {
        if let Some(running) = self.noted().running.get_mut(&mount) {
            *running -= 1;
        }
    }
}

impl Harness {
    /// For how long nothing may happen before a wait is given up.
    pub(crate) fn set_patience(&self, patience: Duration) {
        self.runs.noted().patience = patience;
    }

    /// Waits until the service is at rest.
    ///
    /// # Errors
    ///
    /// [`TestError::NotQuiescent`] where deliveries keep coming, [`TestError::Stuck`] where nothing
    /// happens any more.
    pub(crate) async fn rest(&self) -> Result<(), TestError> {
        if let Some(rest) = self.coordinator.drive().now_or_never() {
            return rest;
        }
        let mut rest = pin!(self.coordinator.drive());
        let mut seen = self.happened();
        let patience = self.runs.noted().patience;
        let mut quiet = 0;
        while quiet < LOOKS {
            match select(rest, Alarm::after(patience / LOOKS)).await {
                Either::Left((rest, _)) => return rest,
                Either::Right(((), waiting)) => rest = waiting,
            }
            let happened = self.happened();
            quiet = if happened == seen { quiet + 1 } else { 0 };
            seen = happened;
        }
        Err(self.stuck(patience))
    }

    /// Changes whenever something happens.
    fn happened(&self) -> ((isize, usize), usize) {
        (self.coordinator.counts(), self.runs.noted().begun)
    }

    fn stuck(&self, patience: Duration) -> TestError {
        let mounts = self.records().mounts().to_vec();
        let noted = self.runs.noted();
        let runs = |(mount, times): (&usize, &usize)| {
            let name = mounts.get(*mount).map(|mount| mount.name.to_string());
            vec![name.unwrap_or_default(); *times]
        };
        TestError::Stuck {
            running: noted.running.iter().flat_map(runs).collect(),
            under_way: self.coordinator.counts().0,
            patience,
        }
    }
}
