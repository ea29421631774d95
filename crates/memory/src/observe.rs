//! The seam through which a test harness sees copies come and go.
//!
//! Every copy carries a [`Ticket`]: issued before the copy becomes visible to a consumer, renewed
//! when the copy is queued again, dropped with the copy whichever way that leaves existence. A
//! harness counts by giving these three a body; without one the types are empty and the code is
//! nothing.

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

    /// The ticket of the same copy going back to its queue, issued before this one is released.
    #[inline]
    pub(crate) fn renewed(self) -> Self {
        self
    }
}
