//! Publishes into a stream, each until its acknowledgement, so many in flight.

use async_nats::jetstream::stream::{Config, StorageType};
use async_nats::jetstream::{self, Context as Jetstream};
use futures_util::{StreamExt as _, stream};
use ruststream::OutgoingMessage;
use ruststream::runtime::BrokerScope;
use ruststream_nats::prelude::*;
use tokio::sync::oneshot;

use super::{Contestant, Run, client, connected, serve};
use crate::clock::{Moment, Took};
use crate::message::{SENT, encoded};

const SUBJECT: &str = "bench.stored";
const STREAM: &str = "BENCH";

pub async fn run(run: Run, in_flight: usize) -> Took {
    let context = emptied(&run).await;
    let took = published(&run, in_flight).await;
    let mut stored = context.get_stream(STREAM).await.expect("the stream");
    let told = stored.info().await.expect("told");
    assert_eq!(told.state.messages, run.messages, "each once");
    context.delete_stream(STREAM).await.expect("deleted");
    took
}

async fn published(run: &Run, in_flight: usize) -> Took {
    let messages = run.messages;
    match run.contestant {
        Contestant::Raw => {
            let context = kept(jetstream::new(client(&run.url).await));
            timed(messages, in_flight, || async {
                let payload = serde_json::to_vec(&SENT).expect("JSON");
                let sent = context.publish(SUBJECT, payload.into()).await;
                sent.expect("sent").await.expect("stored");
            })
            .await
        }
        Contestant::Crate => {
            let broker = connected(&run.url).await;
            let publisher = kept(broker.publisher(JetStreamPublish::default()));
            timed(messages, in_flight, || async {
                let message = OutgoingMessage::produced(SUBJECT, encoded());
                publisher.publish(message, None).await.expect("stored");
            })
            .await
        }
        Contestant::Service => {
            let (done, took) = oneshot::channel();
            let mount = move |b: &mut BrokerScope<NatsBroker>| {
                b.after_startup(JetStreamPublish::default(), async move |publisher| {
                    let publisher = kept(publisher);
                    let all = timed(messages, in_flight, || async {
                        let stored = publisher.message(&SENT).to(SUBJECT).publish().await;
                        stored.expect("stored");
                    });
                    let _heard = done.send(all.await);
                    Ok::<_, std::convert::Infallible>(())
                });
            };
            let _serving = serve(&run.url, mount).await;
            took.await.expect("measured")
        }
    }
}

/// The time of so many calls, so many of them at once.
pub(super) async fn timed<F: Future<Output = ()>>(
    messages: u64,
    in_flight: usize,
    call: impl Fn() -> F,
) -> Took {
    let began = Moment::now();
    if in_flight == 1 {
        for _ in 0..messages {
            call().await;
        }
    } else {
        let calls = stream::iter(0..messages).map(|_| call());
        calls.buffer_unordered(in_flight).collect::<()>().await;
    }
    began.until(Moment::now())
}

/// A run is a process, which has no end to clean up for.
pub(super) fn kept<T>(one: T) -> &'static T {
    Box::leak(Box::new(one))
}

async fn emptied(run: &Run) -> Jetstream {
    let context = jetstream::new(client(&run.url).await);
    let config = Config {
        name: STREAM.to_owned(),
        subjects: vec![SUBJECT.to_owned()],
        storage: StorageType::Memory,
        ..Config::default()
    };
    let _gone = context.delete_stream(STREAM).await;
    context.create_stream(config).await.expect("created");
    context
}
