use ruststream::testing::Coordinator;

/// Counts one delivery from when it is queued until it is gone.
#[derive(Debug)]
pub(crate) struct Ticket(Option<Coordinator>);

impl Ticket {
    /// For a delivery that no subscription consumes.
    pub(crate) const fn uncounted() -> Self {
        Self(None)
    }

    pub(super) fn queued(coordinator: Option<&Coordinator>) -> Self {
        let coordinator = coordinator.cloned();
        if let Some(coordinator) = &coordinator {
            coordinator.enqueued();
        }
        Self(coordinator)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(coordinator) = self.0.take() {
            coordinator.consumed();
        }
    }
}
