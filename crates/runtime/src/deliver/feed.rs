//! The loop that takes items from a stream and hands them to workers.
//!
//! What is relied on: an item is taken only when it can be placed (RUN-222). Without keys a lane
//! with room is *reserved* before the stream is polled, and stays reserved over errors of the
//! stream; with keys the one item in the loop's hand waits for its own lane, whatever happens
//! meanwhile. However the loop ends by itself, it closes the lanes, which lets the workers finish
//! what they were given; only a loop that is dropped takes back what is queued.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use futures_core::Stream;

use super::crew::Fed;
use super::handover::Giver;
use super::keyed::Keys;
use super::sequential::stream_error;
use super::stop::{Next, poll_next};
use super::work::Turn;

/// How the lane of an item is found.
pub(super) enum Placing {
    /// Any lane with room; the search begins at the one after the last (RUN-226).
    AnyRoom { next: usize },
    /// The lane of the item's key (RUN-225).
    ByKey(Keys),
}

impl Placing {
    pub(super) fn new(by_key: bool, lanes: usize) -> Self {
        if by_key {
            Self::ByKey(Keys::new(lanes))
        } else {
            Self::AnyRoom { next: 0 }
        }
    }
}

/// Runs until the stream ends, the stop signal is raised, or a worker is found dead, whose number
/// is returned.
pub(super) async fn feed<St, T, E>(
    mut stream: Pin<&mut St>,
    mut giver: Giver<T>,
    placing: Placing,
    fed: &Fed<T>,
) -> Option<usize>
where
    St: Stream<Item = Result<T, E>>,
    E: std::error::Error + Send,
{
    let dead = hand_out(stream.as_mut(), &mut giver, placing, fed).await;
    giver.close();
    dead
}

async fn hand_out<St, T, E>(
    mut stream: Pin<&mut St>,
    giver: &mut Giver<T>,
    mut placing: Placing,
    fed: &Fed<T>,
) -> Option<usize>
where
    St: Stream<Item = Result<T, E>>,
    E: std::error::Error + Send,
{
    let service = &fed.service;
    let mut waiter = pin!(service.stop().waiter());
    let mut turn = Turn::on_runtime();
    let mut reserved = None;
    loop {
        if let (Placing::AnyRoom { next }, None) = (&placing, reserved) {
            match poll_fn(|cx| giver.poll_any_room(*next, cx)).await {
                Ok(lane) => reserved = Some(lane),
                Err(dead) => return Some(dead),
            }
        }
        let mut hand = None;
        let next = poll_fn(|cx| {
            if let Some(dead) = giver.dead() {
                return Poll::Ready(Err(dead));
            }
            let (stream, waiter) = (stream.as_mut(), waiter.as_mut());
            match poll_next(stream, service.stop(), waiter, &mut hand, cx) {
                Poll::Ready(next) => Poll::Ready(Ok(next)),
                Poll::Pending => giver.poll_dead(cx).map(Err),
            }
        });
        match next.await {
            Ok(Next::Taken) => {
                let lane = match &mut placing {
                    Placing::AnyRoom { next } => {
                        let lane = reserved.take().unwrap_or(*next);
                        *next = (lane + 1) % giver.count();
                        lane
                    }
                    Placing::ByKey(keys) => keys.lane(hand.as_ref().and_then(fed.key)),
                };
                // At once where the lane is reserved.
                if !poll_fn(|cx| giver.poll_room(lane, cx)).await {
                    return giver.dead();
                }
                if let Some(item) = hand {
                    giver.give(lane, item);
                }
            }
            Ok(Next::Failed(error)) => stream_error(&fed.subscription, &error),
            Ok(Next::Ended) => {
                service.stream_ended(&fed.subscription);
                return None;
            }
            Ok(Next::Stopped) => return None,
            Err(dead) => return Some(dead),
        }
        if turn.is_over() {
            tokio::task::yield_now().await;
        }
    }
}
