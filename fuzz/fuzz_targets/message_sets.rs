//! A service takes any payload with any headers by sets of messages: every delivery is settled once, by the handler of
//! the variant that the set's rule chooses, or dropped where none is.
#![no_main]

use std::cell::RefCell;
use std::str;

use libfuzzer_sys::fuzz_target;
use ruststream::memory::MemoryPublisher;
use ruststream::memory::prelude::*;
use ruststream::runtime::{BlanketLayer, Handler, RunningApp};
use ruststream::{HeaderMap, OutgoingMessage};
use serde::Deserialize;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

#[derive(Deserialize, MessageInfo)]
struct Scan {
    #[expect(dead_code, reason = "decoding is what is tried")]
    parcel: u64,
}

#[derive(Deserialize, MessageInfo)]
struct Down {
    #[expect(dead_code, reason = "decoding is what is tried")]
    scanner: String,
}

/// Text as it is, by no codec.
#[derive(Deserialized, MessageInfo)]
#[wire(decode = read)]
struct Note(#[expect(dead_code, reason = "decoding is what is tried")] String);

fn read(payload: &[u8]) -> Result<Note, str::Utf8Error> {
    str::from_utf8(payload).map(|text| Note(text.to_owned()))
}

#[derive(InMessages)]
#[expect(dead_code, reason = "decoding is what is tried")]
enum Tried {
    Scan(Scan),
    Down(Down),
    Note(Note),
}

#[derive(InMessages)]
#[expect(dead_code, reason = "decoding is what is tried")]
#[in_messages(header = "kind")]
enum Headed {
    #[in_messages(value = "scan")]
    Scan(Scan),
    #[in_messages(value = "down")]
    Down(Down),
    #[in_messages(value = "")]
    Note(Note),
}

#[derive(InMessages)]
#[expect(dead_code, reason = "decoding is what is tried")]
#[in_messages(discriminate = by_the_first_byte)]
enum Looked {
    Scan(Scan),
    Note(Note),
}

fn by_the_first_byte(message: &impl IncomingMessage) -> Option<LookedKind> {
    match message.payload().first()? {
        b'{' => Some(LookedKind::Scan),
        0..=0x7f => Some(LookedKind::Note),
        _ => None,
    }
}

thread_local! {
    /// The variant that a handler was handed last.
    static HANDED: RefCell<Option<&'static str>> = const { RefCell::new(None) };
    static SERVICE: Service = Service::start();
}

fn hand(variant: &'static str) {
    let before = HANDED.replace(Some(variant));
    assert_eq!(before, None, "one handler for one delivery");
}

#[subscriber("tried")]
async fn tried(message: &Tried) {
    hand(match message {
        Tried::Scan(_) => "scan",
        Tried::Down(_) => "down",
        Tried::Note(_) => "note",
    });
}

#[subscriber("headed")]
async fn headed(message: &Headed) {
    hand(match message {
        Headed::Scan(_) => "scan",
        Headed::Down(_) => "down",
        Headed::Note(_) => "note",
    });
}

#[subscriber("looked")]
async fn looked(message: &Looked) {
    hand(match message {
        Looked::Scan(_) => "scan",
        Looked::Note(_) => "note",
    });
}

/// Tells of each delivery how it ends, and who had it.
#[derive(Clone)]
struct Tell(UnboundedSender<(HandlerOutcome, Option<&'static str>)>);

struct Telling<H>(Tell, H);

impl<M, C, S, H> Handler<M, C, S> for Telling<H>
where
    M: Sync,
    C: Send,
    S: Send + Sync,
    H: Handler<M, C, S>,
{
    async fn handle(&self, message: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        let outcome = self.1.handle(message, ctx).await;
        let told = if outcome.is_ack() { HandlerOutcome::ack() } else { HandlerOutcome::drop() };
        assert!(outcome.is_ack() || outcome.is_drop());
        let _ = self.0.0.send((told, HANDED.take()));
        outcome
    }
}

impl BlanketLayer for Tell {
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        Telling(self.clone(), handler)
    }
}

/// A service on this thread, which lives as long as the fuzzer does.
struct Service {
    runtime: Runtime,
    publisher: MemoryPublisher,
    told: RefCell<UnboundedReceiver<(HandlerOutcome, Option<&'static str>)>>,
    _running: RunningApp,
}

impl Service {
    fn start() -> Self {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let bus = MemoryBroker::new();
        let publisher = bus.publisher();
        let (tell, told) = mpsc::unbounded_channel();
        let app = RustStream::new(AppInfo::new("fuzzed", "0.0.0"))
            .layer(Tell(tell))
            .with_broker(bus, |b| {
                b.include(tried);
                b.include(headed);
                b.include(looked);
            });
        let running = runtime.block_on(app.start()).expect("starts");
        Self {
            runtime,
            publisher,
            told: RefCell::new(told),
            _running: running,
        }
    }

    /// The variant that a message is handed on as; nothing where it is dropped.
    fn takes(&self, name: &str, payload: &[u8], headers: &HeaderMap) -> Option<&'static str> {
        self.runtime.block_on(async {
            let message = OutgoingMessage::new(name, payload).with_headers(headers.clone());
            self.publisher.publish(message, None).await.expect("publishes");
            let (outcome, variant) = self.told.borrow_mut().recv().await.expect("it is settled");
            assert_eq!(outcome.is_ack(), variant.is_some());
            variant
        })
    }
}

fuzz_target!(|input: (&[u8], Vec<(&str, &[u8])>, Option<&[u8]>)| {
    let (payload, others, kind) = input;
    let mut headers: HeaderMap = others
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_vec()))
        .collect();
    if let Some(kind) = kind {
        headers.insert("kind", kind.to_vec());
    }
    let scan = || serde_json::from_slice::<Scan>(payload).ok().map(|_| "scan");
    let down = || serde_json::from_slice::<Down>(payload).ok().map(|_| "down");
    let note = || str::from_utf8(payload).ok().map(|_| "note");

    SERVICE.with(|service| {
        let expected = scan().or_else(down).or_else(note);
        assert_eq!(service.takes("tried", payload, &headers), expected);

        let expected = match headers.get("kind") {
            Some(b"scan") => scan(),
            Some(b"down") => down(),
            Some(b"") => note(),
            _ => None,
        };
        assert_eq!(service.takes("headed", payload, &headers), expected);

        let expected = match payload.first() {
            Some(b'{') => scan(),
            Some(0..=0x7f) => note(),
            _ => None,
        };
        assert_eq!(service.takes("looked", payload, &headers), expected);
    });
});
