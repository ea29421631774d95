//! How much is taken from a stream (RUN-221, RUN-222).

use super::*;
use crate::deliver::testkit::{End, settle_down};

// RUN-221, RUN-222, traps 12 and 19
#[tokio::test]
async fn each_form_takes_as_much_as_it_may_and_no_more() {
    let expected = [1, 3, 7, 27, 28];
    for (workers, most) in forms().into_iter().zip(expected) {
        let app = App::new();
        let (belt, depot) = plain(60);
        let gate = Arc::new(Semaphore::new(0));
        let ledger = belt.ledger.clone();
        let running = start(&app, depot, workers, gated(&gate));

        in_time("the taking", ledger.until(|entries| entries.taken == most)).await;
        settle_down().await;
        assert_eq!(ledger.read().taken, most, "{workers:?}");
        gate.add_permits(60);
        drop(belt);
        in_time("the loop", running).await.unwrap();

        assert_eq!(ledger.read().most_out, most, "{workers:?}");
        assert!(
            ledger
                .sorted()
                .into_iter()
                .eq((0..60).map(|id| (id, End::Acked)))
        );
    }
}

// RUN-221
#[tokio::test]
async fn one_worker_with_or_without_keys_is_a_sequence() {
    for workers in [Workers::pool(nonzero(1)), Workers::keyed(nonzero(1))] {
        let app = App::new();
        let (belt, depot) = plain(9);
        let ledger = belt.ledger.clone();
        let running = start(&app, depot, workers, acks());
        drop(belt);
        in_time("the loop", running).await.unwrap();

        let ends = ledger.read().ends.clone();
        assert!(ends.into_iter().eq((0..9).map(|id| (id, End::Acked))));
        assert_eq!(ledger.read().most_out, 1);
    }
}

// RUN-224, trap 13
#[tokio::test]
async fn errors_of_the_stream_leave_every_worker_in_use() {
    for workers in forms() {
        let app = App::new();
        let (mut belt, depot) = belt();
        let gate = Arc::new(Semaphore::new(0));
        for _ in 0..4 {
            belt.stick();
            belt.put_plain(1);
            belt.stick();
        }
        belt.put_plain(30);
        let ledger = belt.ledger.clone();
        let running = start(&app, depot, workers, gated(&gate));
        let running_at_once = workers.count().get();

        in_time(
            "the taking",
            ledger.until(|entries| entries.taken >= running_at_once),
        )
        .await;
        gate.add_permits(34);
        drop(belt);
        in_time("the loop", running).await.unwrap();

        assert_eq!(ledger.read().ends.len(), 34, "{workers:?}");
        assert_eq!(app.failure(), None);
    }
}

// RUN-230
#[tokio::test]
async fn workers_and_queues_of_batches_count_batches() {
    let expected = [1, 3, 3, 27, 27];
    for (workers, most) in forms().into_iter().zip(expected) {
        let app = App::new();
        let (mut belt, depot) = belt::<Vec<Parcel>>();
        belt.put_batches(&[2; 40]);
        let ledger = belt.ledger.clone();
        let gate = Arc::new(Semaphore::new(0));
        let body = super::super::batch::tests::gated(&gate);
        let subscription = super::super::batch::tests::subscription(&app, body);
        let intake = InBatches {
            subscriber: depot,
            size: nonzero(2),
        };
        let running = tokio::spawn(dispatch(intake, subscription, workers).expect("starts"));

        in_time(
            "the taking",
            ledger.until(|entries| entries.taken == 2 * most),
        )
        .await;
        settle_down().await;
        gate.add_permits(40);
        drop(belt);
        in_time("the loop", running).await.unwrap();

        assert_eq!(ledger.read().most_out, 2 * most, "{workers:?}");
        assert_eq!(ledger.read().ends.len(), 80);
    }
}
