//! Asks the service, and checks its answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ruststream::{BytesMut, IncomingMessage, OutgoingMessage, RequestReply};
use ruststream_nats::{ConnectedNatsBroker, NatsPublish, NatsPublisher};
use tokio::task::JoinSet;

use crate::outages::Outages;
use crate::service::ASKED;

const AT_ONCE: u64 = 8;
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub(crate) struct Answers {
    pub(crate) answered: AtomicU64,
    /// Not answered, in an outage.
    pub(crate) unanswered: AtomicU64,
    /// Not answered without one, or with the answer to another question.
    pub(crate) unexplained: AtomicU64,
}

pub(crate) async fn ask(
    broker: &ConnectedNatsBroker,
    answers: &Arc<Answers>,
    outages: &Arc<Outages>,
    stop: &Arc<AtomicBool>,
) {
    let publisher = broker.publisher(NatsPublish);
    let mut tasks = JoinSet::new();
    for first in 0..AT_ONCE {
        let publisher = publisher.clone();
        let (answers, outages) = (Arc::clone(answers), Arc::clone(outages));
        let stop = Arc::clone(stop);
        tasks.spawn(async move {
            let mut number = first;
            while !stop.load(Ordering::Relaxed) {
                one(&publisher, number, &answers, &outages).await;
                number += AT_ONCE;
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.expect("no panic");
    }
}

async fn one(publisher: &NatsPublisher, number: u64, answers: &Answers, outages: &Outages) {
    let body = format!(r#"{{"id":{number}}}"#);
    let question = OutgoingMessage::produced(ASKED, BytesMut::from(body.as_bytes()));
    let asked = Instant::now();
    let counter = match publisher.request(question, PATIENCE).await {
        Ok(answer) if answer.payload() == body.as_bytes() => &answers.answered,
        Err(_) if outages.touch(asked, Instant::now()) => {
            // Nobody there is an answer at once.
            tokio::time::sleep(Duration::from_millis(10)).await;
            &answers.unanswered
        }
        Ok(_) | Err(_) => &answers.unexplained,
    };
    counter.fetch_add(1, Ordering::Relaxed);
}
