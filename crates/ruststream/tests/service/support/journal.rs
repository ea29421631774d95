//! What happened, in order, and waiting for it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// Longer than everything that a test waits for. On a paused clock it is also the end of a test in
/// which nothing happens any more.
const PATIENCE: Duration = Duration::from_secs(600);

/// Lines in the order in which they were noted, by whoever has a clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal(Arc<Book>);

#[derive(Debug, Default)]
struct Book {
    lines: Mutex<Vec<String>>,
    noted: Notify,
    /// Lines go to standard output too.
    told: std::sync::atomic::AtomicBool,
}

impl Journal {
    /// A journal that is also printed, line by line, as it is written.
    pub(crate) fn told() -> Self {
        let journal = Self::default();
        journal
            .0
            .told
            .store(true, std::sync::atomic::Ordering::Relaxed);
        journal
    }

    pub(crate) fn note(&self, line: impl Into<String>) {
        let line = line.into();
        if self.0.told.load(std::sync::atomic::Ordering::Relaxed) {
            println!("{line}");
        }
        self.0
            .lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line);
        self.0.noted.notify_waiters();
    }

    pub(crate) fn read(&self) -> Vec<String> {
        self.0
            .lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The lines that begin so.
    pub(crate) fn beginning(&self, with: &str) -> Vec<String> {
        let mut lines = self.read();
        lines.retain(|line| line.starts_with(with));
        lines
    }

    /// Waits until the lines are as asked.
    pub(crate) async fn until(&self, reached: impl Fn(&[String]) -> bool) {
        let waiting = async {
            loop {
                let noted = self.0.noted.notified();
                if reached(&self.read()) {
                    return;
                }
                noted.await;
            }
        };
        if tokio::time::timeout(PATIENCE, waiting).await.is_err() {
            let happened = self.read();
            let last = &happened[happened.len().saturating_sub(40)..];
            panic!("waited in vain; what happened last: {last:#?}");
        }
    }

    /// Waits until `count` lines begin so.
    pub(crate) async fn until_count(&self, count: usize, with: &str) {
        self.until(|lines| lines.iter().filter(|line| line.starts_with(with)).count() >= count)
            .await;
    }

    /// Waits for a line.
    pub(crate) async fn until_line(&self, line: &str) {
        self.until(|lines| lines.iter().any(|noted| noted == line))
            .await;
    }
}

pub(crate) fn lines(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}
