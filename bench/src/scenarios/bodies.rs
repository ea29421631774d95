//! One subscription, and what its messages are made of.

use std::hint::black_box;

use ruststream::codec::{CborCodec, Codec, JsonCodec, MsgpackCodec};
use ruststream::memory::prelude::*;
use ruststream::runtime::{Handle, subscriber as defined};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

use crate::harness::{Gate, Live, Service, publish as send};

const TOPIC: &str = "parcels";

#[derive(Debug, Serialize, Deserialize, Outgoing)]
#[outgoing(name = "scans")]
struct Parcel {
    id: u64,
    quantity: u32,
}

const PARCEL: Parcel = Parcel {
    id: 1_000_000,
    quantity: 37,
};

/// The parcel as JSON, padded with strings that nobody reads.
fn padded(size: usize) -> Vec<u8> {
    let mut json = String::from(r#"{"id":1000000,"quantity":37"#);
    let mut field = 0;
    while json.len() + 2 < size {
        json.push_str(&format!(r#","f{field}":"{field:016}""#));
        field += 1;
    }
    json.push('}');
    json.into_bytes()
}

fn fed(service: Service, payload: Vec<u8>) -> Live {
    service.consuming(move |publisher, messages| {
        for _ in 0..messages {
            send(publisher, TOPIC, &payload, HeaderMap::new());
        }
    })
}

#[subscriber("parcels")]
async fn take(parcel: &Parcel, ctx: &mut Context<'_, (), Gate>) -> HandlerOutcome {
    black_box((parcel.id, parcel.quantity));
    ctx.state().hit();
    HandlerOutcome::ack()
}

/// The same as a value, for a definition that names its codec.
struct Take;

impl Handle<Parcel, (), (), (), Gate> for Take {
    async fn handle(
        &self,
        parcel: &Parcel,
        _: &(),
        ctx: &mut Context<'_, (), Gate>,
    ) -> Result<(), HandlerOutcome> {
        black_box((parcel.id, parcel.quantity));
        ctx.state().hit();
        Ok(())
    }
}

fn decoded(runtime: &Runtime, codec: impl Codec + Clone + 'static) -> Live {
    let payload = codec.encode(&PARCEL).expect("encodes").to_vec();
    let service = Service::start(runtime, |scope| {
        scope.include(defined(TOPIC, Take).codec(codec).build());
    });
    fed(service, payload)
}

pub fn json(runtime: &Runtime) -> Live {
    decoded(runtime, JsonCodec)
}

pub fn cbor(runtime: &Runtime) -> Live {
    decoded(runtime, CborCodec)
}

pub fn msgpack(runtime: &Runtime) -> Live {
    decoded(runtime, MsgpackCodec)
}

pub fn json_16k(runtime: &Runtime) -> Live {
    let service = Service::start(runtime, |scope| {
        scope.include(take);
    });
    fed(service, padded(16 * 1024))
}

#[derive(Deserialized)]
struct Raw<'a>(&'a [u8]);

#[subscriber("parcels")]
async fn take_bytes(raw: &Raw<'_>, ctx: &mut Context<'_, (), Gate>) -> HandlerOutcome {
    black_box(raw.0[0]);
    ctx.state().hit();
    HandlerOutcome::ack()
}

pub fn bytes_16k(runtime: &Runtime) -> Live {
    let service = Service::start(runtime, |scope| {
        scope.include(take_bytes);
    });
    fed(service, padded(16 * 1024))
}

#[subscriber("parcels")]
async fn take_all(parcels: &[Parcel], ctx: &mut Context<'_, (), Gate>) -> HandlerOutcome {
    for parcel in parcels {
        black_box((parcel.id, parcel.quantity));
        ctx.state().hit();
    }
    HandlerOutcome::ack()
}

pub fn batch(runtime: &Runtime) -> Live {
    let service = Service::start(runtime, |scope| {
        scope.include(take_all.batch(nonzero!(64)));
    });
    fed(service, padded(0))
}

pub fn workers(runtime: &Runtime) -> Live {
    let service = Service::start(runtime, |scope| {
        scope.include(take.workers(nonzero!(4)));
    });
    fed(service, padded(0))
}

/// Every message is delivered twice. The memory broker puts it back at the end of its queue, so the
/// first half of the calls asks for it and the second half acknowledges.
#[subscriber("parcels")]
async fn take_twice(raw: &Raw<'_>, ctx: &mut Context<'_, (), Gate>) -> HandlerOutcome {
    black_box(raw.0[0]);
    if ctx.state().hit_first_half() {
        HandlerOutcome::retry()
    } else {
        HandlerOutcome::ack()
    }
}

pub fn retry(runtime: &Runtime) -> Live {
    let service = Service::start(runtime, |scope| {
        scope.include(take_twice);
    });
    let gate = service.gate.clone();
    let payload = padded(0);
    service.consuming(move |publisher, messages| {
        gate.arm_twice(messages);
        for _ in 0..messages {
            send(publisher, TOPIC, &payload, HeaderMap::new());
        }
    })
}

const NAMES: [&str; 8] = [
    "tenant",
    "depot",
    "lane",
    "gate",
    "carrier",
    "priority",
    "content-type",
    "correlation-id",
];

#[subscriber("parcels")]
async fn take_headers(raw: &Raw<'_>, ctx: &mut Context<'_, (), Gate>) -> HandlerOutcome {
    black_box((raw.0[0], ctx.headers().get_str("correlation-id")));
    ctx.state().hit();
    HandlerOutcome::ack()
}

pub fn headers(runtime: &Runtime) -> Live {
    let service = Service::start(runtime, |scope| {
        scope.include(take_headers);
    });
    let payload = padded(0);
    service.consuming(move |publisher, messages| {
        for _ in 0..messages {
            let headers = NAMES.iter().map(|&name| (Str::from_static(name), "north"));
            send(publisher, TOPIC, &payload, headers.collect());
        }
    })
}

#[subscriber("scans")]
async fn take_scan(parcel: &Parcel, ctx: &mut Context<'_, (), Gate>) -> HandlerOutcome {
    black_box(parcel.id);
    ctx.state().hit();
    HandlerOutcome::ack()
}

/// Through the publish builder to a reader; both ends are counted.
pub fn publish(runtime: &Runtime) -> Live {
    let service = Service::start(runtime, |scope| {
        scope.include(take_scan);
    });
    service.publishing(|publisher, messages| {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        for _ in 0..messages {
            let published = std::pin::pin!(publisher.message(&PARCEL).publish());
            assert!(published.poll(&mut context).is_ready());
        }
    })
}
