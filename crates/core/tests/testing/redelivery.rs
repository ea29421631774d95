use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use ruststream_core::testing::Coordinator;

const DELAY: Duration = Duration::from_millis(500);
const JUST_BEFORE: Duration = Duration::from_millis(499);
const MS: Duration = Duration::from_millis(1);

#[derive(Clone)]
struct Queue {
    coordinator: Coordinator,
    returned: Arc<Mutex<Vec<u32>>>,
}

impl Queue {
    fn new() -> Self {
        Self {
            coordinator: Coordinator::new(usize::MAX),
            returned: Arc::default(),
        }
    }

    fn redeliver(&self, number: u32, delay: Duration) {
        let queue = self.clone();
        self.coordinator.schedule_redelivery(delay, move || {
            queue.coordinator.enqueued();
            queue.returned.lock().unwrap().push(number);
        });
    }

    fn returned(&self) -> Vec<u32> {
        self.returned.lock().unwrap().clone()
    }

    fn at_rest(&self) -> bool {
        self.coordinator.drive().now_or_never().is_some()
    }
}

// TEST-35, TEST-25
#[tokio::test(start_paused = true)]
async fn a_redelivery_is_counted_at_its_time_and_not_before() {
    let queue = Queue::new();
    queue.redeliver(1, DELAY);
    assert!(queue.at_rest());

    tokio::time::advance(JUST_BEFORE).await;
    queue.coordinator.fire_due_timers().await;
    assert!(queue.at_rest() && queue.returned().is_empty());

    tokio::time::advance(MS).await;
    queue.coordinator.fire_due_timers().await;
    assert!(!queue.at_rest());
    assert_eq!(queue.returned(), [1]);
}

// TEST-25: to the instant, wherever in a millisecond the clock stands.
#[tokio::test(start_paused = true)]
async fn a_redelivery_is_due_exactly_at_its_delay() {
    tokio::time::advance(Duration::from_micros(300)).await;
    let queue = Queue::new();
    queue.redeliver(1, DELAY);
    tokio::time::advance(Duration::from_nanos(499_999_999)).await;
    queue.coordinator.fire_due_timers().await;
    assert!(queue.returned().is_empty());
    tokio::time::advance(Duration::from_nanos(1)).await;
    queue.coordinator.fire_due_timers().await;
    assert_eq!(queue.returned(), [1]);
}

// TEST-24
#[tokio::test(start_paused = true)]
async fn due_redeliveries_come_in_the_order_of_their_times_and_once() {
    let queue = Queue::new();
    queue.redeliver(2, DELAY * 2);
    queue.redeliver(1, DELAY);
    queue.redeliver(3, DELAY * 4);
    tokio::time::advance(DELAY * 3).await;
    queue.coordinator.fire_due_timers().await;
    queue.coordinator.fire_due_timers().await;
    tokio::task::yield_now().await;
    assert_eq!(queue.returned(), [1, 2]);
}

// TEST-35: nobody has to drive the harness for a redelivery to happen.
#[tokio::test(start_paused = true)]
async fn a_redelivery_also_comes_by_itself() {
    let queue = Queue::new();
    queue.redeliver(1, DELAY);
    tokio::time::sleep(DELAY + MS).await;
    assert_eq!(queue.returned(), [1]);
}

// TEST-25, TEST-34
#[tokio::test(start_paused = true)]
async fn no_delay_belongs_to_the_reaction() {
    let queue = Queue::new();
    queue.redeliver(1, Duration::ZERO);
    assert!(queue.returned().is_empty());
    assert!(!queue.at_rest());
    tokio::task::yield_now().await;
    assert_eq!(queue.returned(), [1]);
    assert!(!queue.at_rest());
}

// TEST-72
#[tokio::test(start_paused = true)]
async fn a_delay_beyond_the_clock_never_comes() {
    let queue = Queue::new();
    queue.redeliver(1, Duration::MAX);
    tokio::time::advance(DELAY).await;
    queue.coordinator.fire_due_timers().await;
    assert!(queue.returned().is_empty() && queue.at_rest());
}
