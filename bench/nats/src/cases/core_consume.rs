//! A Core subscription, from the first body to the last.

use std::hint::black_box;
use std::pin::pin;

use futures_util::StreamExt as _;
use ruststream::{IncomingMessage, Subscribe, Subscriber};
use ruststream_nats::prelude::*;

use super::{Contestant, Run, client, connected, serve};
use crate::clock::Took;
use crate::load::Beside;
use crate::message::Parcel;
use crate::tally::TALLY;

const SUBJECT: &str = "bench.core";

#[subscriber("bench.core")]
async fn take(parcel: &Parcel) -> HandlerOutcome {
    black_box((parcel.id, parcel.quantity));
    TALLY.hit();
    HandlerOutcome::ack()
}

pub async fn run(run: Run, length: usize) -> Took {
    TALLY.expect(run.messages);
    let url = run.url.clone();
    match run.contestant {
        Contestant::Raw => {
            let client = client(&url).await;
            let mut messages = client.subscribe(SUBJECT).await.expect("opened");
            let _nobody = client.request("nobody.at.all", "".into()).await;
            let reading = async move {
                while let Some(message) = messages.next().await {
                    let parcel: Parcel = serde_json::from_slice(&message.payload).expect("JSON");
                    black_box((parcel.id, parcel.quantity));
                    TALLY.hit();
                }
            };
            measured(&run, length, reading).await
        }
        Contestant::Crate => {
            let broker = connected(&url).await;
            let mut subscriber = broker.subscribe(SUBJECT).await.expect("opened");
            let reading = async move {
                let mut messages = pin!(subscriber.stream());
                while let Some(message) = messages.next().await {
                    let message = message.expect("delivered");
                    let parcel: Parcel = serde_json::from_slice(message.payload()).expect("JSON");
                    black_box((parcel.id, parcel.quantity));
                    TALLY.hit();
                    // Core settles nothing; a caller of the crate that knows it does not ask.
                }
            };
            measured(&run, length, reading).await
        }
        Contestant::Service => {
            let _serving = serve(&url, |b| {
                b.include(take);
            })
            .await;
            measured(&run, length, std::future::ready(())).await
        }
    }
}

async fn measured(
    run: &Run,
    length: usize,
    reading: impl Future<Output = ()> + Send + 'static,
) -> Took {
    tokio::spawn(reading);
    let _load = Beside::publishing(&run.url, SUBJECT, run.messages, length);
    let (first, last) = TALLY.ends().await;
    assert_eq!(TALLY.seen(), run.messages);
    first.until(last)
}
