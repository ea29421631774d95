//! What goes wrong with a connection, and what is lost with it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::super::support::*;
use super::judge;

/// When an acknowledgement that was lost with its connection shows.
#[derive(Clone, Copy)]
enum Returns {
    Ahead,
    Behind,
    Late,
}

struct LosesAcks {
    returns: Returns,
    acked: Mutex<Vec<Delivery>>,
}

impl LosesAcks {
    const fn returning(returns: Returns) -> Self {
        Self {
            returns,
            acked: Mutex::new(Vec::new()),
        }
    }
}

impl Twist for LosesAcks {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        if delivery.link.number() == 1 {
            self.acked.lock().expect("not poisoned").push(delivery);
        } else {
            if let Returns::Behind = self.returns {
                // The first delivery of the new connection brings the lost one.
                self.acked
                    .lock()
                    .expect("not poisoned")
                    .drain(..)
                    .for_each(Delivery::put_back);
            }
            delivery.consume();
        }
        now(Ok(()))
    }

    fn shutdown(&self, link: Link) -> Done<'_> {
        link.close();
        let mut lost = self.acked.lock().expect("not poisoned");
        match self.returns {
            Returns::Ahead => lost.drain(..).for_each(Delivery::put_back),
            Returns::Late => {
                let delay = Duration::from_millis(900);
                lost.drain(..)
                    .for_each(|delivery| delivery.put_back_after(delay));
            }
            Returns::Behind => {}
        }
        now(Ok(()))
    }
}

const NEW_CONNECTION: &str = "settlement ack consumes: new connection: ";

#[tokio::test(start_paused = true)]
async fn an_ack_lost_on_reconnect_that_returns_ahead() {
    let told = ["\"settled\" came where \"sentinel\" was due"];
    rejected(
        judge(LosesAcks::returning(Returns::Ahead)),
        NEW_CONNECTION,
        &told,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_ack_lost_on_reconnect_that_returns_behind() {
    let told = ["\"settled\" came within 1s"];
    rejected(
        judge(LosesAcks::returning(Returns::Behind)),
        NEW_CONNECTION,
        &told,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_ack_lost_on_reconnect_that_returns_late() {
    let told = ["\"settled\" came within 1s"];
    rejected(
        judge(LosesAcks::returning(Returns::Late)),
        NEW_CONNECTION,
        &told,
    )
    .await;
}

struct ConnectHangs;

impl Twist for ConnectHangs {
    fn connect<'a>(&'a self, _: &'a Arc<World>, _: Side) -> Task<'a, Result<Link, ToyError>> {
        hanging()
    }
}

#[tokio::test(start_paused = true)]
async fn a_connect_that_hangs() {
    let start = "settlement ack consumes: connect: no answer within 10s";
    rejected(judge(ConnectHangs), start, &[]).await;
}

struct PublishFails;

impl Twist for PublishFails {
    fn publish<'a>(&'a self, _: &'a Sender, _: Letter) -> Done<'a> {
        now(Err(ToyError::Refused("publishes")))
    }
}

#[tokio::test(start_paused = true)]
async fn a_publish_that_fails() {
    let start = "settlement ack consumes: publish: it failed with: the toy refuses: publishes";
    rejected(judge(PublishFails), start, &[]).await;
}

struct ShutdownFails;

impl Twist for ShutdownFails {
    fn shutdown(&self, _: Link) -> Done<'_> {
        now(Err(ToyError::Refused("to close")))
    }
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_that_fails() {
    let start = "settlement ack consumes: shutdown: it failed with: the toy refuses: to close";
    rejected(judge(ShutdownFails), start, &[]).await;
}
