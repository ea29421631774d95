use ruststream_core::Broker;
use ruststream_core::testing::{InProcess, TestableBroker};

/// A broker that ordinary `connect` takes to its in-process transport.
///
/// For a broker that is registered with the test harness by its connected form: it has no other
/// transition, and [`run_suite`](super::run_suite) takes it in this wrapper.
#[derive(Debug, Clone)]
pub struct ConnectsInProcess<B>(B);

impl<B> ConnectsInProcess<B> {
    /// Takes `connect` of `broker` for the in-process transition.
    #[must_use]
    pub const fn new(broker: B) -> Self {
        Self(broker)
    }
}

impl<B: Broker<Connected: TestableBroker>> Broker for ConnectsInProcess<B> {
    type Error = B::Error;
    type Connected = B::Connected;

    async fn connect(self) -> Result<B::Connected, B::Error> {
        self.0.connect().await
    }
}

impl<B: Broker<Connected: TestableBroker>> InProcess for ConnectsInProcess<B> {
    async fn connect_in_process(self) -> Result<B::Connected, B::Error> {
        self.0.connect().await
    }
}
