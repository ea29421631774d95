//! A service that uses everything a document can say; `scripts/asyncapi-check` validates what it
//! prints: `cargo run -p ruststream-asyncapi --example everything -- asyncapi gen`, and with `page`
//! in place of the command the page that shows it.

use std::collections::BTreeMap;
use std::env;
use std::future::{Future, ready};
use std::io::{self, Write as _};
use std::process::ExitCode;

use ruststream::asyncapi::{Binding, BindingError, Bindings, build_spec, render_static_html};
use ruststream::codec::CborCodec;
use ruststream::memory::prelude::*;
use ruststream::memory::{ConnectedMemoryBroker, MemoryPublisher};
use ruststream::runtime::cli::run_main;
use ruststream::runtime::{Message, Outgoing, PublishContext};
use ruststream::schemars::JsonSchema;
use ruststream::{
    ApiKeyLocation, Contact, ExternalDocs, HttpApiKeyLocation, License, MessageInfo, PairError,
    SecurityScheme, ServerSpec, Tag,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The headers of whatever travels here.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Trace {
    /// Whose parcel it is.
    tenant: String,
    level: Level,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Level(u8);

/// Values that some reader of YAML takes for booleans, numbers and dates.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "no")]
enum Traps {
    #[serde(rename = "no")]
    No,
    #[serde(rename = "1.10")]
    Version,
    #[serde(rename = "0x1F")]
    Hex,
    #[serde(rename = "12:30")]
    Time,
    #[serde(rename = "~")]
    Tilde,
    #[serde(rename = "2001-12-14")]
    Date,
    #[serde(rename = "<<")]
    Merge,
    #[serde(rename = "a: b #c")]
    Comment,
    #[serde(rename = "Größe / 日本 😀")]
    Letters,
}

/// One line of a label.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Line {
    /// What is printed: </script><script>alert("line")</script>
    text: String,
    next: Option<Box<Line>>,
}

mod other {
    use super::{Deserialize, JsonSchema, Serialize};

    /// Another line, of a parcel.
    #[derive(Serialize, Deserialize, JsonSchema)]
    pub(super) struct Line {
        of: Option<super::Line>,
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Page<T> {
    items: Vec<T>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "unit")]
enum Tagged {
    Millimetres { value: u16 },
    Lines(other::Line),
    Unknown,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Line(Line),
}

/// A tree of parcels, with a name that needs every escape.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "a/b ~c% é")]
struct Odd {
    #[serde(rename = "~")]
    tilde: bool,
    #[serde(rename = "a/b")]
    slashed: Option<f64>,
    kids: Vec<Odd>,
}

/// A label, with every schema that is hard to write.
///
/// <script>alert("label")</script>
#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "labels/{site}/{shelf_no}", headers = Trace)]
struct Label {
    lines: Page<Line>,
    others: Page<other::Line>,
    odd: BTreeMap<String, Odd>,
    tagged: Tagged,
    untagged: Untagged,
    traps: Traps,
    #[serde(flatten)]
    flat: Level2,
    #[schemars(range(min = 0.0, max = 1e22))]
    ratio: f64,
    big: u64,
    nothing: (),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Level2 {
    level: Option<Level>,
    #[serde(default)]
    count: Option<i64>,
}

/// A receipt.
#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "receipts")]
struct Receipt {
    total: u64,
}

/// An answer, wherever it was asked for.
#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
struct Quote {
    total: u64,
}

#[derive(Serialized, Outgoing)]
#[outgoing(name = "frames")]
struct Frame(Vec<u8>);

/// Reads bytes as they are.
#[derive(Deserialized)]
struct View<'a>(&'a [u8]);

/// A parcel came.
#[derive(Serialize, Deserialize, JsonSchema, MessageInfo)]
#[message(headers(Trace))]
struct Came {
    id: u8,
}

/// A parcel left.
#[derive(Serialize, Deserialize, JsonSchema, MessageInfo)]
struct Left {
    id: u8,
}

#[derive(InMessages)]
#[in_messages(header = "kind")]
enum Event {
    #[in_messages(value = "came")]
    Came(Came),
    #[in_messages(value = "left")]
    Left(Left),
}

#[derive(OutSlot)]
#[publishes(Label, Frame)]
struct Labels;

#[derive(OutSlot)]
#[publishes(Receipt)]
struct Receipts;

/// Prints labels for a parcel.
///
/// On paper: one line each; "quoted", with a colon.
#[subscriber("a/b ~c% é")]
async fn print(
    odd: &Odd,
    Out(labels): Out<impl Publisher, Labels>,
    Out(receipts): Out<impl Publisher, Receipts>,
) {
    let _ = (odd.tilde, odd.slashed, odd.kids.len());
    let _ = labels.message(&Frame(Vec::new())).publish().await;
    let _ = receipts.message(&Receipt { total: 1 }).publish().await;
}

/// Quotes a price.
#[subscriber("asks", reply("quotes"))]
async fn quote(total: &u64) -> Quote {
    Quote { total: *total }
}

#[subscriber("asks", reply)]
async fn pay(total: &u64, Headers(trace): Headers<Trace>) -> Receipt {
    Receipt {
        total: total + u64::from(trace.level.0) + trace.tenant.len() as u64,
    }
}

#[subscriber("pairs", reply("pairs.done"))]
async fn pair(message: &Message<Trace, u64>) -> Message<Trace, Quote> {
    let _ = message;
    Message::new(
        Trace {
            tenant: String::new(),
            level: Level(0),
        },
        Quote { total: 0 },
    )
}

/// Follows parcels.
#[subscriber("events")]
async fn follow(event: &Event) {
    match event {
        Event::Came(Came { id }) | Event::Left(Left { id }) => {
            let _ = id;
        }
    }
}

#[subscriber("raw")]
async fn view(view: &View<'_>) {
    let _ = view.0.len();
}

struct ToAsker;

impl<C> PublishTransform<ForReply<C>> for ToAsker {
    type Destination = Names;

    fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<()>, cx: &PublishContext<'_, C>) {
        if let Some(address) = cx.headers().reply_to() {
            out.set_name(address.to_owned());
        }
    }
}

/// A policy as a broker crate ships it.
#[derive(Clone, Copy, Default)]
struct Telling;

impl PublishPolicy<ConnectedMemoryBroker> for Telling {
    type Live = MemoryPublisher;

    fn pair(
        self,
        connected: &ConnectedMemoryBroker,
    ) -> impl Future<Output = Result<MemoryPublisher, PairError>> {
        ready(Ok(connected.publisher()))
    }

    fn channel_bindings(&self, channel: &str) -> Bindings {
        let queue = json!({ "is": "queue", "queue": { "name": channel, "durable": true } });
        bindings(Binding::new("amqp", "0.3.0", &queue))
    }

    fn operation_bindings(&self, _channel: &str) -> Bindings {
        bindings(Binding::new("amqp", "0.3.0", &json!({ "deliveryMode": 2 })))
    }

    fn message_bindings(&self, _channel: &str) -> Bindings {
        bindings(Binding::new(
            "amqp",
            "0.3.0",
            &json!({ "messageType": "label" }),
        ))
    }

    fn reply_address_location(&self) -> Option<&'static str> {
        Some("$message.header#/reply-to")
    }
}

fn bindings(binding: Result<Binding, BindingError>) -> Bindings {
    binding
        .map(|binding| Bindings::new().with(binding))
        .unwrap_or_default()
}

fn info() -> AppInfo {
    AppInfo::new("Everything: no", "1.10")
        .description("Says everything.\n\n- one\n- two: #three\n")
        .terms_of_service("https://example.org/terms")
        .contact(
            Contact::new()
                .name("Depots")
                .url("https://example.org")
                .email("d@example.org"),
        )
        .license(License::new("Apache-2.0").url("https://www.apache.org/licenses/LICENSE-2.0"))
        .tag(Tag::new("parcels").description("All of them"))
        .tag(Tag::new("depots").external_docs(ExternalDocs::new("https://example.org/depots")))
        .external_docs(ExternalDocs::new("https://example.org/docs").description("The guide"))
}

fn prod() -> ServerSpec {
    let extension = Binding::extension("x-depot", &json!({ "shards": 3 }));
    ServerSpec::from_url("amqp://svc:secret@mq:5672/prod", "amqp")
        .protocol_version("0.9.1")
        .description("Where it runs")
        .security(SecurityScheme::user_password().description("One per depot"))
        .security(SecurityScheme::api_key(ApiKeyLocation::User))
        .security(SecurityScheme::x509())
        .security(SecurityScheme::plain())
        .security(SecurityScheme::scram_sha256())
        .security(SecurityScheme::scram_sha512())
        .security(SecurityScheme::gssapi())
        .security(SecurityScheme::http("bearer"))
        .security(SecurityScheme::http_api_key(
            "x-api-key",
            HttpApiKeyLocation::Header,
        ))
        .security(SecurityScheme::open_id_connect(
            "https://id.example.org/.well-known",
        ))
        .security(SecurityScheme::oauth2(json!({
            "clientCredentials": {
                "tokenUrl": "https://id.example.org/token",
                "availableScopes": { "read": "Reads" },
            },
        })))
        .bindings(bindings(extension))
}

fn main() -> ExitCode {
    if env::args().nth(1).as_deref() != Some("page") {
        return run_main(everything);
    }
    let page = render_static_html(&build_spec(&everything()));
    match write!(io::stdout(), "{page}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn everything() -> impl App {
    let info = info();
    let info = match "urn:example:everything".parse() {
        Ok(id) => info.id(id),
        Err(_) => info,
    };
    RustStream::new(info)
        .server("prod", prod())
        .server("eu.north 1", ServerSpec::new("n1:4222,n2:4222", "nats"))
        .with_broker_labeled("prod", MemoryBroker::new(), |b| {
            b.include(print)
                .out(Labels, Telling)
                .out(Receipts, Publish)
                .codec(CborCodec)
                .max_attempts(nonzero!(5))
                .dead_letter("dead/letters")
                .out_retry(Telling)
                .to("later")
                .build();
            b.include(quote).out_reply(Telling).transform(ToAsker);
            b.include(pay);
            b.include(pair);
        })
        .with_broker_labeled_codec("eu.north 1", MemoryBroker::new(), CborCodec, |b| {
            b.include(follow).dead_letter("events.dead");
            b.include(view);
        })
}
