//! Requests to a responder in another process, so many in flight.

use std::time::Duration;

use ruststream::runtime::BrokerScope;
use ruststream::{IncomingMessage, OutgoingMessage};
use ruststream_nats::prelude::*;
use tokio::sync::oneshot;

use super::stream_publish::{kept, timed};
use super::{Contestant, Run, client, connected, serve};
use crate::clock::Took;
use crate::load::Beside;
use crate::message::{Parcel, SENT, encoded};

const SUBJECT: &str = "bench.echo";
const LIMIT: Duration = Duration::from_secs(10);

fn decoded(payload: &[u8]) {
    let parcel: Parcel = serde_json::from_slice(payload).expect("JSON");
    std::hint::black_box((parcel.id, parcel.quantity));
}

pub async fn run(run: Run, in_flight: usize) -> Took {
    let _responder = Beside::responding(&run.url, SUBJECT);
    let messages = run.messages;
    match run.contestant {
        Contestant::Raw => {
            let client = kept(client(&run.url).await);
            timed(messages, in_flight, || async {
                let payload = serde_json::to_vec(&SENT).expect("JSON");
                let answer = client.request(SUBJECT, payload.into()).await;
                decoded(&answer.expect("answered").payload);
            })
            .await
        }
        Contestant::Crate => {
            let broker = connected(&run.url).await;
            let requester = kept(broker.publisher(Publish));
            timed(messages, in_flight, || async {
                let message = OutgoingMessage::produced(SUBJECT, encoded());
                let answer = requester.request(message, LIMIT).await;
                decoded(answer.expect("answered").payload());
            })
            .await
        }
        Contestant::Service => {
            let (done, took) = oneshot::channel();
            let mount = move |b: &mut BrokerScope<NatsBroker>| {
                b.after_startup(Publish, async move |requester| {
                    let requester = kept(requester);
                    let all = timed(messages, in_flight, || async {
                        let asked = requester.message(&SENT).to(SUBJECT).request(LIMIT);
                        decoded(asked.await.expect("answered").payload());
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
