//! Sets of messages on one subscription, and every way to tell which one came.

use ruststream::MessageInfo;
use ruststream::codec::{Codec, CodecError};
use ruststream::prelude::*;
use ruststream::runtime::{BrokerScope, Identity};
use serde::{Deserialize, Serialize};

use crate::support::{Journal, Letter, Logs, Publish, Transport, Yard, lines, service_with};

type Scope = BrokerScope<Yard, Identity, (), Journal>;

#[derive(Debug, Deserialize, MessageInfo)]
struct Parcel {
    parcel: u32,
}

#[derive(Debug, Deserialize, MessageInfo)]
struct Letters {
    letters: u32,
}

/// Its bytes are no JSON.
#[derive(Debug, Deserialized, MessageInfo)]
#[wire(decode = telegram)]
struct Telegram(String);

fn telegram(payload: &[u8]) -> Result<Telegram, std::io::Error> {
    let text = String::from_utf8_lossy(payload).into_owned();
    match text.strip_prefix("stop ") {
        Some(text) => Ok(Telegram(text.into())),
        None => Err(std::io::Error::other("no telegram")),
    }
}

#[derive(Debug, InMessages)]
enum Tried {
    Parcel(Parcel),
    Letters(Letters),
    Telegram(Telegram),
}

#[derive(Debug, InMessages)]
#[in_messages(header = "kind")]
enum Labelled {
    #[in_messages(value = "parcel")]
    Parcel(Parcel),
    #[in_messages(value = "letters")]
    Letters(Letters),
    #[in_messages(value = "telegram")]
    Telegram(Telegram),
}

#[derive(Debug, InMessages)]
#[in_messages(discriminate = by_the_first_byte)]
enum Looked {
    Parcel(Parcel),
    Letters(Letters),
    Telegram(Telegram),
}

fn by_the_first_byte(message: &impl IncomingMessage) -> Option<LookedKind> {
    match message.payload() {
        [b'{', b'"', b'p', ..] => Some(LookedKind::Parcel),
        [b'{', b'"', b'l', ..] => Some(LookedKind::Letters),
        [b's', ..] => Some(LookedKind::Telegram),
        _ => None,
    }
}

#[derive(Debug, InMessages)]
#[in_messages(discriminate_with_codec = Keys)]
enum Peeked {
    Parcel(Parcel),
    Letters(Letters),
    Telegram(Telegram),
}

struct Keys;

#[derive(Deserialize)]
struct Either {
    parcel: Option<u32>,
    letters: Option<u32>,
}

impl<C: Codec> CodecDiscriminator<PeekedKind, C> for Keys {
    fn kind<M: IncomingMessage>(codec: &C, message: &M) -> Option<PeekedKind> {
        match codec.decode(message.payload()) {
            Ok(Either {
                parcel: Some(_), ..
            }) => Some(PeekedKind::Parcel),
            Ok(Either {
                letters: Some(_), ..
            }) => Some(PeekedKind::Letters),
            Ok(_) => None,
            Err(_) => Some(PeekedKind::Telegram),
        }
    }
}

/// Written without the derive.
#[derive(Debug)]
enum ByHand {
    Parcel(Parcel),
    Letters(Letters),
    Telegram(Telegram),
}

impl Input for ByHand {
    type Axis = SoloSet<Self>;
}

impl InMessages for ByHand {
    type Kind = &'static str;

    fn decode<DecodeCodec: Codec, M: IncomingMessage>(
        codec: &DecodeCodec,
        message: &M,
    ) -> Result<Self, CodecError> {
        let payload = message.payload();
        match message.headers().get_str("kind") {
            Some("parcel") => codec.decode(payload).map(Self::Parcel),
            Some("letters") => codec.decode(payload).map(Self::Letters),
            Some("telegram") => telegram(payload)
                .map(Self::Telegram)
                .map_err(|error| CodecError::Decode(error.into())),
            _ => Err(CodecError::Decode("no kind of ours".into())),
        }
    }

    fn incoming() -> Vec<IncomingMessageMetadata> {
        vec![IncomingMessageMetadata::new("by hand")]
    }
}

macro_rules! sets {
    ($($single:ident $batch:ident over $set:ident;)+) => {$(
        impl std::fmt::Display for $set {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    Self::Parcel(Parcel { parcel }) => write!(f, "parcel {parcel}"),
                    Self::Letters(Letters { letters }) => write!(f, "letters {letters}"),
                    Self::Telegram(Telegram(text)) => write!(f, "telegram {text}"),
                }
            }
        }

        #[subscriber("goods")]
        async fn $single(goods: &$set, ctx: &mut Context<'_, (), Journal>) {
            ctx.state().note(format!("got {goods}"));
        }

        #[subscriber("goods")]
        async fn $batch(goods: &[$set], ctx: &mut Context<'_, (), Journal>) {
            for goods in goods {
                ctx.state().note(format!("got {goods}"));
            }
        }
    )+};
}

sets! {
    tried tried_batch over Tried;
    labelled labelled_batch over Labelled;
    looked looked_batch over Looked;
    peeked peeked_batch over Peeked;
    by_hand by_hand_batch over ByHand;
}

const ALL: [(&str, fn(&mut Scope)); 10] = [
    ("tried", |b| drop(b.include(tried))),
    ("labelled", |b| drop(b.include(labelled))),
    ("looked", |b| drop(b.include(looked))),
    ("peeked", |b| drop(b.include(peeked))),
    ("by hand", |b| drop(b.include(by_hand))),
    ("tried in batches", |b| {
        drop(b.include(tried_batch.batch(nonzero!(8))));
    }),
    ("labelled in batches", |b| {
        drop(b.include(labelled_batch.batch(nonzero!(8))));
    }),
    ("looked at in batches", |b| {
        drop(b.include(looked_batch.batch(nonzero!(8))));
    }),
    ("peeked into in batches", |b| {
        drop(b.include(peeked_batch.batch(nonzero!(8))));
    }),
    ("by hand in batches", |b| {
        drop(b.include(by_hand_batch.batch(nonzero!(8))));
    }),
];

fn parcel() -> Letter {
    Letter::new(r#"{"parcel":1}"#).with("kind", "parcel")
}

fn letters() -> Letter {
    Letter::new(r#"{"letters":2}"#).with("kind", "letters")
}

fn message() -> Letter {
    Letter::new("stop come home").with("kind", "telegram")
}

/// What a service with that mount noted about the goods, until so many were acked or dropped.
async fn noted(goods: Vec<Letter>, mount: fn(&mut Scope)) -> Vec<String> {
    let yard = Yard::new(Transport::PLAIN);
    let count = goods.len();
    for letter in goods {
        yard.send("goods", letter);
    }
    let app = service_with(yard.journal().clone()).with_broker(yard.clone(), mount);
    let running = app.start().await.expect("starts");
    let settled = |line: &&String| line.starts_with("ack") || line.starts_with("drop");
    yard.journal()
        .until(|lines| lines.iter().filter(settled).count() == count)
        .await;
    running.shutdown().await.expect("stops");
    let mut told = yard.journal().take();
    told.retain(|line| line.starts_with("got") || line.starts_with("drop"));
    told
}

// RUN-410, RUN-411, RUN-412, RUN-414, RUN-417
#[tokio::test]
async fn every_way_to_choose_finds_the_message_that_came_alone_and_in_batches() {
    for (set, mount) in ALL {
        let told = noted(vec![parcel(), message(), letters(), parcel()], mount).await;

        let expected = [
            "got parcel 1",
            "got telegram come home",
            "got letters 2",
            "got parcel 1",
        ];
        assert_eq!(lines(&told), expected, "{set}");
    }
}

// RUN-302, RUN-411, RUN-413, RUN-417
#[tokio::test]
async fn a_message_that_is_none_of_the_set_fails_to_decode_by_itself() {
    let mut wrong = message();
    wrong.payload = br#"{"neither":3}"#.into();
    for (set, mount) in ALL {
        let told = noted(vec![parcel(), wrong.clone(), letters()], mount).await;

        let dropped = r#"drop {"neither":3}"#;
        let mut sorted = told.clone();
        sorted.sort();
        assert_eq!(
            lines(&sorted),
            [dropped, "got letters 2", "got parcel 1"],
            "{set}: {told:?}"
        );
    }
}

// RUN-413, RUN-415
#[tokio::test]
async fn the_failure_says_what_was_tried_or_what_is_missing() {
    /// A parcel by its looks and its header, and none in fact.
    fn false_parcel() -> Letter {
        Letter::new(r#"{"parcel":"none"}"#).with("kind", "parcel")
    }
    let texts: [(Letter, fn(&mut Scope), &[&str]); 7] = [
        (
            Letter::new("torn"),
            ALL[0].1,
            &[
                "no variant of the message set `Tried` decodes the delivery: `Parcel`: ",
                "; `Letters`: ",
                "; `Telegram`: ",
            ],
        ),
        (
            Letter::new("torn"),
            ALL[1].1,
            &[
                "the message set `Labelled` reads its variant from the `kind` header, and the delivery carries no `kind` header",
            ],
        ),
        (
            Letter::new("torn").with("kind", b"Parcel\xff"),
            ALL[1].1,
            &[
                "the `kind` header is `Parcel\u{fffd}`, which names no variant of the message set \
                 `Labelled` (the values are `parcel`, `letters`, `telegram`)",
            ],
        ),
        (
            Letter::new("torn"),
            ALL[2].1,
            &["the discriminator of the message set `Looked` chose no variant for the delivery"],
        ),
        (
            Letter::new("{}"),
            ALL[3].1,
            &["the message set `Peeked` chose no variant"],
        ),
        // What is chosen and does not decode is a failure, and nothing else is tried.
        (
            false_parcel(),
            ALL[1].1,
            &["invalid type: string, expected u32"],
        ),
        (
            false_parcel(),
            ALL[2].1,
            &["invalid type: string, expected u32"],
        ),
    ];
    for (letter, mount, parts) in texts {
        let logs = Logs::start();
        noted(vec![letter], mount).await;

        let line = logs.line("codec decode failed");
        assert!(line.contains("error=decode failed: "), "{line}");
        for part in parts {
            assert!(line.contains(part), "{line}");
        }
        assert!(!line.contains("; `Letters`") || parts.len() == 3, "{line}");
    }
}

#[derive(Serialize, Outgoing)]
struct Receipt {
    kind: &'static str,
}

#[subscriber("goods", reply("receipts"))]
async fn receipts(
    goods: &Looked,
    Out(out): Out<impl Publisher>,
) -> Result<Receipt, HandlerOutcome> {
    let kind = match goods {
        Looked::Parcel(_) => "parcel",
        Looked::Letters(_) => "letters",
        Looked::Telegram(_) => return Err(HandlerOutcome::drop()),
    };
    let sent = out.message(&kind.to_owned()).to("ledger").publish().await;
    sent.map_err(|_| HandlerOutcome::retry())?;
    Ok(Receipt { kind })
}

// RUN-417, RUN-200
#[tokio::test]
async fn a_set_goes_with_replies_and_slots() {
    let yard = Yard::new(Transport::PLAIN);
    for letter in [parcel(), message(), letters()] {
        yard.send("goods", letter);
    }
    let app = service_with(yard.journal().clone()).with_broker(yard.clone(), |b| {
        b.include(receipts)
            .out(DefaultSlot, Publish::default())
            .build();
    });
    let running = app.start().await.expect("starts");

    yard.journal().until_line(r#"ack {"letters":2}"#).await;

    running.shutdown().await.expect("stops");
    assert_eq!(yard.journal().beginning("drop"), ["drop stop come home"]);
    let published = [
        r#"publish ledger "parcel""#,
        r#"publish receipts {"kind":"parcel"}"#,
        r#"publish ledger "letters""#,
        r#"publish receipts {"kind":"letters"}"#,
    ];
    assert_eq!(yard.journal().beginning("publish"), published);
}

// RUN-416, RUN-464
#[test]
fn a_set_describes_its_messages_without_a_broker() {
    let yard = Yard::new(Transport::PLAIN);
    let app = service_with(yard.journal().clone()).with_broker(yard, |b| {
        b.include(labelled);
        b.include(by_hand);
    });

    let [derived, written] = app.handlers() else {
        panic!("two are mounted");
    };
    let told: Vec<_> = derived
        .incoming
        .iter()
        .map(|entry| {
            let chosen = entry.discriminator.as_ref().expect("by the header");
            (
                entry.message_name,
                entry.deserialized,
                entry.content_type,
                chosen.header,
                chosen.value,
            )
        })
        .collect();
    let json = Some("application/json");
    let expected = [
        (Some("Parcel"), false, json, "kind", "parcel"),
        (Some("Letters"), false, json, "kind", "letters"),
        (Some("Telegram"), true, None, "kind", "telegram"),
    ];
    assert_eq!(told, expected);
    assert_eq!(written.incoming[0].message_type, "by hand");
}
