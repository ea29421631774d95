use std::cell::RefCell;
use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use ruststream_core::IncomingMessage;
use ruststream_core::testing::Hold;

use super::mounted::At;
use super::within::{in_force, within};
use crate::observe::{Call, Delivered, Lent, Observer, Reaction};
use crate::outcome::HandlerResult;

thread_local! {
    static RUNNING: RefCell<Option<Arc<Running>>> = const { RefCell::new(None) };
}

/// A handler that is being polled.
#[derive(Default)]
pub(super) struct Running {
    lent: Mutex<Vec<Lent>>,
}

impl Running {
    /// The one that is being polled here.
    pub(super) fn current() -> Option<Arc<Self>> {
        in_force(&RUNNING)
    }

    fn take_lent(&self) -> Vec<Lent> {
        mem::take(&mut *self.lent.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// One dispatch, from a delivery or a batch to its last settlement.
pub(crate) struct Span(Option<Box<Open>>);

/// Where a dispatch runs, for as long as it does.
struct Begun(Arc<At>);

impl Begun {
    fn at(at: &Arc<At>) -> Self {
        at.harnessed.observer.began(at.mount);
        Self(Arc::clone(at))
    }

    fn observer(&self) -> &dyn Observer {
        &*self.0.harnessed.observer
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.observer().ended(self.0.mount);
    }
}

struct Open {
    begun: Begun,
    hold: Hold,
    running: Arc<Running>,
    taken: usize,
    deliveries: Vec<Delivered>,
    panicked: bool,
    decode_failed: bool,
    reaction: Reaction,
}

impl Span {
    #[inline]
    pub(super) fn new(at: Option<&Arc<At>>) -> Self {
        Self(at.map(|at| Box::new(Open::new(at))))
    }

    /// Whether somebody keeps what it is told.
    pub(crate) fn records(&self) -> bool {
        self.0.is_some()
    }

    /// So many deliveries were taken.
    #[inline]
    pub(crate) fn took(&mut self, deliveries: usize) {
        if let Some(open) = &mut self.0 {
            open.taken += deliveries;
        }
    }

    /// Polls what the handler does.
    pub(crate) fn within<F: Future>(
        &self,
        handling: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        let running = self.0.as_ref().map(|open| Arc::clone(&open.running));
        async move {
            match running {
                None => handling.await,
                Some(running) => within(&RUNNING, running, handling).await,
            }
        }
    }

    pub(crate) fn panicked(&mut self) {
        if let Some(open) = &mut self.0 {
            open.panicked = true;
        }
    }

    pub(crate) fn decoded(&mut self, failed: bool) {
        if let Some(open) = &mut self.0 {
            open.decode_failed |= failed;
        }
    }

    /// The handler finished with one delivery, which is settled so, or not at all.
    #[inline]
    pub(crate) fn called<M: IncomingMessage>(
        &mut self,
        verdict: Option<HandlerResult>,
        message: &M,
    ) {
        if let Some(open) = &mut self.0 {
            open.hand(message.payload());
            if let Some(verdict) = verdict {
                open.settled(verdict);
            }
            open.record();
        }
    }

    /// A delivery of a batch was handed to the body.
    #[inline]
    pub(crate) fn hand<M: IncomingMessage>(&mut self, message: &M) {
        if let Some(open) = &mut self.0 {
            open.hand(message.payload());
        }
    }

    /// That delivery is being settled.
    #[inline]
    pub(crate) fn settled(&mut self, verdict: HandlerResult) {
        if let Some(open) = &mut self.0 {
            open.settled(verdict);
        }
    }

    /// The last delivery of a batch is settled, or none will be.
    #[inline]
    pub(crate) fn batch_called(&mut self) {
        if let Some(open) = &mut self.0
            && !open.deliveries.is_empty()
        {
            open.record();
        }
    }

    /// Everything is settled and every continuation is spawned.
    pub(crate) async fn end(self) {
        if let Some(open) = self.0 {
            open.end().await;
        }
    }
}

impl Open {
    fn new(at: &Arc<At>) -> Self {
        Self {
            hold: at.harnessed.coordinator().hold(),
            begun: Begun::at(at),
            running: Arc::default(),
            taken: 0,
            deliveries: Vec::new(),
            panicked: false,
            decode_failed: false,
            reaction: None,
        }
    }

    fn hand(&mut self, payload: &[u8]) {
        self.deliveries.push(Delivered {
            payload: Bytes::copy_from_slice(payload),
            lent: None,
            settled: None,
        });
    }

    fn settled(&mut self, verdict: HandlerResult) {
        if let Some(delivery) = self.deliveries.last_mut() {
            delivery.settled = Some(verdict);
        }
    }

    fn record(&mut self) {
        let mut deliveries = mem::take(&mut self.deliveries);
        for (delivery, lent) in deliveries.iter_mut().zip(self.running.take_lent()) {
            delivery.lent = Some(lent);
        }
        self.reaction = self.begun.observer().called(Call {
            mount: self.begun.0.mount,
            deliveries,
            panicked: self.panicked,
            decode_failed: self.decode_failed,
        });
    }

    async fn end(self) {
        if let Some(reaction) = self.reaction {
            reaction.await;
        }
        drop(self.hold);
        let mount = self.begun.0.mount;
        self.begun.observer().handled(mount, self.taken);
    }
}

/// A value is lent to a body.
pub(crate) fn lent<T: Clone + Send + Sync + 'static>(value: &T) {
    lent_batch(std::slice::from_ref(value));
}

/// Values are lent to the body of a batch.
pub(crate) fn lent_batch<T: Clone + Send + Sync + 'static>(values: &[T]) {
    if let Some(running) = Running::current() {
        let lent = values.iter().map(Lent::copy_of).collect();
        *running.lent.lock().unwrap_or_else(PoisonError::into_inner) = lent;
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Span").finish_non_exhaustive()
    }
}
