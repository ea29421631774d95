//! What a driver does with an item it took, and how a worker goes on doing it.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::handover::Taker;
use crate::app::Service;
use crate::tasks::Tasks;
use crate::workers::Placement;

/// The path of one item, a delivery or a batch of them, from the stream to its settlement.
///
/// Drivers differ only in who runs it.
pub(crate) trait Work<Item>: Send + Sync + 'static {
    /// What the loop, or each of its workers, keeps between items.
    type Kept: Send + 'static;

    /// The subscription's name.
    fn subscription(&self) -> &str;

    fn service(&self) -> &Service;

    /// Whether items have keys at all; without, keyed workers are plain ones.
    const KEYED: bool;

    /// The key that keyed workers keep together; `None` where there is none.
    fn key(item: &Item) -> Option<&[u8]>;

    /// What a worker starts with; it runs on `on`, and its continuations are spawned on
    /// `continuations`.
    fn keep(&self, continuations: Tasks, on: Placement) -> Self::Kept;

    /// Takes the item in `hand` all the way, and leaves the hand empty. Dropped before it ends, what
    /// is not settled stays unsettled.
    ///
    /// The item lies in the driver's hand, and not in the future, so that it is moved only once
    /// more: into its settlement.
    fn take(
        &self,
        hand: &mut Option<Item>,
        kept: &mut Self::Kept,
    ) -> impl Future<Output = ()> + Send;
}

/// One worker: takes what it is given until the end.
pub(super) async fn work<T, W: Work<T>>(
    mut taker: Taker<T>,
    work: Arc<W>,
    continuations: Tasks,
    on: Placement,
) {
    let mut kept = work.keep(continuations, on);
    let mut turn = match on {
        Placement::Threads => Turn::on_thread(),
        Placement::Runtime => Turn::on_runtime(),
    };
    loop {
        let mut hand = taker.take().await;
        if hand.is_none() {
            return;
        }
        work.take(&mut hand, &mut kept).await;
        if turn.is_over() {
            // Not to count as busy while others run.
            taker.finish();
            tokio::task::yield_now().await;
        }
    }
}

/// How long a task goes on without letting others run.
///
/// Loops and workers that always find something to do never wait, so they must step back by
/// themselves.
pub(super) struct Turn {
    left: u32,
    since: Option<Instant>,
}

impl Turn {
    const ITEMS: u32 = 128;
    /// Bodies on dedicated threads may compute for long, and timers wait meanwhile.
    const TIME: Duration = Duration::from_micros(200);

    /// On the application's runtime, where other threads take over what waits.
    pub(super) const fn on_runtime() -> Self {
        Self {
            left: Self::ITEMS,
            since: None,
        }
    }

    /// On a dedicated thread (RUN-228).
    pub(super) fn on_thread() -> Self {
        Self {
            left: Self::ITEMS,
            since: Some(Instant::now()),
        }
    }

    /// Counts one item; `true` ends the turn and begins the next.
    #[inline]
    pub(super) fn is_over(&mut self) -> bool {
        self.left -= 1;
        if self.left > 0 && self.since.is_none_or(|since| since.elapsed() < Self::TIME) {
            return false;
        }
        self.left = Self::ITEMS;
        self.since = self.since.map(|_| Instant::now());
        true
    }
}
