use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytes::Bytes;
use ruststream_core::RawMessage;
use ruststream_core::codec::Codec;
use ruststream_runtime::observe::{Connection, Options};
use serde::de::DeserializeOwned;

use super::{decode, told};
use crate::harness::{Harness, MessageOptions, Mode, joined};
use crate::hooks::Event;

/// What was published under one name of one broker, or through one `Out` slot, when this was made.
///
/// Every assertion panics where it does not hold. Those on *the last message* panic where there is
/// none.
///
/// ```
/// use ruststream_testing::PublishedAssertions;
///
/// fn expect_one_route(routes: PublishedAssertions<()>) {
///     routes
///         .assert_called_once()
///         .with_raw(br#"{"lane":3}"#)
///         .with_header("tenant", "north")
///         .assert_options_default();
/// }
/// ```
pub struct PublishedAssertions<T> {
    harness: Arc<Harness>,
    from: From,
    messages: Vec<RawMessage>,
    /// One for each message.
    options: Vec<MessageOptions>,
    decoded: PhantomData<fn() -> T>,
}

/// What was looked at.
#[derive(Clone)]
enum From {
    Destination { scope: usize, name: String },
    Slot(&'static str),
}

impl From {
    fn event(&self) -> Event<'_> {
        match self {
            Self::Destination { scope, name } => Event::Publish {
                scope: *scope,
                name,
            },
            Self::Slot(name) => Event::Slot(name),
        }
    }
}

impl<T> PublishedAssertions<T> {
    /// What was published under `name`, whose broker is connected by `connection`.
    pub(crate) fn under(
        harness: &Arc<Harness>,
        scope: usize,
        name: &str,
        connection: Option<&Connection>,
    ) -> Self {
        let from = From::Destination {
            scope,
            name: name.to_owned(),
        };
        let log = connection.filter(|_| matches!(harness.mode(), Mode::InProcess));
        let Some(broker) = log.and_then(|connection| harness.testable(scope, connection)) else {
            return Self::recorded(harness, from, usize::MAX);
        };
        let (messages, evicted) = (broker.published(name), broker.evicted(name));
        let recorded = harness.records().published(scope, name, usize::MAX);
        Self {
            options: joined(&messages, evicted, &recorded),
            messages,
            from,
            harness: Arc::clone(harness),
            decoded: PhantomData,
        }
    }

    pub(crate) fn through_slot(harness: &Arc<Harness>, slot: &'static str) -> Self {
        Self::recorded(harness, From::Slot(slot), usize::MAX)
    }

    /// What the harness recorded, of its first `within` records.
    fn recorded(harness: &Arc<Harness>, from: From, within: usize) -> Self {
        let records = harness.records();
        let (messages, options) = match &from {
            From::Destination { scope, name } => {
                let published = records.published(*scope, name, within);
                let entry = |record: &Arc<_>| -> (RawMessage, MessageOptions) { entry_of(record) };
                published.iter().map(entry).unzip()
            }
            From::Slot(slot) => records
                .attempts(slot, within)
                .iter()
                .map(|attempt| {
                    let options = MessageOptions::Known(attempt.options.clone());
                    (attempt.message.clone(), options)
                })
                .unzip(),
        };
        drop(records);
        Self {
            harness: Arc::clone(harness),
            from,
            messages,
            options,
            decoded: PhantomData,
        }
    }

    fn subject(&self) -> String {
        match &self.from {
            From::Destination { name, .. } => format!("channel \"{name}\""),
            From::Slot(slot) => format!("Out slot `{slot}`"),
        }
    }

    #[track_caller]
    fn fail(&self, what: impl fmt::Display) -> ! {
        panic!("{} {what}", self.subject())
    }

    #[track_caller]
    fn nothing(&self, what: &str) -> ! {
        let name = match &self.from {
            From::Destination { name, .. } => format!("\"{name}\""),
            From::Slot(_) => self.subject(),
        };
        panic!(
            "nothing was published to {name}, cannot assert {what}{}",
            self.elsewhere()
        )
    }

    /// Where else something was published.
    fn elsewhere(&self) -> String {
        let records = self.harness.records();
        let (names, of) = match self.from {
            From::Destination { scope, .. } => (records.destinations(scope), "this broker"),
            From::Slot(_) => (records.slots(), "the slots"),
        };
        match &*names {
            [] => format!("\n  nothing was published on {of} at all"),
            names => format!("\n  published on {of}: {}", told::names(names)),
        }
    }

    #[track_caller]
    fn last(&self, what: &str) -> &RawMessage {
        self.messages.last().unwrap_or_else(|| self.nothing(what))
    }

    #[track_caller]
    fn expect_count(&self, count: usize, expected: fmt::Arguments<'_>) {
        let published = self.messages.len();
        if published != count {
            let messages = self.messages.iter();
            let shown = match published {
                0 => self.elsewhere(),
                _ => told::listed("  ", messages.map(|sent| told::payload(sent.payload()))),
            };
            self.fail(format_args!(
                "was published to {published} times, expected {expected}{shown}"
            ));
        }
    }

    /// Asserts that there is exactly one message.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn assert_called_once(self) -> Self {
        self.expect_count(1, format_args!("exactly once"));
        self
    }

    /// Asserts how many messages there are.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn assert_called(self, times: usize) -> Self {
        self.expect_count(times, format_args!("{times}"));
        self
    }

    /// Asserts that there is no message.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn assert_not_called(self) {
        self.expect_count(0, format_args!("never"));
    }

    /// The messages, in the order of their publishes.
    #[must_use]
    pub fn messages(&self) -> &[RawMessage] {
        &self.messages
    }

    /// The same messages, to be decoded as another type.
    #[must_use]
    pub fn decoded_as<U>(self) -> PublishedAssertions<U> {
        PublishedAssertions {
            harness: self.harness,
            from: self.from,
            messages: self.messages,
            options: self.options,
            decoded: PhantomData,
        }
    }

    /// Asserts the settings that the last message was published with.
    ///
    /// # Panics
    ///
    /// Otherwise; where none were set; and where the harness cannot tell, because it did not see
    /// the publish or saw several of the same payload.
    #[track_caller]
    pub fn with_options<Options>(self, expected: &Options) -> Self
    where
        Options: PartialEq + fmt::Debug + 'static,
    {
        let options = self.last_options("per-message options");
        if !options.are::<Options>() {
            let (recorded, named) = (options.type_name(), type_name::<Options>());
            self.fail(format_args!(
                "takes options of the type `{recorded}`, not `{named}`"
            ));
        }
        let Some(set) = options.get::<Options>() else {
            self.fail(format_args!(
                "was published with the policy's default options, expected {expected:?}"
            ));
        };
        if set != expected {
            self.fail(format_args!(
                "was published with unexpected per-message options\n  \
                 expected: {expected:?}\n       was: {set:?}"
            ));
        }
        self
    }

    /// Asserts that the last message was published with no settings of its own.
    ///
    /// # Panics
    ///
    /// Otherwise; and where the harness cannot tell, as for [`with_options`](Self::with_options).
    #[track_caller]
    pub fn assert_options_default(self) -> Self {
        let options = self.last_options("default options");
        if options.are_set() {
            self.fail(format_args!(
                "was published with per-message options set, of the type `{}`",
                options.type_name()
            ));
        }
        self
    }

    #[track_caller]
    fn last_options(&self, what: &str) -> &Options {
        match self.options.last() {
            None => self.nothing(what),
            Some(MessageOptions::Known(options)) => options,
            Some(MessageOptions::Ambiguous) => self.fail(format_args!(
                "cannot tell its {what}: the same payload was published more than once and it is \
                 unknown which options go with which"
            )),
            Some(MessageOptions::Unrecorded) => self.fail(format_args!(
                "cannot tell its {what}, which were never recorded: the test published it itself, \
                 or it left through a publisher that the service keeps on its own, in an owned \
                 transaction, or before the harness started"
            )),
        }
    }

    /// Asserts the payload of the last message.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn with_raw(self, bytes: &[u8]) -> Self {
        let last = self.last("raw bytes");
        if last.payload() != bytes {
            self.fail(format_args!(
                "published unexpected raw bytes\n   expected: {}\n  published: {}",
                told::payload(bytes),
                told::payload(last.payload())
            ));
        }
        self
    }

    /// Asserts a header of the last message: its name in any case, its value byte for byte.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn with_header(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let last = self.last("a header");
        let Some(published) = last.headers().get(name) else {
            self.fail(format_args!(
                "published a message without the \"{name}\" header"
            ));
        };
        if published != value.as_ref() {
            self.fail(format_args!(
                "published an unexpected \"{name}\" header\n   expected: {:?}\n  published: {:?}",
                Bytes::copy_from_slice(value.as_ref()),
                Bytes::copy_from_slice(published)
            ));
        }
        self
    }
}

fn entry_of(record: &crate::harness::PublishRecord) -> (RawMessage, MessageOptions) {
    (
        record.message.clone(),
        MessageOptions::from(&record.options),
    )
}

impl<T> PublishedAssertions<T>
where
    T: DeserializeOwned + PartialEq + fmt::Debug,
{
    /// Asserts that the last message is `expected`, decoded by the default codec.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
    #[track_caller]
    pub fn with(self, expected: &T) -> Self {
        self.with_codec(&ruststream_core::codec::DefaultCodec::default(), expected)
    }

    /// Asserts that the last message is `expected`, decoded by `codec`.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn with_codec<C: Codec>(self, codec: &C, expected: &T) -> Self {
        let last = self.last("a value");
        let published = self.decode_message(codec, last);
        if published != *expected {
            self.fail(format_args!(
                "published an unexpected value\n   expected: {expected:?}\n  published: \
                 {published:?}"
            ));
        }
        self
    }
}

impl<T: DeserializeOwned> PublishedAssertions<T> {
    /// The messages, decoded by the default codec.
    ///
    /// # Panics
    ///
    /// On a payload that does not decode.
    #[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
    #[must_use]
    #[track_caller]
    pub fn decoded(&self) -> Vec<T> {
        self.decoded_with(&ruststream_core::codec::DefaultCodec::default())
    }

    /// The messages, decoded by `codec`.
    ///
    /// # Panics
    ///
    /// On a payload that does not decode.
    #[must_use]
    #[track_caller]
    pub fn decoded_with<C: Codec>(&self, codec: &C) -> Vec<T> {
        let mut decoded = Vec::with_capacity(self.messages.len());
        for message in &self.messages {
            decoded.push(self.decode_message(codec, message));
        }
        decoded
    }

    #[track_caller]
    fn decode_message<C: Codec>(&self, codec: &C, message: &RawMessage) -> T {
        match decode(codec, message.payload()) {
            Ok(value) => value,
            Err(wrong) => self.fail(format_args!("published a payload that {wrong}")),
        }
    }
}

impl<T: 'static> PublishedAssertions<T> {
    /// Runs `hook` after each further publish there.
    ///
    /// That is each message the test sends and each one a handler's publisher sends and the broker
    /// takes; of a slot, each publish through it. The hook is handed the same kind of view as it was
    /// at the publish, which is its last message, shown as it was handed to the broker. The publish
    /// returns after the hook. For the rest see
    /// [`SubscriberAssertions::on_call`](crate::SubscriberAssertions::on_call).
    pub fn on_publish<Hook>(self, hook: Hook)
    where
        Hook: AsyncFn(Self) + Send + Sync + 'static,
    {
        let (hook, from) = (Arc::new(hook), self.from.clone());
        let run = Arc::new(move |harness: Arc<Harness>, within| {
            let (hook, from) = (Arc::clone(&hook), from.clone());
            Box::pin(async move {
                hook(Self::recorded(&harness, from, within)).await;
            }) as _
        });
        self.harness.hooks().register(self.from.event(), run);
    }
}

/// Shows the messages; payloads and headers as [`RawMessage`] shows them.
impl<T> fmt::Debug for PublishedAssertions<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublishedAssertions")
            .field("of", &self.subject())
            .field("messages", &self.messages.len())
            .finish_non_exhaustive()
    }
}
