//! What bodies break, and what goes on (RUN-304, RUN-305, RUN-231).

use super::*;
use crate::deliver::testkit::End;
use crate::layers::log_capture::LogCapture;
use crate::policy::FailurePolicy;

/// Panics over number 2, half of the forms before a future exists.
fn breaks(early: bool) -> impl Handler<Parcel> + 'static {
    move |parcel: &Parcel, _: &mut Context<'_>| {
        let breaks = parcel.id == 2;
        assert!(!(breaks && early), "early");
        async move { assert!(!breaks, "late") }
    }
}

// RUN-304, RUN-305, trap 20
#[tokio::test]
async fn a_panic_is_settled_by_its_policy_and_its_worker_goes_on() {
    for workers in forms() {
        for (policy, end) in [
            (FailurePolicy::Drop, End::Dropped),
            (FailurePolicy::Retry, End::Requeued),
            (FailurePolicy::Skip, End::Acked),
        ] {
            let app = App::new();
            let (belt, depot) = plain(20);
            let ledger = belt.ledger.clone();
            drop(belt);
            let policies = FailurePolicies::default().with_panic(policy);
            let early = policy == FailurePolicy::Drop;
            let running = start_under(&app, depot, workers, policies, breaks(early));
            in_time("the loop", running).await.unwrap();

            let ends = ledger.sorted();
            assert_eq!(ends.len(), 20);
            let expected = |id| if id == 2 { end } else { End::Acked };
            assert!(
                ends.into_iter().all(|(id, end)| end == expected(id)),
                "{workers:?}"
            );
            assert_eq!(app.failure(), None);
        }
    }
}

// RUN-305, RUN-307, trap 2
#[tokio::test]
async fn a_panic_under_fail_fast_stays_unsettled_and_stops_the_service() {
    for workers in forms() {
        let app = App::new();
        let (belt, depot) = plain(20);
        let ledger = belt.ledger.clone();
        in_time("the loop", start(&app, depot, workers, breaks(false)))
            .await
            .unwrap();

        assert!(ledger.read().ends.contains(&(2, End::Left)), "{workers:?}");
        assert_eq!(ledger.read().out(), 0);
        assert_eq!(
            app.failure().as_deref(),
            Some("parcels: handler panicked: late")
        );
        drop(belt);
    }
}

// RUN-231
#[tokio::test]
async fn an_error_of_the_stream_is_one_log_line_and_ends_nothing() {
    for workers in forms() {
        let log = LogCapture::start();
        let app = App::new();
        let (mut belt, depot) = belt();
        belt.stick();
        belt.put_plain(1);
        let ledger = belt.ledger.clone();
        drop(belt);
        in_time("the loop", start(&app, depot, workers, acks()))
            .await
            .unwrap();

        assert_eq!(ledger.read().ends, [(0, End::Acked)]);
        let line = "ERROR ruststream::dispatch: subscriber stream error subscription=parcels \
                    error=the belt is stuck";
        let lines = log.take();
        assert_eq!(
            lines.iter().filter(|told| *told == line).count(),
            1,
            "{lines:?}"
        );
    }
}
