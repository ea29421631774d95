//! The seam through which a test harness sees copies come and go.
//!
//! Every copy carries a [`Ticket`]: issued before the copy becomes visible to a consumer, renewed
//! when the copy is queued again, released while it waits out a delay, dropped with the copy
//! whichever way that leaves existence. A harness counts by these; without one the types are empty
//! and the code is nothing.

#[cfg(not(feature = "testing"))]
pub(crate) use off::{Observer, Ticket};
#[cfg(feature = "testing")]
pub(crate) use on::{Observer, Ticket};

#[cfg(not(feature = "testing"))]
mod off {
    use std::future;
    use std::time::Duration;

    use tokio::time::{Instant, sleep_until};

    /// What a bus tells about its copies.
    #[derive(Debug, Default)]
    pub(crate) struct Observer(());

    impl Observer {
        /// The ticket of a copy that a subscription is about to be handed.
        #[inline]
        #[expect(
            clippy::unused_self,
            reason = "the ticket comes from what observes this bus"
        )]
        pub(crate) const fn queued(&self) -> Ticket {
            Ticket(())
        }
    }

    /// Stands for one copy while that exists.
    #[derive(Debug)]
    pub(crate) struct Ticket(());

    impl Ticket {
        /// The ticket of a copy that no subscription consumes: a reply on its way to the requester.
        #[inline]
        pub(crate) const fn uncounted() -> Self {
            Self(())
        }

        /// Makes it the ticket of the same copy going back to its queue, issued before the old one is
        /// released.
        #[inline]
        #[expect(clippy::unused_self, reason = "who counts the copy counts it again")]
        pub(crate) const fn renew(&mut self) {}

        /// The copy leaves for a while, until its ticket is renewed; answers what times that.
        #[inline]
        #[expect(
            clippy::unused_self,
            reason = "who counts the copy times its return as well"
        )]
        pub(crate) const fn release(&mut self) -> Timer {
            Timer(())
        }
    }

    /// Times the return of a copy.
    #[derive(Debug)]
    pub(crate) struct Timer(());

    impl Timer {
        /// Runs `redeliver` after `delay`, on the current runtime.
        pub(crate) fn after(self, delay: Duration, redeliver: impl FnOnce() + Send + 'static) {
            let Self(()) = self;
            let deadline = Instant::now().checked_add(delay);
            tokio::spawn(async move {
                match deadline {
                    Some(deadline) => sleep_until(deadline).await,
                    None => future::pending().await,
                }
                redeliver();
            });
        }
    }
}

#[cfg(feature = "testing")]
mod on {
    use std::future;
    use std::sync::OnceLock;
    use std::time::Duration;

    use ruststream_core::testing::Coordinator;
    use tokio::time::{Instant, sleep_until};

    /// What a bus tells about its copies.
    #[derive(Debug, Default)]
    pub(crate) struct Observer(OnceLock<Coordinator>);

    impl Observer {
        /// Tells `coordinator` of the copies queued from now on, if it is the first; answers that.
        pub(crate) fn install(&self, coordinator: Coordinator) -> bool {
            self.0.set(coordinator).is_ok()
        }

        /// The ticket of a copy that a subscription is about to be handed.
        #[inline]
        pub(crate) fn queued(&self) -> Ticket {
            let mut ticket = Ticket {
                coordinator: self.0.get().cloned(),
                counted: false,
            };
            ticket.count();
            ticket
        }
    }

    /// Stands for one copy while that exists.
    #[derive(Debug)]
    pub(crate) struct Ticket {
        coordinator: Option<Coordinator>,
        counted: bool,
    }

    impl Ticket {
        /// The ticket of a copy that no subscription consumes: a reply on its way to the requester.
        #[inline]
        pub(crate) const fn uncounted() -> Self {
            Self {
                coordinator: None,
                counted: false,
            }
        }

        /// Makes it the ticket of the same copy going back to its queue, issued before the old one is
        /// released.
        #[inline]
        pub(crate) fn renew(&mut self) {
            let mut again = Self {
                coordinator: self.coordinator.clone(),
                counted: false,
            };
            again.count();
            *self = again;
        }

        /// The copy leaves for a while, until its ticket is renewed; answers what times that.
        pub(crate) fn release(&mut self) -> Timer {
            self.discount();
            Timer(self.coordinator.clone())
        }

        #[inline]
        fn count(&mut self) {
            if let Some(coordinator) = &self.coordinator {
                coordinator.enqueued();
                self.counted = true;
            }
        }

        #[inline]
        fn discount(&mut self) {
            if std::mem::take(&mut self.counted)
                && let Some(coordinator) = &self.coordinator
            {
                coordinator.consumed();
            }
        }
    }

    impl Drop for Ticket {
        #[inline]
        fn drop(&mut self) {
            self.discount();
        }
    }

    /// Times the return of a copy.
    #[derive(Debug)]
    pub(crate) struct Timer(Option<Coordinator>);

    impl Timer {
        /// Runs `redeliver` after `delay`, on the current runtime.
        pub(crate) fn after(self, delay: Duration, redeliver: impl FnOnce() + Send + 'static) {
            if let Some(coordinator) = self.0 {
                return coordinator.schedule_redelivery(delay, redeliver);
            }
            let deadline = Instant::now().checked_add(delay);
            tokio::spawn(async move {
                match deadline {
                    Some(deadline) => sleep_until(deadline).await,
                    None => future::pending().await,
                }
                redeliver();
            });
        }
    }
}
