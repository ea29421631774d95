//! The warnings a piece of code logs.

use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

type Logged = Arc<Mutex<Vec<(String, String)>>>;

/// The warnings that `body` logs, as target and message.
pub(crate) fn warnings(body: impl FnOnce()) -> Vec<(String, String)> {
    let log = Logged::default();
    tracing::subscriber::with_default(Warnings(Arc::clone(&log)), body);
    mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner))
}

struct Warnings(Logged);

impl Subscriber for Warnings {
    fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _span: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((event.metadata().target().to_owned(), message.0));
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}
