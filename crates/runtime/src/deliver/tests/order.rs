//! What is handled in which order (RUN-221, RUN-225 to RUN-228).

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use super::*;
use crate::deliver::testkit::{Notes, settle_down};

fn keys(count: usize) -> Vec<&'static [u8]> {
    (0..count)
        .map(|n| &*format!("depot-{n}").into_bytes().leak())
        .collect()
}

/// As many steps as a hash of both says; the same every time.
fn some_steps(seed: u64, id: u32) -> u64 {
    (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(id).wrapping_mul(0xD1B5_4A32_D192_ED03))
        >> 61
}

// RUN-225, RUN-227
#[tokio::test]
async fn deliveries_of_one_key_are_handled_one_at_a_time_in_stream_order() {
    let keys = keys(50);
    for workers in [
        Workers::keyed(nonzero(4)),
        Workers::threads_keyed(nonzero(4)),
    ] {
        for seed in 0..20 {
            let app = App::new();
            let (mut belt, depot) = belt();
            for n in 0..500_usize {
                let key = keys[(n * 7 + n / 50) % keys.len()];
                let parcel = belt.parcel().keyed(key);
                belt.put(parcel);
            }
            let ledger = belt.ledger.clone();
            drop(belt);
            let steps: Notes<(&[u8], u32, bool)> = Notes::default();
            let written = Arc::clone(&steps);
            let body = move |parcel: &Parcel, _: &mut Context<'_>| {
                let (key, id, notes) = (parcel.key.unwrap(), parcel.id, Arc::clone(&written));
                async move {
                    notes.lock().unwrap().push_back((key, id, false));
                    for _ in 0..some_steps(seed, id) {
                        tokio::task::yield_now().await;
                    }
                    notes.lock().unwrap().push_back((key, id, true));
                }
            };
            in_time("the loop", start(&app, depot, workers, body))
                .await
                .unwrap();

            let mut by_key: HashMap<&[u8], Vec<(u32, bool)>> = HashMap::new();
            for (key, id, ended) in steps.lock().unwrap().drain(..) {
                by_key.entry(key).or_default().push((id, ended));
            }
            assert_eq!(by_key.len(), 50);
            for steps in by_key.values() {
                let in_turn = steps
                    .chunks(2)
                    .all(|pair| pair[0] == (pair[1].0, false) && pair[1].1);
                assert!(in_turn && steps.is_sorted(), "seed {seed}: {steps:?}");
            }
            assert_eq!(ledger.read().ends.len(), 500);
        }
    }
}

// RUN-224
#[tokio::test]
async fn a_pool_starts_deliveries_in_stream_order() {
    let app = App::new();
    let (belt, depot) = plain(200);
    drop(belt);
    let started: Notes<u32> = Notes::default();
    let notes = Arc::clone(&started);
    let body = move |parcel: &Parcel, _: &mut Context<'_>| {
        let (id, notes) = (parcel.id, Arc::clone(&notes));
        async move {
            notes.lock().unwrap().push_back(id);
            for _ in 0..some_steps(3, id) {
                tokio::task::yield_now().await;
            }
        }
    };
    let pool = Workers::pool(nonzero(7));
    in_time("the loop", start(&app, depot, pool, body))
        .await
        .unwrap();

    assert!(started.lock().unwrap().iter().copied().eq(0..200));
}

// RUN-225, trap 15
#[tokio::test]
async fn deliveries_without_a_key_take_the_lanes_in_turn_whatever_the_load() {
    let app = App::new();
    let (belt, depot) = plain(60);
    let ledger = belt.ledger.clone();
    let gate = Arc::new(Semaphore::new(0));
    let held = Arc::clone(&gate);
    let body = move |parcel: &Parcel, _: &mut Context<'_>| {
        // The lane of number 1 is stuck; the others are free.
        let waits = (parcel.id == 1).then(|| pass(Arc::clone(&held)));
        async move {
            if let Some(waits) = waits {
                waits.await;
            }
        }
    };
    let running = start(&app, depot, Workers::keyed(nonzero(3)), body);
    settle_down().await;

    // 1 is in process, 4 is queued behind it, 7 waits for the lane, and nobody overtakes.
    assert_eq!(ledger.read().taken, 8);
    assert_eq!(ledger.read().ends.len(), 5);
    gate.add_permits(1);
    drop(belt);
    in_time("the loop", running).await.unwrap();
    assert_eq!(ledger.read().ends.len(), 60);
}

// RUN-226, trap 16
#[tokio::test]
async fn a_thread_stuck_in_a_body_does_not_block_the_others() {
    let app = App::new();
    let (belt, depot) = plain(100);
    let ledger = belt.ledger.clone();
    let (release, stuck) = mpsc::channel::<()>();
    let stuck = Mutex::new(stuck);
    let body = move |parcel: &Parcel, _: &mut Context<'_>| {
        if parcel.id == 0 {
            let _ = stuck.lock().unwrap().recv();
        }
        async {}
    };
    let running = start(&app, depot, Workers::threads(nonzero(2)), body);

    // What is queued behind it stays; all else is handled meanwhile.
    in_time("the rest", ledger.until_ended(91)).await;
    drop(release);
    drop(belt);
    in_time("the loop", running).await.unwrap();
    assert_eq!(ledger.read().ends.len(), 100);
}

// RUN-226, trap 49
#[tokio::test]
async fn bodies_run_on_threads_named_for_the_subscription_with_timers() {
    let app = App::new();
    let (belt, depot) = plain(20);
    drop(belt);
    let names: Notes<String> = Notes::default();
    let noted = Arc::clone(&names);
    let body = move |_: &Parcel, _: &mut Context<'_>| {
        let noted = Arc::clone(&noted);
        async move {
            tokio::time::sleep(std::time::Duration::ZERO).await;
            let name = std::thread::current().name().unwrap_or_default().to_owned();
            noted.lock().unwrap().push_back(name);
        }
    };
    let mut subscription = app.subscription(body, FailurePolicies::default());
    subscription.site.about.name = "par\0cels".into();
    let threads = Workers::threads(nonzero(2));
    let running = tokio::spawn(dispatch(Singly(depot), subscription, threads).expect("starts"));
    in_time("the loop", running).await.unwrap();

    let mut names: Vec<_> = names.lock().unwrap().drain(..).collect();
    names.sort();
    names.dedup();
    assert_eq!(names, ["parcels/0", "parcels/1"]);
}

// RUN-228
#[tokio::test]
async fn continuations_and_timers_of_a_thread_go_on_under_bodies_that_never_wait() {
    let app = App::new();
    let (belt, depot) = plain(2_000);
    drop(belt);
    let ran = Arc::new(AtomicBool::new(false));
    let handled_before = Arc::new(AtomicUsize::new(0));
    let body = {
        let (ran, before) = (Arc::clone(&ran), Arc::clone(&handled_before));
        move |parcel: &Parcel, ctx: &mut Context<'_>| {
            if parcel.id == 0 {
                let ran = Arc::clone(&ran);
                ctx.after_ack(async move { ran.store(true, Ordering::SeqCst) });
            }
            if !ran.load(Ordering::SeqCst) {
                before.fetch_add(1, Ordering::SeqCst);
            }
            async {}
        }
    };
    in_time(
        "the loop",
        start(&app, depot, Workers::threads(nonzero(1)), body),
    )
    .await
    .unwrap();

    assert!(ran.load(Ordering::SeqCst));
    assert!(handled_before.load(Ordering::SeqCst) <= 128);
}
