// RUN-412, RUN-475, MAC 5.1: a set whose discriminator reads one codec, mounted under another
use ruststream::BytesMut;
use ruststream::codec::{Codec, CodecError, JsonCodec};
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, MessageInfo)]
struct Parcel;

#[derive(InMessages)]
#[in_messages(discriminate_with_codec = ByTag)]
enum Goods {
    Parcel(Parcel),
}

struct ByTag;

impl CodecDiscriminator<GoodsKind, JsonCodec> for ByTag {
    fn kind<M: IncomingMessage>(_codec: &JsonCodec, _msg: &M) -> Option<GoodsKind> {
        Some(GoodsKind::Parcel)
    }
}

#[derive(Clone)]
struct Plain;

impl Codec for Plain {
    fn encode<T: Serialize>(&self, _value: &T) -> Result<BytesMut, CodecError> {
        Ok(BytesMut::new())
    }

    fn decode<T: DeserializeOwned>(&self, _bytes: &[u8]) -> Result<T, CodecError> {
        unreachable!("compiled, never run")
    }
}

#[subscriber("goods")]
async fn on_goods(_goods: &Goods) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_goods);
}

fn under_another_codec(b: &mut BrokerScope<MemoryBroker, ruststream::runtime::Identity, Plain>) {
    b.include(on_goods);
}

fn main() {}
