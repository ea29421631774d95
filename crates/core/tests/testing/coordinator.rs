use std::pin::pin;
use std::task::{Context, Poll, Waker};

use futures_util::FutureExt;
use ruststream_core::testing::{Coordinator, TestError};

fn at_rest(coordinator: &Coordinator) -> bool {
    match coordinator.drive().now_or_never() {
        Some(Ok(())) => true,
        Some(Err(error)) => panic!("{error}"),
        None => false,
    }
}

// TEST-32, TEST-73
#[test]
fn rest_is_nothing_in_flight() {
    let coordinator = Coordinator::new(usize::MAX);
    assert!(at_rest(&coordinator));
    coordinator.enqueued();
    coordinator.enqueued();
    coordinator.consumed();
    assert!(!at_rest(&coordinator));
    coordinator.consumed();
    assert!(at_rest(&coordinator));
}

// TEST-33a
#[test]
fn a_release_that_overtakes_its_enqueue_is_not_rest() {
    let coordinator = Coordinator::new(usize::MAX);
    coordinator.consumed();
    assert!(!at_rest(&coordinator));
    coordinator.enqueued();
    assert!(at_rest(&coordinator));
}

// TEST-32
#[test]
fn a_waiter_is_woken_by_the_last_change_from_either_side() {
    let coordinator = Coordinator::new(usize::MAX);
    let mut cx = Context::from_waker(Waker::noop());

    coordinator.enqueued();
    let mut waiting = pin!(coordinator.drive());
    assert!(waiting.as_mut().poll(&mut cx).is_pending());
    coordinator.consumed();
    assert!(matches!(waiting.poll(&mut cx), Poll::Ready(Ok(()))));

    coordinator.consumed();
    let mut waiting = pin!(coordinator.drive());
    assert!(waiting.as_mut().poll(&mut cx).is_pending());
    coordinator.enqueued();
    assert!(matches!(waiting.poll(&mut cx), Poll::Ready(Ok(()))));
}

// TEST-32: no change is missed between the look at the counter and the wait.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_wake_is_missed_between_threads() {
    let coordinator = Coordinator::new(usize::MAX);
    for _ in 0..2_000 {
        coordinator.enqueued();
        let other = coordinator.clone();
        let consumer = tokio::spawn(async move { other.consumed() });
        coordinator.drive().await.unwrap();
        consumer.await.unwrap();
    }
}

// TEST-33
#[test]
fn the_runtime_s_own_work_counts_while_its_guard_lives() {
    let coordinator = Coordinator::new(0);
    let hold = coordinator.hold();
    assert!(
        coordinator
            .drive()
            .now_or_never()
            .is_some_and(|end| end.is_err())
    );
    drop(hold);
    assert!(at_rest(&coordinator));
}

// TEST-36
#[tokio::test]
async fn a_spent_budget_ends_the_wait_with_the_number() {
    let coordinator = Coordinator::new(3);
    coordinator.enqueued();
    let endless = coordinator.clone();
    let handler = tokio::spawn(async move {
        loop {
            endless.enqueued();
            endless.consumed();
            tokio::task::yield_now().await;
        }
    });
    let Err(TestError::NotQuiescent { processed }) = coordinator.drive().await else {
        panic!("the budget must be spent");
    };
    assert_eq!(processed, 3);
    handler.abort();
}

// TEST-36: the budget is one wait's, so a long healthy run never spends it.
#[test]
fn the_budget_counts_from_the_start_of_each_wait() {
    let coordinator = Coordinator::new(3);
    for _ in 0..10 {
        coordinator.enqueued();
        coordinator.consumed();
    }
    coordinator.enqueued();
    assert!(!at_rest(&coordinator));
    coordinator.consumed();
    assert!(at_rest(&coordinator));
}

// TEST-36
#[tokio::test]
async fn two_waits_keep_their_own_budgets() {
    let coordinator = Coordinator::new(4);
    coordinator.enqueued();
    let mut cx = Context::from_waker(Waker::noop());
    let mut early = pin!(coordinator.drive());
    assert!(early.as_mut().poll(&mut cx).is_pending());
    for _ in 0..2 {
        coordinator.enqueued();
        coordinator.consumed();
    }
    let mut late = pin!(coordinator.drive());
    assert!(late.as_mut().poll(&mut cx).is_pending());
    for _ in 0..2 {
        coordinator.enqueued();
        coordinator.consumed();
    }
    assert!(matches!(early.poll(&mut cx), Poll::Ready(Err(_))));
    assert!(late.as_mut().poll(&mut cx).is_pending());
    for _ in 0..2 {
        coordinator.enqueued();
        coordinator.consumed();
    }
    assert!(matches!(late.poll(&mut cx), Poll::Ready(Err(_))));
}

// TEST-72
#[test]
fn debug_shows_the_counters() {
    let coordinator = Coordinator::new(1);
    coordinator.enqueued();
    coordinator.enqueued();
    coordinator.consumed();
    assert_eq!(
        format!("{coordinator:?}"),
        "Coordinator { in_flight: 1, processed: 1, .. }"
    );
}
