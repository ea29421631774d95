//! The builder's second terminal: a request that waits for its reply (PUB-725).

use std::time::Duration;

use ruststream_core::{MessageHeaders, OutgoingDestination, RequestReply};

use super::builder::{MessageBody, PublishBuilder, assembled};
use super::error::PublishError;
use super::headers::{PublishHeaders, SatisfiesContract};
use super::name::ResolvedName;
use super::scratch::Scratch;
use super::wire::{MessageWire, WirePayload};

impl<P, T, Enc, Hdrs, Dest> PublishBuilder<&P, MessageBody<'_, T>, Enc, Hdrs, Dest>
where
    P: RequestReply + ?Sized,
    T: OutgoingDestination + MessageHeaders + Sync,
    Hdrs: PublishHeaders,
{
    /// Publishes the message as a request and waits for its correlated reply, at most `timeout`.
    ///
    /// Value, headers and destination are checked and produced as for `publish`, base headers
    /// included; a slot's transforms and the publish layers do not run. The reply is the broker's
    /// delivery: the caller decodes it.
    ///
    /// Dropping the future gives the request up; whether it was sent is then indeterminate.
    ///
    /// # Errors
    ///
    /// [`PublishError::OptionsOnRequest`] where a broker step set a per-message option, with
    /// nothing sent. Otherwise as for `publish`; a reply that does not come in time is the
    /// broker's error.
    pub async fn request(self, timeout: Duration) -> Result<P::Reply, PublishError<P::Error>>
    where
        T: MessageWire,
        T::Wire: WirePayload<T, Enc>,
        Hdrs: SatisfiesContract<T::Contract>,
        Dest: ResolvedName,
    {
        let Self {
            sink,
            body,
            codec,
            headers,
            destination,
            options,
        } = self;
        if options.is_some() {
            return Err(PublishError::OptionsOnRequest);
        }
        let mut buffer = Scratch::take();
        let message = assembled::<P::Payload, _, _, _, _>(
            destination.resolve(T::DESTINATION),
            body.0,
            &codec,
            headers,
            sink.base_headers(),
            &mut buffer,
        )?;
        sink.request(message, timeout)
            .await
            .map_err(PublishError::Publish)
    }
}

#[cfg(test)]
mod tests {
    use ruststream_core::{IncomingMessage, Take};

    use super::*;
    use crate::publish::PublishExt;
    use crate::publish::testkit::{Held, Recorder, Refused, Urgency, headers};

    const SOON: Duration = Duration::from_secs(1);

    // PUB-725, PUB-202
    #[tokio::test]
    async fn a_typed_request_leaves_as_a_publish_would_and_returns_the_reply() {
        let publisher = Recorder::<Take>::new().with_base(headers([("tenant", "acme")]));

        let reply = publisher
            .message(&Held(b"ask".to_vec()))
            .to("quotes")
            .with_headers(headers([("lane", "7")]))
            .request(SOON)
            .await
            .expect("answers");

        assert_eq!(reply.payload(), b"answer");
        let asked = publisher.only();
        assert_eq!(
            (asked.name.as_str(), &asked.payload[..]),
            ("quotes", &b"ask"[..])
        );
        assert_eq!(asked.headers, headers([("tenant", "acme"), ("lane", "7")]));
        assert_eq!(publisher.calls(), ["request"]);
    }

    // PUB-725, PUB-236
    #[tokio::test]
    async fn a_request_with_options_is_refused_before_it_is_sent() {
        let publisher = Recorder::<Take>::new();
        let value = Held(b"ask".to_vec());
        let mut ask = publisher.message(&value).to("quotes");
        *ask.options_mut() = Some(Urgency(Some(1)));

        let error = ask.request(SOON).await.expect_err("refused");

        assert!(matches!(error, PublishError::OptionsOnRequest));
        assert!(publisher.calls().is_empty());
    }

    // PUB-725
    #[tokio::test]
    async fn a_failed_request_is_the_brokers_error() {
        let publisher = Recorder::<Take>::new().refusing();
        let ask = Held(b"ask".to_vec());
        let error = publisher
            .message(&ask)
            .to("quotes")
            .request(SOON)
            .await
            .expect_err("fails");
        assert!(matches!(error, PublishError::Publish(Refused)));
    }
}
