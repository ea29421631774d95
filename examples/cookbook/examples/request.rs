//! Asking and waiting: a request gets one answer, or an error after a while.

use std::error::Error;
use std::time::Duration;

use ruststream::codec::{Codec, JsonCodec};
use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "prices.ask")]
struct Ask {
    grams: u32,
}

#[derive(Serialize, Deserialize, Outgoing)]
struct Price {
    cents: u32,
}

/// Whoever asks says in a header where the answer goes.
#[subscriber("prices.ask")]
async fn price(ask: &Ask, ctx: &mut Context<'_>, Out(out): Out<impl Publisher>) -> HandlerOutcome {
    let Some(inbox) = ctx.headers().reply_to() else {
        return HandlerOutcome::drop();
    };
    let answer = Price {
        cents: 300 + ask.grams / 10,
    };
    match out.message(&answer).to(inbox).publish().await {
        Ok(()) => HandlerOutcome::ack(),
        Err(_) => HandlerOutcome::retry(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    // A handler asks by a slot: `Out<impl RequestReply, Prices>`, with `.out(Prices, Request)`.
    let requester = bus.requester();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(price).out(DefaultSlot, Publish).build();
    });
    let running = app.start().await?;

    let ask = Ask { grams: 1200 };
    let answer = requester
        .message(&ask)
        .request(Duration::from_secs(5))
        .await?;
    let answer: Price = JsonCodec.decode(answer.payload())?;
    println!("{} cents", answer.cents);

    running.shutdown().await?;

    match requester
        .message(&ask)
        .request(Duration::from_secs(5))
        .await
    {
        Ok(_) => println!("somebody is still there"),
        Err(error) => println!("no answer: {error}"),
    }
    Ok(())
}
