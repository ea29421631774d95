//! One delivery at a time, in the order of the stream.

use std::future::poll_fn;
use std::pin::pin;

use bytes::BytesMut;
use ruststream_core::{BuildContext, Subscriber};

use super::delivery::{Scratch, Subscription};
use super::stop::{Next, poll_next};
use crate::handler::Handler;

/// After so many deliveries in a row that never waited, the loop lets other tasks run.
const TURN: u32 = 128;

/// Polls, delivers, settles, polls again (RUN-223).
pub(crate) async fn run<Sub, H, C, S>(mut subscriber: Sub, subscription: Subscription<H, C, S>)
where
    Sub: Subscriber,
    H: Handler<Sub::Message, C, S>,
    C: BuildContext<Sub::Message> + Send + Sync + 'static,
    S: Send + Sync,
{
    let service = subscription.service.clone();
    let mut scratch =
        Scratch { encode: BytesMut::new(), continuations: service.continuations().clone() };
    let mut waiter = pin!(service.stop().waiter());
    let mut stream = pin!(subscriber.stream());
    let mut turn = TURN;
    loop {
        let next =
            poll_fn(|cx| poll_next(stream.as_mut(), service.stop(), waiter.as_mut(), cx)).await;
        match next {
            Next::Item(Ok(message)) => subscription.deliver(message, &mut scratch).await,
            Next::Item(Err(error)) => stream_error(subscription.site.name(), &error),
            Next::Ended => return service.stream_ended(subscription.site.name()),
            Next::Stopped => return,
        }
        turn -= 1;
        if turn == 0 {
            turn = TURN;
            tokio::task::yield_now().await;
        }
    }
}

/// RUN-231: an error item settles nothing and ends nothing.
#[cold]
pub(crate) fn stream_error(subscription: &str, error: &dyn std::error::Error) {
    tracing::error!(
        target: "ruststream::dispatch",
        subscription = %subscription, error = %error, "subscriber stream error"
    );
}
