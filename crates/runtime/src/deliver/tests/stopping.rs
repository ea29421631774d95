//! How loops end: by their stream, by the signal, by an abort (RUN-075, RUN-076, RUN-240).

use std::time::Duration;

use super::*;
use crate::deliver::testkit::{End, Endless, settle_down};

// RUN-076, trap 14
#[tokio::test]
async fn an_idle_loop_ends_with_the_signal() {
    for workers in forms() {
        let app = App::new();
        let (belt, depot) = plain(5);
        let ledger = belt.ledger.clone();
        let running = start(&app, depot, workers, acks());
        in_time("the parcels", ledger.until_ended(5)).await;
        settle_down().await;

        app.stop();
        in_time("the loop", running).await.unwrap();
        drop(belt);
    }
}

// RUN-076, trap 14
#[tokio::test]
async fn a_stream_that_is_always_ready_hides_no_signal() {
    for workers in forms() {
        let app = App::new();
        let (depot, ledger) = Endless::new();
        let subscription = app.subscription(acks(), FailurePolicies::default());
        let running = tokio::spawn(dispatch(Singly(depot), subscription, workers).expect("starts"));
        in_time("some parcels", ledger.until_ended(500)).await;

        app.stop();
        in_time("the loop", running).await.unwrap();
        let entries = ledger.read();
        assert_eq!(entries.out(), 0, "{workers:?}");
        assert!(entries.ends.iter().all(|(_, end)| *end == End::Acked));
    }
}

// RUN-073, RUN-240, trap 17
#[tokio::test]
async fn every_delivery_taken_before_the_signal_is_handled_and_settled() {
    let taken_before = [1, 3, 7, 27, 28];
    for (workers, taken) in forms().into_iter().zip(taken_before) {
        let app = App::new();
        let (belt, depot) = plain(60);
        let ledger = belt.ledger.clone();
        let gate = Arc::new(Semaphore::new(0));
        let running = start(&app, depot, workers, gated(&gate));
        in_time("the taking", ledger.until(|entries| entries.taken == taken)).await;
        settle_down().await;

        app.stop();
        settle_down().await;
        gate.add_permits(60);
        in_time("the loop", running).await.unwrap();

        let entries = ledger.read();
        assert_eq!(entries.taken, taken, "{workers:?}");
        assert_eq!(entries.ends.len(), taken);
        assert!(entries.ends.iter().all(|(_, end)| *end == End::Acked));
        drop(belt);
    }
}

// RUN-240, RUN-283, trap 18
#[tokio::test]
async fn a_thread_ends_after_its_own_continuations_and_timers() {
    let app = App::new();
    let (belt, depot) = plain(1);
    drop(belt);
    let ran_on = Arc::new(std::sync::Mutex::new(String::new()));
    let noted = Arc::clone(&ran_on);
    let body = move |_: &Parcel, ctx: &mut Context<'_>| {
        let noted = Arc::clone(&noted);
        ctx.after_ack(async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            *noted.lock().unwrap() = std::thread::current().name().unwrap_or_default().to_owned();
        });
        async {}
    };
    in_time(
        "the loop",
        start(&app, depot, Workers::threads(nonzero(1)), body),
    )
    .await
    .unwrap();

    assert_eq!(*ran_on.lock().unwrap(), "parcels/0");
    assert_eq!(app.service.continuations().len(), 0);
}

// RUN-075, RUN-240
#[tokio::test]
async fn an_aborted_loop_leaves_what_it_took_unsettled_and_ends_its_workers() {
    let taken_before = [1, 3, 7, 27, 28];
    for (workers, taken) in forms().into_iter().zip(taken_before) {
        let app = App::new();
        let (belt, depot) = plain(60);
        let ledger = belt.ledger.clone();
        let gate = Arc::new(Semaphore::new(0));
        let running = start(&app, depot, workers, gated(&gate));
        in_time("the taking", ledger.until(|entries| entries.taken == taken)).await;

        running.abort();
        assert!(running.await.unwrap_err().is_cancelled());
        in_time("the workers", app.workers_gone()).await;

        let entries = ledger.read();
        assert_eq!(entries.ends.len(), taken, "{workers:?}");
        assert!(entries.ends.iter().all(|(_, end)| *end == End::Left));
        drop(belt);
    }
}

// RUN-075
#[tokio::test]
async fn an_abort_while_a_thread_computes_lets_it_end_without_its_queue() {
    let app = App::new();
    let (belt, depot) = plain(30);
    let ledger = belt.ledger.clone();
    let (release, stuck) = std::sync::mpsc::channel::<()>();
    let stuck = std::sync::Mutex::new(stuck);
    let body = move |_: &Parcel, _: &mut Context<'_>| {
        let _ = stuck.lock().unwrap().recv();
        async {}
    };
    let running = start(&app, depot, Workers::threads(nonzero(1)), body);
    in_time("the taking", ledger.until(|entries| entries.taken == 9)).await;

    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    drop(release);
    in_time("the thread", app.workers_gone()).await;

    let ends = ledger.sorted();
    assert_eq!(ends.len(), 9);
    assert!(
        ends[1..].iter().all(|(_, end)| *end == End::Left),
        "{ends:?}"
    );
    drop(belt);
}

// RUN-053, RUN-075
#[tokio::test]
async fn threads_of_a_loop_that_never_ran_end_with_it() {
    let app = App::new();
    let (belt, depot) = plain(3);
    let subscription = app.subscription(acks(), FailurePolicies::default());
    let never_run = dispatch(Singly(depot), subscription, Workers::threads(nonzero(2)));
    assert_eq!(app.service.workers().len(), 2);

    drop(never_run);

    in_time("the threads", app.workers_gone()).await;
    assert_eq!(belt.ledger.read().taken, 0);
}

// RUN-094
#[tokio::test]
async fn the_end_of_the_stream_ends_the_loop_after_its_workers() {
    for workers in forms() {
        let app = App::new();
        let (belt, depot) = plain(40);
        let ledger = belt.ledger.clone();
        drop(belt);
        let running = start(&app, depot, workers, acks());
        in_time("the loop", running).await.unwrap();

        assert_eq!(ledger.read().ends.len(), 40);
        assert_eq!(app.failure(), None);
    }
}
