//! Core publishes, from the first call until the server has read the last.

use std::time::Duration;

use ruststream::runtime::BrokerScope;
use ruststream::{BytesMut, OutgoingMessage};
use ruststream_nats::prelude::*;
use tokio::sync::oneshot;

use super::{Contestant, Run, client, connected, serve};
use crate::clock::{Moment, Took};
use crate::message::{SENT, encoded};

const SUBJECT: &str = "bench.core";
const NOBODY: &str = "nobody.at.all";
const LIMIT: Duration = Duration::from_secs(60);

pub async fn run(run: Run) -> Took {
    let messages = run.messages;
    match run.contestant {
        Contestant::Raw => {
            let client = client(&run.url).await;
            let _nobody = client.request(NOBODY, "".into()).await;
            let began = Moment::now();
            for _ in 0..messages {
                let payload = serde_json::to_vec(&SENT).expect("JSON");
                let sent = client.publish(SUBJECT, payload.into()).await;
                sent.expect("published");
            }
            // The server's answer proves that it has read all before it.
            let _nobody = client.request(NOBODY, "".into()).await;
            began.until(Moment::now())
        }
        Contestant::Crate => {
            let broker = connected(&run.url).await;
            let publisher = broker.publisher(Publish);
            let nobody = || OutgoingMessage::produced(NOBODY, BytesMut::new());
            let _nobody = publisher.request(nobody(), LIMIT).await;
            let began = Moment::now();
            for _ in 0..messages {
                let message = OutgoingMessage::produced(SUBJECT, encoded());
                publisher.publish(message, None).await.expect("published");
            }
            let _nobody = publisher.request(nobody(), LIMIT).await;
            began.until(Moment::now())
        }
        Contestant::Service => {
            let (done, took) = oneshot::channel();
            let mount = move |b: &mut BrokerScope<NatsBroker>| {
                b.after_startup(Publish, async move |publisher| {
                    let nobody = || publisher.message(&SENT).to(NOBODY).request(LIMIT);
                    let _nobody = nobody().await;
                    let began = Moment::now();
                    for _ in 0..messages {
                        let sent = publisher.message(&SENT).to(SUBJECT).publish().await;
                        sent.expect("published");
                    }
                    let _nobody = nobody().await;
                    let _heard = done.send(began.until(Moment::now()));
                    Ok::<_, std::convert::Infallible>(())
                });
            };
            let _serving = serve(&run.url, mount).await;
            took.await.expect("measured")
        }
    }
}
