//! Publishes into the stream, until each message is acknowledged.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ruststream::{BytesMut, OutgoingMessage};
use ruststream_nats::{
    ConnectedNatsBroker, JetStreamOptions, JetStreamPublish, JetStreamPublisher,
};
use tokio::task::JoinSet;

use crate::books::Books;
use crate::service::{STORED, STREAM};

/// How many publishes wait for their acknowledgement.
const AT_ONCE: usize = 64;

/// Publishes until told to stop; returns when all are acknowledged.
pub(crate) async fn publish(
    broker: &ConnectedNatsBroker,
    books: &Arc<Books>,
    stop: &Arc<AtomicBool>,
) {
    let publisher = broker.publisher(JetStreamPublish::default().expect_stream(STREAM));
    let mut tasks = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (publisher, books, stop) = (publisher.clone(), Arc::clone(books), Arc::clone(stop));
        tasks.spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                let id = books.next().await;
                until_stored(&publisher, &books, id).await;
                books.stored(id);
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.expect("no panic");
    }
}

async fn until_stored(publisher: &JetStreamPublisher, books: &Books, id: u64) {
    let options = JetStreamOptions {
        message_id: Some(id.to_string()),
        ..JetStreamOptions::default()
    };
    let body = format!(r#"{{"id":{id}}}"#);
    loop {
        let message = OutgoingMessage::produced(STORED, BytesMut::from(body.as_bytes()));
        if publisher.publish_ack(message, Some(&options)).await.is_ok() {
            return;
        }
        books.published_again();
    }
}
