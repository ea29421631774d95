//! Rest against a server, whose queues nobody here can see (TEST-37).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use ruststream_core::testing::TestError;
use ruststream_runtime::observe::{Connection, Returned};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::Harness;

/// What each subscription handled, and what redeliveries it is owed.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    accounts: Mutex<HashMap<usize, Account>>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Account {
    handled: usize,
    /// When each redelivery that the broker promised is due.
    due: Vec<Instant>,
}

impl Ledger {
    pub(super) fn handled(&self, mount: usize, deliveries: usize) {
        self.with(mount, |account| account.handled += deliveries);
    }

    pub(super) fn returned(&self, mount: usize, returned: Returned) {
        let now = Instant::now();
        let due = match returned {
            Returned::Now => Some(now),
            Returned::After(delay) => now.checked_add(delay),
        };
        self.with(mount, |account| account.due.extend(due));
    }

    fn with(&self, mount: usize, change: impl FnOnce(&mut Account)) {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        change(accounts.entry(mount).or_default());
        drop(accounts);
        self.changed();
    }

    pub(super) fn changed(&self) {
        self.changed.notify_waiters();
    }
}

/// A subscription that has not handled what it is owed.
struct Behind {
    subscription: String,
    handled: usize,
    expected: usize,
}

impl Harness {
    /// Waits until every subscription has handled what it is owed and no handler is running.
    ///
    /// # Errors
    ///
    /// [`TestError::NotSettled`] at the deadline.
    pub(crate) async fn settle_live(
        &self,
        connections: &[Connection],
        deadline: Duration,
    ) -> Result<(), TestError> {
        match timeout(deadline, self.rest_live(connections)).await {
            Ok(rest) => rest,
            Err(_elapsed) => Err(match self.behind(connections) {
                Some(behind) => TestError::NotSettled {
                    subscription: Some(behind.subscription),
                    handled: behind.handled,
                    expected: behind.expected,
                    deadline,
                },
                None => TestError::NotSettled {
                    subscription: None,
                    handled: 0,
                    expected: 0,
                    deadline,
                },
            }),
        }
    }

    async fn rest_live(&self, connections: &[Connection]) -> Result<(), TestError> {
        loop {
            self.coordinator.drive().await?;
            // Before the look, so that no change falls between it and the wait.
            let changed = self.ledger.changed.notified();
            if self.behind(connections).is_some() {
                changed.await;
            } else if self.coordinator.drive().now_or_never().is_some() {
                return Ok(());
            }
        }
    }

    /// The first subscription that is owed more than it handled.
    fn behind(&self, connections: &[Connection]) -> Option<Behind> {
        let (mounts, published) = {
            let records = self.records();
            let mut published: HashMap<(usize, String), usize> = HashMap::new();
            for record in records.all_published() {
                let destination = (record.scope, record.message.name().to_owned());
                *published.entry(destination).or_default() += 1;
            }
            (records.mounts().to_vec(), published)
        };
        let mut expected = vec![0; mounts.len()];
        for ((scope, destination), count) in published {
            let (numbers, names): (Vec<usize>, Vec<&str>) = mounts
                .iter()
                .enumerate()
                .filter(|(_, mount)| mount.scope == scope)
                .map(|(number, mount)| (number, &*mount.name))
                .unzip();
            for position in self.routes(scope, connections, &destination, &names) {
                if let Some(&number) = numbers.get(position) {
                    expected[number] += count;
                }
            }
        }
        let now = Instant::now();
        let accounts = self
            .ledger
            .accounts
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        mounts.iter().enumerate().find_map(|(number, mount)| {
            let (handled, due) = accounts.get(&number).map_or((0, 0), |account| {
                let due = account.due.iter().filter(|due| **due <= now).count();
                (account.handled, due)
            });
            let expected = expected[number] + due;
            (handled < expected).then(|| Behind {
                subscription: mount.name.to_string(),
                handled,
                expected,
            })
        })
    }

    /// TEST-38; a broker type that is not registered routes by equal names.
    fn routes(
        &self,
        scope: usize,
        connections: &[Connection],
        destination: &str,
        names: &[&str],
    ) -> Vec<usize> {
        let connection = connections.get(scope);
        if let Some(broker) = connection.and_then(|connection| self.testable(scope, connection)) {
            return broker.routes(destination, names);
        }
        let equal = |(position, name): (usize, &&str)| (*name == destination).then_some(position);
        names.iter().enumerate().filter_map(equal).collect()
    }
}
