//! Log lines as text, for tests of what is logged.

use std::fmt::{self, Write as _};
use std::mem;
use std::sync::{Arc, LazyLock, Mutex};

use tracing::dispatcher::Dispatch;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Metadata, Subscriber};

/// Captures what the current thread logs until it is dropped.
pub(crate) struct LogCapture {
    lines: Arc<Mutex<Vec<String>>>,
    _default: DefaultGuard,
}

/// While only one subscriber exists, `tracing` asks the current thread's about a new log line for
/// all threads: one first met on a thread that captures nothing would stay off.
static ANOTHER: LazyLock<Dispatch> = LazyLock::new(|| {
    Dispatch::new(Recorder {
        lines: Arc::default(),
        spans: Mutex::default(),
    })
});

impl LogCapture {
    pub(crate) fn start() -> Self {
        LazyLock::force(&ANOTHER);
        let lines = Arc::default();
        let recorder = Recorder {
            lines: Arc::clone(&lines),
            spans: Mutex::default(),
        };
        Self {
            lines,
            _default: tracing::subscriber::set_default(recorder),
        }
    }

    /// The lines so far: `LEVEL target: message field=value`, behind `span{field=value}` where one
    /// is entered.
    pub(crate) fn take(&self) -> Vec<String> {
        mem::take(&mut self.lines.lock().unwrap())
    }
}

#[derive(Default)]
struct Spans {
    made: Vec<String>,
    entered: Vec<usize>,
}

struct Recorder {
    lines: Arc<Mutex<Vec<String>>>,
    spans: Mutex<Spans>,
}

#[derive(Default)]
struct Told {
    message: String,
    fields: String,
}

impl Visit for Told {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            write!(self.message, "{value:?}").unwrap();
        } else {
            write!(self.fields, " {}={value:?}", field.name()).unwrap();
        }
    }
}

fn index(id: &Id) -> usize {
    usize::try_from(id.into_u64()).unwrap() - 1
}

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut told = Told::default();
        span.record(&mut told);
        let mut spans = self.spans.lock().unwrap();
        let meta = span.metadata();
        let line = format!(
            "{} {}{{{}}} ",
            meta.level(),
            meta.name(),
            told.fields.trim()
        );
        spans.made.push(line);
        Id::from_u64(spans.made.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut told = Told::default();
        event.record(&mut told);
        let spans = self.spans.lock().unwrap();
        let within: String = spans
            .entered
            .iter()
            .map(|&i| spans.made[i].as_str())
            .collect();
        let (level, target) = (event.metadata().level(), event.metadata().target());
        let line = format!("{within}{level} {target}: {}{}", told.message, told.fields);
        self.lines.lock().unwrap().push(line);
    }

    fn enter(&self, id: &Id) {
        self.spans.lock().unwrap().entered.push(index(id));
    }

    fn exit(&self, _: &Id) {
        self.spans.lock().unwrap().entered.pop();
    }
}
