//! Replies: how one is put together, and what goes into none.

use std::convert::Infallible;

use ruststream::prelude::*;
use ruststream::runtime::{
    BrokerScope, Outgoing, PublishContext, PublishLayer, PublishNext, PublishPipeline,
};
use ruststream::{Lend, OutgoingMessage, PairError};
use serde::Serialize;

use crate::support::{
    Backwards, Clerk, ConnectedYard, Letter, Publish, Refused, Transport, Yard, lines, serve,
    service,
};

/// How urgent a message is. Of options nothing is asked but that they can be cloned.
#[derive(Clone)]
struct Urgency(u8);

/// Pairs with a clerk that can be told how urgent a message is.
struct Express(Publish);

struct Courier(Clerk);

impl PublishPolicy<ConnectedYard> for Express {
    type Live = Courier;

    async fn pair(self, connected: &ConnectedYard) -> Result<Courier, PairError> {
        self.0.pair(connected).await.map(Courier)
    }
}

impl Publisher for Courier {
    type Payload = Lend;
    type Error = Refused;
    type Options = Urgency;

    async fn publish(
        &self,
        message: OutgoingMessage<'_, &[u8]>,
        options: Option<&Urgency>,
    ) -> Result<(), Refused> {
        let mut headers = message.headers().clone();
        pass(&mut headers, "broker");
        let urgency = options.map_or("none".to_owned(), |urgency| urgency.0.to_string());
        headers.insert("urgency", urgency);
        self.0.publish(message.with_headers(headers), None).await
    }

    fn base_headers(&self) -> Option<&HeaderMap> {
        self.0.base_headers()
    }
}

/// Writes down who had the message.
fn pass(headers: &mut HeaderMap, who: &str) {
    let trail = headers.get_str("trail").unwrap_or("nobody").to_owned();
    headers.insert("trail", format!("{trail} {who}"));
}

/// Changes all that a transform may.
struct Envelope;

impl<C> PublishTransform<ForReply<C>, Urgency> for Envelope {
    type Destination = Names;

    fn apply(
        &self,
        out: &mut Outgoing<'_>,
        options: &mut Option<Urgency>,
        _: &PublishContext<'_, C>,
    ) {
        assert!(
            options.is_none(),
            "no call site sets the options of a reply"
        );
        *options = Some(Urgency(3));
        let name = format!("{}.express", out.name());
        out.set_name(name);
        out.payload_mut().extend_from_slice(b"!");
        pass(out.headers_mut(), "transform");
    }
}

#[derive(Clone)]
struct Counter;

impl PublishLayer for Counter {
    async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
        &'a self,
        out: &'a mut Outgoing<'a>,
        next: PublishNext<'a, N, P>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        assert_eq!(
            (out.name(), out.payload()),
            ("labels.express", &b"701!"[..])
        );
        pass(out.headers_mut(), "layer");
        next.run(out).await
    }
}

#[derive(Serialize)]
struct Meta {
    trail: &'static str,
    gate: u32,
}

#[derive(Serialize, Outgoing)]
struct Label(u32);

#[subscriber("parcels", reply("labels"))]
async fn with_headers(id: &u32, ctx: &mut Context<'_>) -> Message<Meta, Label> {
    ctx.headers_mut().insert("seen", "by the body");
    let meta = Meta {
        trail: "contract",
        gate: 4,
    };
    Message::new(meta, Label(id + 100))
}

// PUB-124, PUB-126, PUB-230, PUB-233, PUB-312, PUB-601
#[tokio::test]
async fn a_reply_takes_headers_from_its_own_side_alone_layer_by_layer() {
    let yard = Yard::new(Transport::PLAIN);
    let delivered = Letter::new(7)
        .with("tenant", "north")
        .with("correlation-id", "c1")
        .with("reply-to", "elsewhere")
        .with("content-type", "application/json")
        .with("message-id", "m1");
    yard.send("parcels", delivered);
    let base = Publish::default()
        .base("trail", "base")
        .base("via", "depot");
    let app = service()
        .publish_layer(Counter)
        .with_broker(yard.clone(), |b| {
            b.include(with_headers)
                .out_reply(Express(base))
                .codec(Backwards)
                .transform(Envelope);
        });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("ack 7").await;
    running.shutdown().await.expect("stops");

    let [reply] = &yard.waiting("labels.express")[..] else {
        panic!("{:?}", yard.journal().read());
    };
    assert_eq!(reply.text(), "701!");
    let expected = [
        ("trail", "contract transform layer broker"),
        ("via", "depot"),
        ("gate", "4"),
        ("urgency", "3"),
    ];
    assert_eq!(reply.headers, HeaderMap::from_iter(expected));
}

// PUB-314
#[tokio::test]
async fn the_header_contract_of_a_reply_type_is_no_part_of_its_reply() {
    #[derive(Serialize, Outgoing)]
    #[outgoing(name = "stickers", headers = Meta)]
    struct Sticker(u32);
    #[subscriber("parcels", reply)]
    async fn sticks(id: &u32) -> Sticker {
        Sticker(*id)
    }
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));

    let served = serve(&yard, 1, "ack 7", |b| drop(b.include(sticks))).await;

    assert_eq!(lines(&served.dealings), ["publish stickers 7", "ack 7"]);
}

#[subscriber("parcels", reply("labels"))]
async fn copies_and_replies(
    id: &u32,
    Out(copies): Out<impl Publisher>,
) -> Result<Label, HandlerOutcome> {
    let sent = copies.message(&Label(*id)).to("copies").publish().await;
    sent.map_err(|_| HandlerOutcome::drop())?;
    Ok(Label(id + 100))
}

// PUB-316
#[tokio::test]
async fn a_reply_and_a_slot_have_wirings_of_their_own_bound_in_any_order() {
    let slot = || Publish::default().base("by", "slot");
    let reply = || Publish::default().base("by", "reply");
    let mounts: [&dyn Fn(&mut BrokerScope<Yard>); 2] = [
        &|b| {
            b.include(copies_and_replies)
                .out(DefaultSlot, slot())
                .codec(Backwards)
                .out_reply(reply())
                .build();
        },
        &|b| {
            b.include(copies_and_replies)
                .out_reply(reply())
                .out(DefaultSlot, slot())
                .codec(Backwards)
                .build();
        },
    ];
    for mount in mounts {
        let yard = Yard::new(Transport::PLAIN);
        yard.send("parcels", Letter::new(12));

        let served = serve(&yard, 1, "ack 12", mount).await;

        let expected = [
            "publish copies 21 by=slot",
            "publish labels 112 by=reply",
            "ack 12",
        ];
        assert_eq!(lines(&served.dealings), expected);
    }
}

#[subscriber("parcels", reply("labels"))]
async fn in_turn(id: &u32) -> Label {
    tokio::task::yield_now().await;
    Label(*id)
}

// PUB-317
#[tokio::test]
async fn each_delivery_has_one_reply_whichever_worker_handles_it() {
    let forms: [fn(&mut BrokerScope<Yard>); 3] = [
        |b| drop(b.include(in_turn.workers(nonzero!(4)))),
        |b| drop(b.include(in_turn.workers_by_key(nonzero!(4)))),
        |b| drop(b.include(in_turn.threads(nonzero!(2)))),
    ];
    for mount in forms {
        let yard = Yard::new(Transport::PLAIN);
        yard.send_all("parcels", 0..50);

        serve(&yard, 50, "ack", mount).await;

        let replies = yard.waiting("labels");
        let mut replied: Vec<u32> = replies
            .iter()
            .map(|reply| reply.text().parse().expect("a number"))
            .collect();
        replied.sort_unstable();
        assert_eq!(replied, (0..50).collect::<Vec<_>>());
    }
}

/// Bytes, declared without a derive.
struct Frame(Vec<u8>);

impl Serialized for Frame {
    type Error = Infallible;

    fn wire_bytes(&self, _: &mut BytesMut) -> Result<WireBytes<'_>, Infallible> {
        Ok(WireBytes::Own(&self.0))
    }
}

impl MessageWire for Frame {
    type Wire = SerializedWire;
}

impl ReplyShape for Frame {
    type Body = Self;
    type Headers = ();
    type Wire = SerializedReply;
}

impl OutgoingDestination for Frame {
    type Form = CallerName;
}

impl MessageHeaders for Frame {
    type Contract = NoHeaders;
}

#[subscriber("parcels", reply("frames"))]
async fn frames(id: &u32, Out(copies): Out<impl Publisher>) -> Result<Frame, HandlerOutcome> {
    let frame = Frame(format!("frame {id}").into_bytes());
    let sent = copies.message(&frame).to("copies").publish().await;
    sent.map_err(|_| HandlerOutcome::drop())?;
    Ok(frame)
}

// PUB-130, PUB-144
#[tokio::test]
async fn a_message_that_writes_itself_by_hand_leaves_byte_for_byte_and_replies() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));

    let served = serve(&yard, 1, "ack 7", |b| {
        b.include(frames)
            .out(DefaultSlot, Publish::default())
            .build();
    })
    .await;

    let expected = ["publish copies frame 7", "publish frames frame 7", "ack 7"];
    assert_eq!(lines(&served.dealings), expected);
}
