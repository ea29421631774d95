//! Where a publish builder sends to.

use ruststream_core::{HeaderMap, OutgoingFor, PayloadForm, Publisher, Transaction};

/// What a publish builder sends through: a shared publisher or a borrowed transaction.
///
/// Both forms are implemented here. A broker's extension trait names it to put its steps on the
/// builders of its own publishers: `Sink: PublishSink<Options = ItsOptions>`.
pub trait PublishSink: Send {
    /// How the sink takes its payload.
    type Payload: PayloadForm;
    /// Why a send failed.
    type Error: std::error::Error + Send + Sync + 'static;
    /// The settings one message may carry.
    type Options: Clone + Send + Sync + 'static;

    /// Sends one message. Cancel safety is the publisher's: a future dropped midway leaves the
    /// message indeterminate.
    fn send(
        &mut self,
        msg: OutgoingFor<'_, Self::Payload>,
        options: Option<&Self::Options>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// The headers every message of this sink starts from.
    fn base_headers(&self) -> Option<&HeaderMap> {
        None
    }
}

impl<P: Publisher + ?Sized> PublishSink for &P {
    type Payload = P::Payload;
    type Error = P::Error;
    type Options = P::Options;

    #[inline]
    fn send(
        &mut self,
        msg: OutgoingFor<'_, P::Payload>,
        options: Option<&P::Options>,
    ) -> impl Future<Output = Result<(), P::Error>> + Send {
        (**self).publish(msg, options)
    }

    #[inline]
    fn base_headers(&self) -> Option<&HeaderMap> {
        (**self).base_headers()
    }
}

impl<T: Transaction> PublishSink for &mut T {
    type Payload = T::Payload;
    type Error = T::Error;
    type Options = T::Options;

    #[inline]
    fn send(
        &mut self,
        msg: OutgoingFor<'_, T::Payload>,
        options: Option<&T::Options>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send {
        (**self).publish(msg, options)
    }

    #[inline]
    fn base_headers(&self) -> Option<&HeaderMap> {
        (**self).base_headers()
    }
}
