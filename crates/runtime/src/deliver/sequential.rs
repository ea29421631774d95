//! One item at a time, in the order of the stream.
//!
//! What is relied on: the loop holds at most the one item whose path it runs, so it polls the stream
//! only when nothing it took is unsettled; the stop signal is looked at before every poll.

use std::future::poll_fn;
use std::pin::{Pin, pin};

use futures_core::Stream;

use super::stop::{Next, poll_next};
use super::work::{Turn, Work};
use crate::workers::Placement;

/// Polls, takes all the way, polls again (RUN-223).
pub(super) async fn run<St, T, E, W>(mut stream: Pin<&mut St>, work: W)
where
    St: Stream<Item = Result<T, E>>,
    E: std::error::Error + Send,
    W: Work<T>,
{
    let service = work.service();
    let mut kept = work.keep(service.continuations().clone(), Placement::Runtime);
    let mut waiter = pin!(service.stop().waiter());
    let mut turn = Turn::on_runtime();
    let mut hand = None;
    loop {
        let next = poll_fn(|cx| {
            let (stream, waiter) = (stream.as_mut(), waiter.as_mut());
            poll_next(stream, service.stop(), waiter, &mut hand, cx)
        });
        match next.await {
            Next::Taken => work.take(&mut hand, &mut kept).await,
            Next::Failed(error) => stream_error(work.subscription(), &error),
            Next::Ended => return service.stream_ended(work.subscription()),
            Next::Stopped => return,
        }
        if turn.is_over() {
            tokio::task::yield_now().await;
        }
    }
}

/// RUN-231: an error item settles nothing and ends nothing.
#[cold]
pub(super) fn stream_error(subscription: &str, error: &dyn std::error::Error) {
    tracing::error!(
        target: "ruststream::dispatch",
        subscription = %subscription, error = %error, "subscriber stream error"
    );
}
