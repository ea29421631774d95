use std::error::Error;

#[cfg(feature = "asyncapi")]
use crate::bindings::Bindings;
use crate::{ConnectedBroker, HeaderMap, OutgoingFor, PayloadForm};

/// Publishes messages on a live connection.
///
/// [`publish`](Self::publish) is the whole obligation: the builder that services write
/// (`publisher.message(&value).publish()`) resolves destination, codec and headers and then calls it
/// exactly once. A publisher is best cheap to clone, with its shared state behind an `Arc`.
///
/// # Examples
///
/// ```
/// use ruststream_core::{Lend, OutgoingMessage, Publisher};
///
/// #[derive(Debug, Clone, Copy, Default, PartialEq)]
/// struct CourierOptions {
///     urgency: Option<u8>,
/// }
///
/// struct CourierPublisher {
///     urgency: u8,
/// }
///
/// impl Publisher for CourierPublisher {
///     type Payload = Lend;
///     type Error = std::io::Error;
///     type Options = CourierOptions;
///
///     async fn publish(
///         &self,
///         message: OutgoingMessage<'_, &[u8]>,
///         options: Option<&CourierOptions>,
///     ) -> Result<(), std::io::Error> {
///         let urgency = options.and_then(|o| o.urgency).unwrap_or(self.urgency);
///         if urgency > 3 {
///             return Err(std::io::Error::other("urgency runs from 0 to 3"));
///         }
///         send(message.name(), urgency, message.payload());
///         Ok(())
///     }
/// }
/// # fn send(_: &str, _: u8, _: &[u8]) {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot publish: bind the position to a policy that does, such as the broker's `Publish`",
    label = "not a `Publisher`",
    note = "attach a publish policy whose live form is a `Publisher`"
)]
pub trait Publisher: Send + Sync {
    /// How the transport consumes the payload: [`Lend`](crate::Lend) when it reads the bytes,
    /// [`Take`](crate::Take) when its client keeps them.
    type Payload: PayloadForm;

    /// What a publish can fail with.
    type Error: Error + Send + Sync + 'static;

    /// The settings of one message, every field optional; `()` where there are none.
    ///
    /// Deriving `Debug` and `PartialEq` as well lets tests assert on them.
    type Options: Clone + Send + Sync + 'static;

    /// Publishes one message.
    ///
    /// A field the call set wins over what the policy fixed, for this one message. `options` is
    /// `None` where nothing set any: replies, retry copies, dead letters.
    ///
    /// # Errors
    ///
    /// A message the transport refused, lost or did not take in time; also a setting or header it
    /// cannot carry, which is never clamped or dropped.
    ///
    /// # Cancel safety
    ///
    /// Documented by each broker, together with what its `Ok` means.
    fn publish(
        &self,
        msg: OutgoingFor<'_, Self::Payload>,
        options: Option<&Self::Options>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// The headers this handle lays under each of its publishes: constants such as a tenant.
    ///
    /// What the call site sets wins, name by name.
    fn base_headers(&self) -> Option<&HeaderMap> {
        None
    }
}

/// The declaration of how to publish, paired with a connection at startup.
///
/// A policy is pure configuration: it can be built anywhere, before anything is connected. Offer
/// one policy type per real publishing mode; choosing a mode is then a step to another type whose
/// live form has other capabilities, not a flag.
///
/// # Examples
///
/// ```
/// # use ruststream_core::ConnectedBroker;
/// # struct ConnectedCourier;
/// # impl ConnectedBroker for ConnectedCourier {
/// #     type Error = std::io::Error;
/// #     type Closed = ();
/// #     async fn shutdown(self) -> std::io::Result<()> { Ok(()) }
/// # }
/// # impl ConnectedCourier {
/// #     async fn open_channel(&self) -> std::io::Result<()> { Ok(()) }
/// # }
/// use ruststream_core::{DefaultPublish, PairError, PublishPolicy};
///
/// #[derive(Debug, Clone, Default)]
/// struct CourierPublish {
///     urgency: u8,
/// }
///
/// struct CourierPublisher {
///     channel: (),
///     urgency: u8,
/// }
///
/// impl PublishPolicy<ConnectedCourier> for CourierPublish {
///     type Live = CourierPublisher;
///
///     async fn pair(self, connected: &ConnectedCourier) -> Result<CourierPublisher, PairError> {
///         let channel = connected.open_channel().await.map_err(PairError::new)?;
///         Ok(CourierPublisher { channel, urgency: self.urgency })
///     }
/// }
///
/// // It publishes as it is, so replies and retry copies need no policy at the mount.
/// impl DefaultPublish for ConnectedCourier {
///     type Policy = CourierPublish;
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a publish policy of `{C}`: name one of this broker, such as its `Publish`",
    label = "does not pair with `{C}`",
    note = "bind the position to a policy of the broker that the handler is mounted on, such as its `Publish`",
    note = "a publisher of another broker is bound by its token: `other.bindable().bind(policy)`"
)]
pub trait PublishPolicy<C: ConnectedBroker> {
    /// What pairing makes: a [`Publisher`] for a policy of a broker.
    type Live;

    /// Makes the live form on `connected`. Runs once per position, at startup.
    ///
    /// # Errors
    ///
    /// What initialising the publisher failed with, wrapped by [`PairError::new`].
    fn pair(self, connected: &C) -> impl Future<Output = Result<Self::Live, PairError>> + Send;

    /// What the document says about the channel `channel`.
    #[cfg(feature = "asyncapi")]
    #[must_use]
    fn channel_bindings(&self, channel: &str) -> Bindings {
        let _ = channel;
        Bindings::new()
    }

    /// What the document says about the `send` operation on `channel`.
    #[cfg(feature = "asyncapi")]
    #[must_use]
    fn operation_bindings(&self, channel: &str) -> Bindings {
        let _ = channel;
        Bindings::new()
    }

    /// What the document says about the messages on `channel`.
    #[cfg(feature = "asyncapi")]
    #[must_use]
    fn message_bindings(&self, channel: &str) -> Bindings {
        let _ = channel;
        Bindings::new()
    }

    /// Where a requester finds the reply address: a runtime expression such as
    /// `$message.header#/reply-to`.
    #[cfg(feature = "asyncapi")]
    #[must_use]
    fn reply_address_location(&self) -> Option<&'static str> {
        None
    }
}

/// The plain policy of a broker whose defaults publish as they are.
///
/// With it a reply mounts without naming a policy, and retry copies have a publisher. A broker
/// whose publishers always need options does not implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no default publish policy: name one, `.out_reply(policy)` or `.out_retry(policy)`",
    label = "replies and retry copies need a publisher here",
    note = "name one on a chain that ends with `.build()`, such as a router's: `.out_reply(policy)` for a \
            reply, `.out_retry(policy)` for retry copies",
    note = "in a broker crate: implement `DefaultPublish` where the plain policy publishes as it is"
)]
pub trait DefaultPublish: ConnectedBroker {
    /// The plain policy.
    type Policy: PublishPolicy<Self> + Default + Send + 'static;
}

/// Why a policy could not be paired with a connection.
#[derive(Debug, thiserror::Error)]
#[error("pairing a publisher failed: {0}")]
pub struct PairError(#[source] Box<dyn Error + Send + Sync>);

impl PairError {
    /// Wraps the broker's own error.
    #[must_use]
    pub fn new(source: impl Error + Send + Sync + 'static) -> Self {
        Self(Box::new(source))
    }

    /// Wraps an error that is boxed already, without a second box.
    #[must_use]
    pub fn from_boxed(source: Box<dyn Error + Send + Sync>) -> Self {
        Self(source)
    }
}
