//! What the service logs on the thread of a test.

use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, Once, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata};

type Lines = Arc<Mutex<Vec<String>>>;

thread_local! {
    static HERE: RefCell<Option<Lines>> = const { RefCell::new(None) };
}

/// Notes every event of the current thread, as `LEVEL target: text field=value`, until it is
/// dropped.
pub(crate) struct Logs(Lines);

impl Logs {
    pub(crate) fn start() -> Self {
        static INSTALLED: Once = Once::new();
        // One for the process: a subscriber for each thread would fight over cached interests.
        INSTALLED.call_once(|| {
            tracing::subscriber::set_global_default(Recorder { tells: false })
                .expect("no other one is installed");
        });
        let lines = Lines::default();
        HERE.set(Some(Arc::clone(&lines)));
        Self(lines)
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The lines that have that text in them.
    pub(crate) fn with(&self, text: &str) -> Vec<String> {
        let mut lines = self.all();
        lines.retain(|line| line.contains(text));
        lines
    }

    /// The one line that has that text in it.
    pub(crate) fn line(&self, text: &str) -> String {
        let lines = self.with(text);
        assert_eq!(lines.len(), 1, "lines with `{text}` in {:#?}", self.all());
        lines.concat()
    }
}

impl Drop for Logs {
    fn drop(&mut self) {
        HERE.set(None);
    }
}

/// Prints every event from now on.
pub(crate) fn tell_logs() {
    tracing::subscriber::set_global_default(Recorder { tells: true }).expect("is the first");
}

struct Recorder {
    /// It prints, and keeps nothing.
    tells: bool,
}

#[derive(Default)]
struct Line {
    text: String,
    fields: String,
}

fn told(event: &Event<'_>) -> String {
    let mut line = Line::default();
    event.record(&mut line);
    let (level, target) = (event.metadata().level(), event.metadata().target());
    format!("{level} {target}: {}{}", line.text, line.fields)
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.text = format!("{value:?}");
        } else {
            let _ = write!(self.fields, " {}={value:?}", field.name());
        }
    }
}

impl tracing::Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("ruststream")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        if self.tells {
            println!("log: {}", told(event));
            return;
        }
        HERE.with_borrow(|here| {
            let Some(lines) = here else { return };
            let line = told(event);
            lines
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(line);
        });
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
