use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use futures_core::Stream;
use futures_util::StreamExt;
use ruststream_core::{BatchSubscriber, BufferedSubscriber, Seekable, Seeker, Subscriber, nonzero};
use tokio::time::{Instant, advance};

use crate::support::{Parcel, Refused, Scripted, now, poll_once};

const WAIT: Duration = Duration::from_millis(10);

fn numbers(batch: Result<Vec<Parcel>, Refused>) -> Vec<u32> {
    batch.unwrap().into_iter().map(|parcel| parcel.0).collect()
}

async fn next<S>(batches: &mut Pin<&mut S>) -> Vec<u32>
where
    S: Stream<Item = Result<Vec<Parcel>, Refused>>,
{
    numbers(batches.next().await.unwrap())
}

fn buffered() -> (Scripted, BufferedSubscriber<Scripted>) {
    let feed = Scripted::default();
    (feed.clone(), BufferedSubscriber::new(feed))
}

// CORE-140, CORE-146
#[tokio::test(start_paused = true)]
async fn a_batch_closes_at_its_size_and_is_never_longer() {
    let (feed, mut subscriber) = buffered();
    let mut batches = pin!(subscriber.batches(nonzero!(3)));
    feed.deliver(0..7);

    let began = Instant::now();
    assert_eq!(next(&mut batches).await, [0, 1, 2]);
    assert_eq!(next(&mut batches).await, [3, 4, 5]);
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert_eq!(next(&mut batches).await, [6]);
}

// CORE-146
#[tokio::test(start_paused = true)]
async fn a_partial_batch_closes_after_the_wait_from_its_first_delivery() {
    let (feed, mut subscriber) = buffered();
    let mut batches = pin!(subscriber.batches(nonzero!(8)));

    // Nothing is delivered for an hour: the clock does not run yet.
    assert!(poll_once(batches.next()).is_pending());
    advance(Duration::from_hours(1)).await;
    assert!(poll_once(batches.next()).is_pending());

    feed.deliver([1]);
    assert!(poll_once(batches.next()).is_pending());
    advance(Duration::from_millis(9)).await;
    feed.deliver([2]);
    assert!(poll_once(batches.next()).is_pending());
    let began = Instant::now();
    assert_eq!(next(&mut batches).await, [1, 2]);
    assert_eq!(began.elapsed(), Duration::from_millis(1));
}

// CORE-146, CORE-141
#[tokio::test(start_paused = true)]
async fn the_wait_is_the_subscriber_s_own_and_starts_anew_with_each_batch() {
    let (feed, subscriber) = buffered();
    let mut subscriber = subscriber.max_wait(Duration::from_millis(50));
    let mut batches = pin!(subscriber.batches(nonzero!(8)));

    for number in 0..3 {
        let began = Instant::now();
        feed.deliver([number]);
        assert_eq!(next(&mut batches).await, [number]);
        assert_eq!(began.elapsed(), Duration::from_millis(50));
    }
}

// CORE-146: what came too late for a batch that is due goes into the next one.
#[tokio::test(start_paused = true)]
async fn a_batch_that_is_due_takes_nothing_more() {
    let (feed, mut subscriber) = buffered();
    let mut batches = pin!(subscriber.batches(nonzero!(8)));
    feed.deliver([1]);
    assert!(poll_once(batches.next()).is_pending());

    advance(WAIT * 2).await;
    feed.deliver([2]);
    assert_eq!(next(&mut batches).await, [1]);
    assert_eq!(next(&mut batches).await, [2]);
}

// CORE-146: no runtime, hence no timer, is needed.
#[test]
fn a_size_of_one_arms_no_timer() {
    let (feed, mut subscriber) = buffered();
    let mut batches = pin!(subscriber.batches(nonzero!(1)));
    feed.deliver([1, 2]);

    assert_eq!(numbers(now(batches.next()).unwrap()), [1]);
    assert_eq!(numbers(now(batches.next()).unwrap()), [2]);
}

// Section 27, item 7: no runtime, hence no timer, is needed.
#[test]
fn a_wait_of_zero_takes_what_is_ready() {
    let (feed, subscriber) = buffered();
    let mut subscriber = subscriber.max_wait(Duration::ZERO);
    let mut batches = pin!(subscriber.batches(nonzero!(3)));
    feed.deliver(0..5);

    assert_eq!(numbers(now(batches.next()).unwrap()), [0, 1, 2]);
    assert_eq!(numbers(now(batches.next()).unwrap()), [3, 4]);
}

// CORE-146: a wait beyond the clock's range is no panic.
#[tokio::test(start_paused = true)]
async fn an_endless_wait_closes_at_the_size_alone() {
    let (feed, subscriber) = buffered();
    let mut subscriber = subscriber.max_wait(Duration::MAX);
    let mut batches = pin!(subscriber.batches(nonzero!(2)));

    feed.deliver([1]);
    assert!(poll_once(batches.next()).is_pending());
    advance(Duration::from_hours(1)).await;
    assert!(poll_once(batches.next()).is_pending());
    feed.deliver([2]);
    assert_eq!(next(&mut batches).await, [1, 2]);
}

// CORE-147
#[tokio::test(start_paused = true)]
async fn an_error_follows_the_batch_it_met_and_batching_resumes() {
    let (feed, mut subscriber) = buffered();
    let mut batches = pin!(subscriber.batches(nonzero!(8)));
    feed.deliver([1, 2]);
    feed.fail("lost a frame");
    feed.deliver([3]);

    let began = Instant::now();
    assert_eq!(next(&mut batches).await, [1, 2]);
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert_eq!(batches.next().await.unwrap(), Err(Refused("lost a frame")));
    assert_eq!(next(&mut batches).await, [3]);
}

// CORE-147
#[tokio::test(start_paused = true)]
async fn an_error_before_any_delivery_is_yielded_alone() {
    let (feed, mut subscriber) = buffered();
    let mut batches = pin!(subscriber.batches(nonzero!(2)));
    feed.fail("first");
    feed.fail("second");
    feed.deliver([1, 2]);

    assert_eq!(batches.next().await.unwrap(), Err(Refused("first")));
    assert_eq!(batches.next().await.unwrap(), Err(Refused("second")));
    assert_eq!(next(&mut batches).await, [1, 2]);
}

// CORE-147
#[tokio::test(start_paused = true)]
async fn the_end_flushes_the_partial_batch_and_stays() {
    let (feed, mut subscriber) = buffered();
    let mut batches = pin!(subscriber.batches(nonzero!(8)));
    feed.deliver([1]);
    feed.end();

    assert_eq!(next(&mut batches).await, [1]);
    assert!(batches.next().await.is_none());
    assert!(batches.next().await.is_none());
}

// CORE-147
#[tokio::test(start_paused = true)]
async fn an_end_without_deliveries_yields_no_empty_batch() {
    let (feed, mut subscriber) = buffered();
    let mut batches = pin!(subscriber.batches(nonzero!(8)));
    feed.end();

    assert!(batches.next().await.is_none());
}

// CORE-148
#[tokio::test(start_paused = true)]
async fn a_partial_batch_survives_a_cancelled_poll() {
    let (feed, mut subscriber) = buffered();
    let mut batches = pin!(subscriber.batches(nonzero!(3)));

    feed.deliver([1]);
    assert!(poll_once(batches.next()).is_pending());
    feed.deliver([2, 3]);
    assert_eq!(next(&mut batches).await, [1, 2, 3]);
}

// CORE-148
#[tokio::test(start_paused = true)]
async fn dropping_the_stream_abandons_its_partial_batch_and_the_next_one_continues() {
    let (feed, mut subscriber) = buffered();
    {
        let mut batches = pin!(subscriber.batches(nonzero!(3)));
        feed.deliver([1, 2]);
        assert!(poll_once(batches.next()).is_pending());
    }
    feed.deliver([3]);

    let mut batches = pin!(subscriber.batches(nonzero!(3)));
    assert_eq!(next(&mut batches).await, [3]);
}

// CORE-148: a waiting batch is woken by its deadline and by a delivery alike.
#[tokio::test(start_paused = true)]
async fn a_waiting_task_is_woken_by_either() {
    let (feed, mut subscriber) = buffered();
    let collected = tokio::spawn(async move {
        let mut batches = pin!(subscriber.batches(nonzero!(2)));
        [next(&mut batches).await, next(&mut batches).await]
    });

    tokio::task::yield_now().await;
    feed.deliver([1]);
    tokio::task::yield_now().await;
    feed.deliver([2]);
    tokio::task::yield_now().await;
    feed.deliver([3]);
    assert_eq!(collected.await.unwrap(), [vec![1, 2], vec![3]]);
}

// CORE-145
#[tokio::test]
async fn single_deliveries_and_seeking_pass_through() {
    let (feed, mut subscriber) = buffered();
    subscriber.seeker().seek(7).await.unwrap();
    feed.deliver([1]);
    feed.fail("lost a frame");

    let mut stream = pin!(subscriber.stream());
    assert_eq!(stream.next().await.unwrap(), Ok(Parcel(1)));
    assert_eq!(stream.next().await.unwrap(), Err(Refused("lost a frame")));
    assert_eq!(poll_once(stream.next()), Poll::Pending);
}

// CORE-146: the size is an upper bound, not a reservation.
#[tokio::test(start_paused = true)]
async fn a_huge_size_reserves_little() {
    let (feed, mut subscriber) = buffered();
    let mut batches = pin!(subscriber.batches(std::num::NonZeroUsize::MAX));
    feed.deliver(0..200);

    let batch = batches.next().await.unwrap().unwrap();
    assert_eq!(batch.len(), 200);
    assert!(batch.capacity() < 1024);
}
