//! A durable consumer of a filled stream, from the first body until the server has noted the last
//! acknowledgement.

use std::hint::black_box;
use std::pin::pin;
use std::time::Duration;

use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::stream::{Config, StorageType, Stream as Stored};
use async_nats::jetstream::{self, Context as Jetstream};
use futures_util::StreamExt as _;
use ruststream::{BatchSubscriber, IncomingMessage, Subscriber};
use ruststream_nats::prelude::*;

use super::{Contestant, Run, client, connected, serve};
use crate::clock::{Moment, Took};
use crate::load::Beside;
use crate::message::Parcel;
use crate::tally::TALLY;

const SUBJECT: &str = "bench.stored";
const STREAM: &str = "BENCH";
const DURABLE: &str = "bench";
const BATCH: usize = 100;

#[subscriber(JetStreamSubject::new("bench.stored", "BENCH").durable("bench"))]
async fn take(parcel: &Parcel) -> HandlerOutcome {
    black_box((parcel.id, parcel.quantity));
    TALLY.hit();
    HandlerOutcome::ack()
}

#[subscriber(JetStreamSubject::new("bench.stored", "BENCH").durable("bench"))]
async fn take_all(parcels: &[Parcel]) {
    for parcel in parcels {
        black_box((parcel.id, parcel.quantity));
        TALLY.hit();
    }
}

fn source() -> JetStreamSubject {
    JetStreamSubject::new(SUBJECT, STREAM).durable(DURABLE)
}

/// The consumer as the crate makes it.
async fn consumer(stored: &Stored) -> PullConsumer {
    let config = pull::Config {
        durable_name: Some(DURABLE.to_owned()),
        filter_subject: SUBJECT.to_owned(),
        ack_wait: Duration::from_secs(30),
        max_ack_pending: 1024,
        ..pull::Config::default()
    };
    stored.create_consumer(config).await.expect("created")
}

pub async fn run(run: Run, length: usize) -> Took {
    let (context, stored) = filled(&run, length).await;
    let url = &run.url;
    let began = match run.contestant {
        Contestant::Raw => {
            let client = client(url).await;
            let own = jetstream::new(client).get_stream(STREAM).await;
            let consumer = consumer(&own.expect("the stream")).await;
            let mut messages = consumer.messages().await.expect("opened");
            tokio::spawn(async move {
                while let Some(message) = messages.next().await {
                    let message = message.expect("delivered");
                    let parcel: Parcel = serde_json::from_slice(&message.payload).expect("JSON");
                    black_box((parcel.id, parcel.quantity));
                    TALLY.hit();
                    message.ack().await.expect("acknowledged");
                }
            });
            TALLY.ends().await.0
        }
        Contestant::Crate => {
            let broker = connected(url).await;
            let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
            tokio::spawn(async move {
                let mut messages = pin!(subscriber.stream());
                while let Some(message) = messages.next().await {
                    let message = message.expect("delivered");
                    let parcel: Parcel = serde_json::from_slice(message.payload()).expect("JSON");
                    black_box((parcel.id, parcel.quantity));
                    TALLY.hit();
                    message.ack().await.expect("acknowledged");
                }
            });
            TALLY.ends().await.0
        }
        Contestant::Service => {
            let _serving = serve(url, |b| {
                b.include(take);
            })
            .await;
            TALLY.ends().await.0
        }
    };
    acknowledged(&run, &stored, context, began).await
}

pub async fn batches(run: Run) -> Took {
    let (context, stored) = filled(&run, 32).await;
    let url = &run.url;
    let began = match run.contestant {
        Contestant::Raw => {
            let client = client(url).await;
            let own = jetstream::new(client).get_stream(STREAM).await;
            let consumer = consumer(&own.expect("the stream")).await;
            tokio::spawn(async move {
                loop {
                    let batch = consumer.batch().max_messages(BATCH);
                    let batch = batch.expires(Duration::from_secs(5)).messages().await;
                    let messages: Vec<_> = batch.expect("pulled").collect().await;
                    let messages = messages
                        .into_iter()
                        .map(|message| message.expect("delivered"));
                    let messages: Vec<_> = messages.collect();
                    let decode = |payload| serde_json::from_slice(payload).expect("JSON");
                    let parcels: Vec<Parcel> = messages
                        .iter()
                        .map(|message| decode(&message.payload))
                        .collect();
                    for parcel in &parcels {
                        black_box((parcel.id, parcel.quantity));
                        TALLY.hit();
                    }
                    for message in messages {
                        message.ack().await.expect("acknowledged");
                    }
                }
            });
            TALLY.ends().await.0
        }
        Contestant::Crate => {
            let broker = connected(url).await;
            let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
            tokio::spawn(async move {
                let size = BATCH.try_into().expect("not zero");
                let mut batches = pin!(subscriber.batches(size));
                while let Some(batch) = batches.next().await {
                    let messages = batch.expect("delivered");
                    let decode = |payload| serde_json::from_slice(payload).expect("JSON");
                    let parcels: Vec<Parcel> = messages
                        .iter()
                        .map(|message| decode(message.payload()))
                        .collect();
                    for parcel in &parcels {
                        black_box((parcel.id, parcel.quantity));
                        TALLY.hit();
                    }
                    for message in messages {
                        message.ack().await.expect("acknowledged");
                    }
                }
            });
            TALLY.ends().await.0
        }
        Contestant::Service => {
            let _serving = serve(url, |b| {
                b.include(take_all.batch(nonzero!(100)));
            })
            .await;
            TALLY.ends().await.0
        }
    };
    acknowledged(&run, &stored, context, began).await
}

/// A stream of its own, filled.
async fn filled(run: &Run, length: usize) -> (Jetstream, Stored) {
    TALLY.expect(run.messages);
    let context = jetstream::new(client(&run.url).await);
    let config = Config {
        name: STREAM.to_owned(),
        subjects: vec![SUBJECT.to_owned()],
        storage: StorageType::Memory,
        ..Config::default()
    };
    let _gone = context.delete_stream(STREAM).await;
    let stored = context.create_stream(config).await.expect("created");
    let _load = Beside::publishing(&run.url, SUBJECT, run.messages, length);
    while stored.get_info().await.expect("told").state.messages < run.messages {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    (context, stored)
}

async fn acknowledged(run: &Run, stored: &Stored, context: Jetstream, began: Moment) -> Took {
    loop {
        let told = stored.consumer_info(DURABLE).await.expect("told");
        if told.ack_floor.stream_sequence == run.messages {
            break;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let took = began.until(Moment::now());
    assert_eq!(TALLY.seen(), run.messages, "each once");
    context.delete_stream(STREAM).await.expect("deleted");
    took
}
