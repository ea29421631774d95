// RUN-110, RUN-180, RUN-182, RUN-184: each form by hand, in a scope and on a router
#![allow(dead_code)]
use ruststream::memory::prelude::*;
use ruststream::runtime::Verdict;
use serde::{Deserialize, Serialize};
use support::{Camera, Frame};

#[path = "../../support.rs"]
mod support;

#[derive(Deserialize)]
struct Parcel;

#[derive(Deserialize)]
struct Meta;

#[derive(Deserialized)]
struct Raw<'a>(&'a [u8]);

#[derive(Serialize, Outgoing)]
struct Label;

#[derive(Serialized, Outgoing)]
#[outgoing(name = "frames")]
struct Bytes(Vec<u8>);

macro_rules! body {
    ($($body:ident over $input:ty, $reply:ty = $answer:expr;)+) => {$(
        #[derive(Clone, Copy)]
        struct $body;

        impl Handle<$input, $reply> for $body {
            async fn handle(
                &self,
                _input: &$input,
                _outs: &(),
                _ctx: &mut Context<'_>,
            ) -> Verdict<$input, $reply> {
                Ok($answer)
            }
        }
    )+};
}

macro_rules! body_with_slot {
    ($($body:ident over $input:ty, $reply:ty = $answer:expr;)+) => {$(
        #[derive(Clone, Copy)]
        struct $body;

        impl<L: OutEntry<DefaultSlot, Wire: Publisher>> Handle<$input, $reply, Outs<(L,)>> for $body {
            async fn handle(
                &self,
                _input: &$input,
                outs: &Outs<(L,)>,
                _ctx: &mut Context<'_>,
            ) -> Verdict<$input, $reply> {
                let _ = outs.get(DefaultSlot).message(&Label).to("audit");
                Ok($answer)
            }
        }
    )+};
}

body! {
    Subscribing over Parcel, () = ();
    Pair over Message<Meta, Parcel>, () = ();
    RawSubscribing over Raw<'_>, () = ();
    Publishing over Parcel, Label = Label;
    PublishingPair over Parcel, Message<Label, Label> = Message::new(Label, Label);
    RawReply over Raw<'_>, Bytes = Bytes(Vec::new());
    Batch over [Parcel], () = ();
    RawBatch over [Raw<'_>], () = ();
    CarriedBatch over [Frame], () = ();
    BatchPublishing over [Parcel], Vec<Label> = Vec::new();
}

body_with_slot! {
    WithSlot over Raw<'_>, () = ();
    PublishingOut over Parcel, Label = Label;
    RawReplyOut over Raw<'_>, Bytes = Bytes(Vec::new());
    BatchOut over [Raw<'_>], () = ();
    BatchPublishingOut over [Parcel], Vec<Label> = Vec::new();
}

// Not run: the types are what is tested, and none of this need be compiled to code.
fn mount() {
    let size = nonzero!(8);
    let routes = Router::new()
        .include(subscriber("parcels", Subscribing).build())
        .include(subscriber("parcels", Pair).build())
        .include(subscriber("parcels", RawSubscribing).build())
        .include(
            subscriber("parcels", Publishing)
                .reply()
                .to("labels")
                .build(),
        )
        .build()
        .include(subscriber("parcels", RawReply).reply().build())
        .build()
        .include(subscriber("parcels", Batch).batch(size).build())
        .include(subscriber("parcels", RawBatch).batch(size).build())
        .include(
            subscriber(Camera::new("frames"), CarriedBatch)
                .build()
                .batch(size),
        )
        .include(
            subscriber("parcels", BatchPublishing)
                .reply()
                .to("labels")
                .batch(size)
                .build(),
        )
        .build()
        .include(subscriber("parcels", WithSlot).build())
        .out(DefaultSlot, Publish)
        .build()
        .include(
            subscriber("parcels", PublishingOut)
                .reply()
                .to("labels")
                .build(),
        )
        .out(DefaultSlot, Publish)
        .build();
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
        b.include_router(routes);
        b.include(subscriber("parcels", Subscribing).build());
        b.include(subscriber("parcels", Pair).build());
        b.include(subscriber("parcels", RawSubscribing).build());
        b.include(
            subscriber("parcels", Publishing)
                .reply()
                .to("labels")
                .build(),
        );
        b.include(
            subscriber("parcels", PublishingPair)
                .reply()
                .to("labels")
                .build(),
        );
        b.include(subscriber("parcels", RawReply).reply().to("other").build());
        b.include(subscriber("parcels", Batch).build().batch(size));
        b.include(subscriber("parcels", RawBatch).batch(size).build());
        b.include(
            subscriber(Camera::new("frames"), CarriedBatch)
                .batch(size)
                .build(),
        );
        b.include(
            subscriber("parcels", BatchPublishing)
                .reply()
                .to("labels")
                .build()
                .batch(size),
        );
        b.include(subscriber("parcels", WithSlot).build())
            .out(DefaultSlot, Publish)
            .build();
        b.include(
            subscriber("parcels", PublishingOut)
                .reply()
                .to("labels")
                .build(),
        )
        .out(DefaultSlot, Publish)
        .build();
        b.include(subscriber("parcels", RawReplyOut).reply().build())
            .out(DefaultSlot, Publish)
            .build();
        b.include(subscriber("parcels", BatchOut).batch(size).build())
            .out(DefaultSlot, Publish)
            .build();
        b.include(
            subscriber("parcels", BatchPublishingOut)
                .batch(size)
                .reply()
                .to("labels")
                .build(),
        )
        .out(DefaultSlot, Publish)
        .build();
    });
}

fn main() {}
