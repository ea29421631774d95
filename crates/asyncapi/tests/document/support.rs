//! What the tests share: composing a service, reading its document, hearing what is logged.

use std::convert::Infallible;
use std::fmt;
use std::future::{Future, ready};
use std::sync::{Arc, LazyLock, Mutex};

use futures_util::{Stream, stream};
use ruststream::asyncapi::{Binding, Bindings, build_spec};
use ruststream::memory::prelude::*;
use ruststream::memory::{ConnectedMemoryBroker, MemoryMessage, MemoryPublisher};
use ruststream::runtime::{
    App, BrokerScope, HandlerMetadata, Identity, IntoSource, PublishIdentity, Setup,
};
use ruststream::{BrokerMoves, NamedCopies, PairError, Subscribe, SubscriptionSource};
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, Event, Metadata, Subscriber};

pub(crate) fn depot() -> RustStream<Identity, (), PublishIdentity, Setup> {
    RustStream::new(AppInfo::new("depot", "1.0.0"))
}

/// The document of `app` as it is written.
pub(crate) fn written(app: &impl App) -> Value {
    let text = build_spec(app).to_json().expect("serializes");
    serde_json::from_str(&text).expect("is JSON")
}

/// The written document of what `mount` mounts on one broker.
pub(crate) fn mounted(mount: impl FnOnce(&mut BrokerScope<MemoryBroker>)) -> Value {
    written(&depot().with_broker(MemoryBroker::new(), mount))
}

/// Mounts a subscription that is open already and yields nothing, described by `metadata`.
pub(crate) fn handled(b: &mut BrokerScope<MemoryBroker>, metadata: HandlerMetadata) {
    let handler = |_: &MemoryMessage, _: &mut Context<'_>| async {};
    b.handle(Idle, handler, metadata);
}

struct Idle;

impl ruststream::Subscriber for Idle {
    type Message = MemoryMessage;
    type Error = Infallible;

    fn stream(&mut self) -> impl Stream<Item = Result<MemoryMessage, Infallible>> + Send + '_ {
        stream::pending()
    }
}

/// The ids of the operations, in order.
pub(crate) fn operations(document: &Value) -> Vec<&str> {
    keys(&document["operations"])
}

pub(crate) fn keys(map: &Value) -> Vec<&str> {
    map.as_object()
        .into_iter()
        .flatten()
        .map(|(key, _)| key.as_str())
        .collect()
}

/// What a reference of the document refers to.
pub(crate) fn resolved<'d>(document: &'d Value, reference: &str) -> Option<&'d Value> {
    let pointer = reference.strip_prefix('#')?;
    let mut plain = Vec::new();
    let mut rest = pointer;
    while let Some(at) = rest.find('%') {
        plain.extend_from_slice(&rest.as_bytes()[..at]);
        plain.push(u8::from_str_radix(rest.get(at + 1..at + 3)?, 16).ok()?);
        rest = &rest[at + 3..];
    }
    plain.extend_from_slice(rest.as_bytes());
    document.pointer(&String::from_utf8(plain).ok()?)
}

/// Every reference of the document, wherever it stands.
pub(crate) fn references<'d>(value: &'d Value, found: &mut Vec<&'d str>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(reference) if key == "$ref" => found.push(reference),
                    other => references(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// Holds every reference of the document to resolve from its root, and returns how many there are.
pub(crate) fn all_resolve(document: &Value) -> usize {
    let mut found = Vec::new();
    references(document, &mut found);
    for reference in &found {
        assert!(
            resolved(document, reference).is_some(),
            "{reference} in {document:#}"
        );
    }
    found.len()
}

/// Bindings of the protocol `nats` that say `text`.
pub(crate) fn says(text: &str) -> Bindings {
    let binding = Binding::new("nats", "0.1.0", &json!({ "says": text })).expect("binds");
    Bindings::new().with(binding)
}

/// A policy that tells the document which channel it was asked about.
#[derive(Clone, Copy, Default)]
pub(crate) struct Telling {
    pub(crate) location: Option<&'static str>,
}

impl PublishPolicy<ConnectedMemoryBroker> for Telling {
    type Live = MemoryPublisher;

    fn pair(
        self,
        connected: &ConnectedMemoryBroker,
    ) -> impl Future<Output = Result<MemoryPublisher, PairError>> {
        ready(Ok(connected.publisher()))
    }

    fn channel_bindings(&self, channel: &str) -> Bindings {
        says(&format!("channel {channel}"))
    }

    fn operation_bindings(&self, channel: &str) -> Bindings {
        says(&format!("operation {channel}"))
    }

    fn message_bindings(&self, channel: &str) -> Bindings {
        says(&format!("message {channel}"))
    }

    fn reply_address_location(&self) -> Option<&'static str> {
        self.location
    }
}

/// Sources that differ in how their copies travel.
macro_rules! sources {
    ($($name:ident: $copies:ty;)+) => {$(
        #[derive(Clone)]
        pub(crate) struct $name(&'static str);

        impl $name {
            pub(crate) fn new(name: &'static str) -> Self {
                Self(name)
            }
        }

        impl IntoSource for $name {
            type Source = Self;

            fn into_source(self) -> Self {
                self
            }
        }

        impl<C: Subscribe> SubscriptionSource<C> for $name {
            type Subscriber = C::Subscriber;
            type Copies = $copies;

            fn name(&self) -> &str {
                self.0
            }

            async fn subscribe(self, connected: &C) -> Result<C::Subscriber, C::Error> {
                connected.subscribe(self.0).await
            }

            fn channel_bindings(&self) -> Bindings {
                says("source channel")
            }

            fn operation_bindings(&self) -> Bindings {
                says("source operation")
            }

            fn message_bindings(&self) -> Bindings {
                says("source message")
            }
        }
    )+};
}

sources! {
    Queue: BrokerMoves;
    Wildcard: NamedCopies;
}

/// What the current thread logs until it is dropped.
pub(crate) struct Heard {
    lines: Arc<Mutex<Vec<String>>>,
    _default: DefaultGuard,
}

/// While there is only one subscriber, `tracing` asks the current thread's about a line for all
/// threads; one first met on a thread that listens to nothing would stay off.
static ANOTHER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(Listener(Arc::default())));

impl Heard {
    pub(crate) fn start() -> Self {
        LazyLock::force(&ANOTHER);
        let lines = Arc::default();
        let listener = Listener(Arc::clone(&lines));
        Self {
            lines,
            _default: tracing::subscriber::set_default(listener),
        }
    }

    /// The lines so far, `LEVEL target field=value ..` with the fields in order of their names.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().expect("not poisoned").clone()
    }
}

struct Listener(Arc<Mutex<Vec<String>>>);

impl Subscriber for Listener {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        fields.0.sort();
        let metadata = event.metadata();
        let line = format!(
            "{} {} {}",
            metadata.level(),
            metadata.target(),
            fields.0.join(" ")
        );
        self.0.lock().expect("not poisoned").push(line);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Fields(Vec<String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push(format!("{}={value:?}", field.name()));
    }
}
