use ruststream_core::Broker;
use ruststream_core::testing::InProcess;

/// A broker whose `connect` is the in-process transition.
///
/// It runs the suites that take a [`Broker`] against the transport that services test on, with the
/// same descriptors and publishers as against the server.
#[derive(Debug, Clone)]
pub struct InProcessBroker<B>(B);

impl<B> InProcessBroker<B> {
    /// Connects `broker` in process.
    #[must_use]
    pub const fn new(broker: B) -> Self {
        Self(broker)
    }
}

impl<B: InProcess> Broker for InProcessBroker<B> {
    type Error = B::Error;
    type Connected = B::Connected;

    async fn connect(self) -> Result<B::Connected, B::Error> {
        self.0.connect_in_process().await
    }
}
