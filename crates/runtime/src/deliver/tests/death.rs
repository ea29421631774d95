//! Workers and threads that die outside of a handler's isolation (RUN-232).

use super::*;
use crate::deliver::testkit::{End, settle_down};
use crate::layers::log_capture::LogCapture;

const DEAD_WORKER: &str = "worker terminated; stopping dispatch";
const DEAD_THREAD: &str = "dedicated thread terminated; stopping dispatch";

fn told(lines: &[String], text: &str) -> bool {
    lines
        .iter()
        .any(|line| line.starts_with("ERROR ruststream::dispatch: ") && line.contains(text))
}

// RUN-232
#[tokio::test]
async fn the_death_of_a_worker_ends_the_loop_and_the_others_finish_what_they_hold() {
    let [_, pool, keyed, threads, threads_by_key] = forms();
    for (workers, found, joined) in [
        (pool, DEAD_WORKER, "worker task failed"),
        (keyed, DEAD_WORKER, "worker task failed"),
        (threads, DEAD_THREAD, "a dedicated thread ended abnormally"),
        (
            threads_by_key,
            DEAD_THREAD,
            "a dedicated thread ended abnormally",
        ),
    ] {
        let log = LogCapture::start();
        let app = App::new();
        let (mut belt, depot) = belt();
        belt.put_plain(2);
        let explosive = belt.parcel().explosive();
        belt.put(explosive);
        let ledger = belt.ledger.clone();
        let gate = Arc::new(Semaphore::new(0));
        let held = Arc::clone(&gate);
        let body = move |parcel: &Parcel, _: &mut Context<'_>| {
            let waits = (parcel.id != 2).then(|| pass(Arc::clone(&held)));
            async move {
                if let Some(waits) = waits {
                    waits.await;
                }
            }
        };
        let running = start(&app, depot, workers, body);
        in_time("the death", ledger.until_ended(1)).await;
        settle_down().await;
        assert!(!running.is_finished(), "{workers:?}");
        gate.add_permits(2);
        in_time("the loop", running).await.unwrap();

        let ends = ledger.sorted();
        assert_eq!(
            ends,
            [(0, End::Acked), (1, End::Acked), (2, End::Left)],
            "{workers:?}"
        );
        let lines = log.take();
        assert!(told(&lines, found) && told(&lines, joined), "{lines:?}");
        // The service goes on: nothing is reported but in the log.
        assert_eq!(app.failure(), None);
        drop(belt);
    }
}

// RUN-232, trap 17
#[tokio::test]
async fn a_delivery_in_hand_for_a_living_lane_is_handed_over_though_another_lane_died() {
    let app = App::new();
    let (mut belt, depot) = belt();
    // Without keys the lanes are taken in turn: 0, 2 and 4 meet in one, 1 dies in the other.
    belt.put_plain(1);
    let explosive = belt.parcel().explosive();
    belt.put(explosive);
    for _ in 0..3 {
        let even = belt.parcel();
        belt.put(even);
    }
    let ledger = belt.ledger.clone();
    let gate = Arc::new(Semaphore::new(0));
    let held = Arc::clone(&gate);
    let body = move |parcel: &Parcel, _: &mut Context<'_>| {
        let waits = parcel.id.is_multiple_of(2).then(|| pass(Arc::clone(&held)));
        async move {
            if let Some(waits) = waits {
                waits.await;
            }
        }
    };
    let running = start(&app, depot, Workers::keyed(nonzero(2)), body);
    settle_down().await;
    gate.add_permits(9);
    in_time("the loop", running).await.unwrap();

    assert!(ledger.read().ends.contains(&(0, End::Acked)));
    assert!(ledger.read().ends.contains(&(1, End::Left)));
    assert_eq!(ledger.read().out(), 0);
    drop(belt);
}

// RUN-232
#[tokio::test]
async fn the_death_of_a_sequential_loop_is_its_own() {
    let app = App::new();
    let (mut belt, depot) = belt();
    let explosive = belt.parcel().explosive();
    belt.put(explosive);

    let running = start(&app, depot, Workers::sequential(), acks());

    assert!(in_time("the loop", running).await.unwrap_err().is_panic());
}
