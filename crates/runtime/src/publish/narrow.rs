//! A slot whose transform names destinations sends and does nothing else (PUB-606).

#[cfg(feature = "asyncapi")]
use ruststream_core::bindings::Bindings;
use ruststream_core::{
    ConnectedBroker, HeaderMap, OutgoingFor, PairError, PublishPolicy, Publisher,
};

use super::naming::{Names, Reads};

/// The policy a position is bound with, given what its transforms do with destinations.
#[doc(hidden)]
pub trait NarrowToUse<Policy> {
    /// The policy itself, or one whose live value only sends.
    type Out;

    /// Narrows the policy.
    fn narrow(policy: Policy) -> Self::Out;
}

impl<Policy> NarrowToUse<Policy> for Reads {
    type Out = Policy;

    fn narrow(policy: Policy) -> Policy {
        policy
    }
}

impl<Policy> NarrowToUse<Policy> for Names {
    type Out = SendOnlyPolicy<Policy>;

    fn narrow(policy: Policy) -> SendOnlyPolicy<Policy> {
        SendOnlyPolicy(policy)
    }
}

/// A policy whose live value only sends.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct SendOnlyPolicy<Policy>(Policy);

impl<CB: ConnectedBroker, Policy: PublishPolicy<CB> + Send> PublishPolicy<CB>
    for SendOnlyPolicy<Policy>
{
    type Live = NamedDestinationSend<Policy::Live>;

    async fn pair(self, connected: &CB) -> Result<Self::Live, PairError> {
        self.0.pair(connected).await.map(NamedDestinationSend)
    }

    #[cfg(feature = "asyncapi")]
    fn channel_bindings(&self, channel: &str) -> Bindings {
        self.0.channel_bindings(channel)
    }

    #[cfg(feature = "asyncapi")]
    fn operation_bindings(&self, channel: &str) -> Bindings {
        self.0.operation_bindings(channel)
    }

    #[cfg(feature = "asyncapi")]
    fn message_bindings(&self, channel: &str) -> Bindings {
        self.0.message_bindings(channel)
    }

    #[cfg(feature = "asyncapi")]
    fn reply_address_location(&self) -> Option<&'static str> {
        self.0.reply_address_location()
    }
}

/// A publisher of messages whose destination a transform names; it has no other capability.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct NamedDestinationSend<P>(P);

impl<P: Publisher> Publisher for NamedDestinationSend<P> {
    type Payload = P::Payload;
    type Error = P::Error;
    type Options = P::Options;

    #[inline]
    fn publish(
        &self,
        msg: OutgoingFor<'_, P::Payload>,
        options: Option<&P::Options>,
    ) -> impl Future<Output = Result<(), P::Error>> + Send {
        self.0.publish(msg, options)
    }

    fn base_headers(&self) -> Option<&HeaderMap> {
        self.0.base_headers()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use ruststream_core::Take;

    use super::*;
    use crate::publish::PublishExt;
    use crate::publish::testkit::{Held, Recorder, Urgency, headers};

    struct Line;

    impl ConnectedBroker for Line {
        type Error = Infallible;
        type Closed = ();

        async fn shutdown(self) -> Result<(), Infallible> {
            Ok(())
        }
    }

    struct Policy;

    impl PublishPolicy<Line> for Policy {
        type Live = Recorder<Take>;

        async fn pair(self, _connected: &Line) -> Result<Recorder<Take>, PairError> {
            Ok(Recorder::new().with_base(headers([("tenant", "acme")])))
        }

        #[cfg(feature = "asyncapi")]
        fn channel_bindings(&self, channel: &str) -> Bindings {
            said("x-channel", channel)
        }

        #[cfg(feature = "asyncapi")]
        fn operation_bindings(&self, channel: &str) -> Bindings {
            said("x-operation", channel)
        }

        #[cfg(feature = "asyncapi")]
        fn message_bindings(&self, channel: &str) -> Bindings {
            said("x-message", channel)
        }

        #[cfg(feature = "asyncapi")]
        fn reply_address_location(&self) -> Option<&'static str> {
            Some("$message.header#/reply-to")
        }
    }

    #[cfg(feature = "asyncapi")]
    fn said(key: &'static str, channel: &str) -> Bindings {
        use ruststream_core::bindings::Binding;

        let body = serde_json::json!({ "channel": channel });
        Bindings::new().with(Binding::extension(key, &body).expect("an extension"))
    }

    // PUB-211
    #[cfg(feature = "asyncapi")]
    #[test]
    fn a_narrowed_policy_tells_the_document_what_its_policy_does() {
        let narrowed: SendOnlyPolicy<Policy> = Names::narrow(Policy);

        assert_eq!(narrowed.channel_bindings("a"), said("x-channel", "a"));
        assert_eq!(narrowed.operation_bindings("a"), said("x-operation", "a"));
        assert_eq!(narrowed.message_bindings("a"), said("x-message", "a"));
        let location = Some("$message.header#/reply-to");
        assert_eq!(narrowed.reply_address_location(), location);
    }

    // PUB-606, PUB-155, PUB-211
    #[tokio::test]
    async fn a_narrowed_policy_pairs_into_a_sender_that_forwards_everything() {
        let narrowed: SendOnlyPolicy<Policy> = Names::narrow(Policy);
        let live = narrowed.pair(&Line).await.expect("pairs");
        let value = Held(b"parcel".to_vec());
        let mut publish = live.message(&value).to("a");
        *publish.options_mut() = Some(Urgency(Some(2)));

        publish.publish().await.expect("publishes");

        let sent = live.0.only();
        assert_eq!(sent.headers, headers([("tenant", "acme")]));
        assert_eq!(sent.options, Some(Urgency(Some(2))));
    }

    // PUB-606
    #[tokio::test]
    async fn a_position_that_only_reads_keeps_its_policy() {
        let kept: Policy = Reads::narrow(Policy);
        let _live: Recorder<Take> = kept.pair(&Line).await.expect("pairs");
    }
}
