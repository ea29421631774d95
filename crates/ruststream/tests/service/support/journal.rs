//! What happened, in order, and waiting for it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// Longer than everything that a test waits for, on a clock that is paused and by a real one.
const PATIENCE: Duration = Duration::from_mins(10);
const REAL_PATIENCE: Duration = Duration::from_secs(30);

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
        let (begun, really_begun) = (tokio::time::Instant::now(), std::time::Instant::now());
        loop {
            let noted = self.0.noted.notified();
            let lines = self.read();
            if reached(&lines) {
                return;
            }
            if begun.elapsed() > PATIENCE || really_begun.elapsed() > REAL_PATIENCE {
                let last = &lines[lines.len().saturating_sub(40)..];
                panic!("waited in vain; what happened last: {last:#?}");
            }
            // Looks again now and then, to give up some time.
            let _ = tokio::time::timeout(Duration::from_secs(1), noted).await;
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
