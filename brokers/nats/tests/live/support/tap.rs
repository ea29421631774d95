//! What is said on the ack subjects of a consumer, as the server sees it.

use std::time::Duration;

use async_nats::Subscriber;
use futures_util::StreamExt;

use super::{SOON, Server, raw, within};

/// A second connection that reads the acknowledgements of one consumer.
pub(crate) struct Tap {
    subscriber: Subscriber,
}

/// One settlement: the delivery it is about, and its bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) delivered: u64,
    pub(crate) stream_sequence: u64,
    pub(crate) bytes: String,
}

impl Tap {
    pub(crate) async fn on(server: &Server, stream: &str, consumer: &str) -> Self {
        let client = raw(server).await;
        let subject = format!("$JS.ACK.{stream}.{consumer}.>");
        let subscriber = client.subscribe(subject).await.expect("subscribed");
        client.flush().await.expect("flushed");
        // The answer proves that the server has registered the subscription.
        let _nobody = client.request("tap.nobody", "".into()).await;
        Self { subscriber }
    }

    pub(crate) async fn next(&mut self) -> Settled {
        let message = within(SOON, "a settlement", self.subscriber.next()).await;
        let message = message.expect("the tap stays open");
        let tokens: Vec<&str> = message.subject.split('.').collect();
        Settled {
            delivered: tokens[4].parse().expect("a count"),
            stream_sequence: tokens[5].parse().expect("a sequence"),
            bytes: String::from_utf8(message.payload.to_vec()).expect("text"),
        }
    }

    pub(crate) async fn assert_quiet(&mut self, quiet: Duration) {
        if let Ok(said) = tokio::time::timeout(quiet, self.subscriber.next()).await {
            panic!("said on the ack subject: {said:?}");
        }
    }
}
