use ruststream::PublishPolicy;

use crate::connected::ConnectedNatsBroker;
use crate::sealed::Sealed;

/// A policy of this crate, which [`ConnectedNatsBroker::publisher`] binds.
pub trait NatsPublishPolicy: PublishPolicy<ConnectedNatsBroker> + Sealed {
    /// The publisher on this connection. No I/O.
    #[must_use]
    fn bind(self, connected: &ConnectedNatsBroker) -> Self::Live;
}
