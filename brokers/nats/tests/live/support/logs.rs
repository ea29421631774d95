//! What the crate logs on the thread of a test.

use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, Once, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

type Lines = Arc<Mutex<Vec<String>>>;

thread_local! {
    static HERE: RefCell<Option<Lines>> = const { RefCell::new(None) };
}

/// Notes the events of this thread, as `LEVEL target: text field=value`: the framework's, and those
/// of the client that a log shows by default.
pub(crate) struct Logs(Lines);

impl Logs {
    pub(crate) fn start() -> Self {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(|| {
            tracing::subscriber::set_global_default(Recorder).expect("the only one");
        });
        let lines = Lines::default();
        HERE.set(Some(Arc::clone(&lines)));
        Self(lines)
    }

    /// The framework's lines that have that text in them.
    pub(crate) fn with(&self, text: &str) -> Vec<String> {
        let mut lines = self.all();
        lines.retain(|line| line.contains(" ruststream") && line.contains(text));
        lines
    }

    /// Everybody's lines.
    pub(crate) fn all(&self) -> Vec<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.clone()
    }

    /// The one warning of the crate with that text.
    pub(crate) fn warning(&self, text: &str) -> String {
        let found = self.with(text);
        assert_eq!(found.len(), 1, "lines with `{text}`: {found:#?}");
        assert!(found[0].starts_with("WARN ruststream::nats: "), "{found:?}");
        found.concat()
    }
}

impl Drop for Logs {
    fn drop(&mut self) {
        HERE.set(None);
    }
}

struct Recorder;

#[derive(Default)]
struct Line {
    text: String,
    fields: String,
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

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("ruststream") || *metadata.level() <= Level::INFO
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        HERE.with_borrow(|here| {
            let Some(lines) = here else { return };
            let mut line = Line::default();
            event.record(&mut line);
            let (level, target) = (event.metadata().level(), event.metadata().target());
            let line = format!("{level} {target}: {}{}", line.text, line.fields);
            lines
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(line);
        });
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
