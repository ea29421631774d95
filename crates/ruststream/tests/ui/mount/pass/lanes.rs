// RUN-190, RUN-200, RUN-434, PUB-511, CORE-220: each lane with each reply, with and without slots
#![allow(dead_code)]
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Verdict};
use serde::{Deserialize, Serialize};
use support::{Camera, Frame};

#[path = "../../support.rs"]
mod support;

#[derive(Deserialize, MessageInfo)]
struct Parcel;

#[derive(Deserialize)]
struct Meta;

#[derive(Deserialized)]
struct Raw<'a>(&'a [u8]);

#[derive(InMessages)]
enum Goods {
    Parcel(Parcel),
}

#[derive(Serialize, Outgoing)]
struct Label;

#[derive(Serialized, Outgoing)]
struct Bytes(Vec<u8>);

macro_rules! bodies {
    ($input:ty: $($body:ident / $with_slot:ident -> $reply:ty = $answer:expr;)+) => {$(
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

        struct $with_slot;

        impl<L> Handle<$input, $reply, Outs<(L,)>> for $with_slot
        where
            L: OutEntry<DefaultSlot, Wire: Publisher>,
        {
            async fn handle(
                &self,
                _input: &$input,
                outs: &Outs<(L,)>,
                _ctx: &mut Context<'_>,
            ) -> Verdict<$input, $reply> {
                let _ = outs.get(DefaultSlot).message(&Label).to("audit").publish().await;
                Ok($answer)
            }
        }
    )+};
}

macro_rules! lane {
    ($lane:ident: $input:ty, from $source:expr) => {
        fn $lane(b: &mut BrokerScope<MemoryBroker>) {
            bodies! {
                $input:
                Plain / PlainOut -> () = ();
                Encoded / EncodedOut -> Label = Label;
                Pair / PairOut -> Message<Label, Label> = Message::new(Label, Label);
                Own / OwnOut -> Bytes = Bytes(Vec::new());
            }
            b.include(subscriber($source, Plain).build());
            b.include(subscriber($source, Encoded).reply().to("labels").build());
            b.include(subscriber($source, Pair).reply().to("labels").build());
            b.include(subscriber($source, Own).reply().to("labels").build());
            b.include(subscriber($source, PlainOut).build())
                .out(DefaultSlot, Publish)
                .build();
            b.include(subscriber($source, EncodedOut).reply().to("labels").build())
                .out(DefaultSlot, Publish)
                .build();
            b.include(subscriber($source, PairOut).reply().to("labels").build())
                .out(DefaultSlot, Publish)
                .build();
            b.include(subscriber($source, OwnOut).reply().to("labels").build())
                .out(DefaultSlot, Publish)
                .build();
        }
    };
}

macro_rules! batch_lane {
    ($lane:ident: $input:ty) => {
        fn $lane(b: &mut BrokerScope<MemoryBroker>) {
            bodies! {
                $input:
                Plain / PlainOut -> () = ();
                Encoded / EncodedOut -> Vec<Label> = Vec::new();
            }
            let size = nonzero!(8);
            b.include(subscriber("parcels", Plain).batch(size).build());
            b.include(
                subscriber("parcels", Encoded)
                    .batch(size)
                    .reply()
                    .to("labels")
                    .build(),
            );
            b.include(subscriber("parcels", PlainOut).batch(size).build())
                .out(DefaultSlot, Publish)
                .build();
            b.include(
                subscriber("parcels", EncodedOut)
                    .batch(size)
                    .reply()
                    .to("labels")
                    .build(),
            )
            .out(DefaultSlot, Publish)
            .build();
        }
    };
}

lane! { decoded: Parcel, from "parcels" }
lane! { pair: Message<Meta, Parcel>, from "parcels" }
lane! { raw: Raw<'_>, from "parcels" }
lane! { set: Goods, from "parcels" }
lane! { carried: Frame, from Camera::new("frames") }
batch_lane! { decoded_batch: [Parcel] }
batch_lane! { pair_batch: [Message<Meta, Parcel>] }
batch_lane! { raw_batch: [Raw<'_>] }
batch_lane! { set_batch: [Goods] }

#[subscriber(Camera::new("frames"))]
async fn carried_batch(_frames: &[Frame]) {}

// Not run: the types are what is tested, and none of this need be compiled to code.
fn mount(b: &mut BrokerScope<MemoryBroker>) {
    decoded(b);
    pair(b);
    raw(b);
    set(b);
    carried(b);
    decoded_batch(b);
    pair_batch(b);
    raw_batch(b);
    set_batch(b);
    b.include(carried_batch.batch(nonzero!(8)));
}

fn main() {}
