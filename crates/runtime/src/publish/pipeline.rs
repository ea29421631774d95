//! The way from a slot to its publisher.

use std::error::Error;

use ruststream_core::{OutgoingFor, Publisher};
use thiserror::Error;

use super::BoxError;
use super::layer::{PublishIdentity, PublishLayer, PublishPipeline, PublishStack};
use super::outgoing::Outgoing;

/// What stands between a slot and the live value `W` it is wired to.
///
/// The mount composes it: nothing, the slot's transforms, the application's layers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a way out to `{W}`: bind the slot to a policy whose live value is a `Publisher`",
    label = "this slot cannot send through the value it is bound to",
    note = "a slot with transforms is bound to a policy whose live value is a `Publisher`; a body \
            leaves the pipeline generic: `Pipe: OutPipeline<W>`"
)]
pub trait OutPipeline<W>: Send + Sync {
    /// What a publish fails with, given the publisher's error: that error itself, or
    /// [`PipelinePublishError`] where the application has publish layers.
    type Error<E: Error + Send + Sync + 'static>: Error + Send + Sync + 'static;

    /// The publisher's error as this pipeline reports it.
    fn from_publish_error<E: Error + Send + Sync + 'static>(err: E) -> Self::Error<E>;

    /// Sends one message through the pipeline to `leaf`.
    fn send<P>(
        &self,
        leaf: &P,
        msg: OutgoingFor<'_, W::Payload>,
        options: Option<&P::Options>,
    ) -> impl Future<Output = Result<(), Self::Error<P::Error>>> + Send
    where
        W: Publisher,
        P: Publisher<Options = W::Options, Payload = W::Payload>;
}

impl<W> OutPipeline<W> for PublishIdentity {
    type Error<E: Error + Send + Sync + 'static> = E;

    fn from_publish_error<E: Error + Send + Sync + 'static>(err: E) -> E {
        err
    }

    #[inline]
    fn send<P>(
        &self,
        leaf: &P,
        msg: OutgoingFor<'_, W::Payload>,
        options: Option<&P::Options>,
    ) -> impl Future<Output = Result<(), P::Error>> + Send
    where
        W: Publisher,
        P: Publisher<Options = W::Options, Payload = W::Payload>,
    {
        leaf.publish(msg, options)
    }
}

impl<W, Head: PublishLayer, Tail: PublishPipeline> OutPipeline<W> for PublishStack<Head, Tail> {
    type Error<E: Error + Send + Sync + 'static> = PipelinePublishError;

    fn from_publish_error<E: Error + Send + Sync + 'static>(err: E) -> PipelinePublishError {
        PipelinePublishError(Box::new(err))
    }

    #[inline]
    async fn send<P>(
        &self,
        leaf: &P,
        msg: OutgoingFor<'_, W::Payload>,
        options: Option<&P::Options>,
    ) -> Result<(), PipelinePublishError>
    where
        W: Publisher,
        P: Publisher<Options = W::Options, Payload = W::Payload>,
    {
        let mut out = Outgoing::of::<W::Payload>(msg);
        self.run(&mut out, leaf, options)
            .await
            .map_err(PipelinePublishError)
    }
}

/// A publish that failed on its way through the application's publish layers.
///
/// The source is the layer's error, or the broker's.
#[derive(Debug, Error)]
#[error("failed to publish through the publish pipeline")]
pub struct PipelinePublishError(#[source] BoxError);

impl PipelinePublishError {
    /// The error of the layer or broker.
    #[must_use]
    pub fn into_source(self) -> Box<dyn Error + Send + Sync> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::testkit::{Recorder, Refused};
    use crate::publish::{PublishDynStack, SlotTransforms};
    use ruststream_core::Take;

    type Live = Recorder<Take>;
    type Layered = PublishStack<PublishDynStack, PublishIdentity>;

    fn reported<Pipe: OutPipeline<Live>>() -> Pipe::Error<Refused> {
        Pipe::from_publish_error(Refused)
    }

    // PUB-508
    #[test]
    fn without_layers_the_publishers_error_stays_what_it_is() {
        let bare: Refused = reported::<PublishIdentity>();
        assert_eq!(bare, Refused);
        let transformed: Refused =
            reported::<SlotTransforms<crate::publish::PublishTransformIdentity, PublishIdentity>>();
        assert_eq!(transformed, Refused);
    }

    // PUB-508
    #[test]
    fn with_layers_the_error_keeps_the_publishers_as_its_source() {
        let error: PipelinePublishError = reported::<Layered>();

        assert_eq!(
            error.to_string(),
            "failed to publish through the publish pipeline"
        );
        let source = error.source().expect("kept").downcast_ref::<Refused>();
        assert_eq!(source, Some(&Refused));
        assert_eq!(error.into_source().to_string(), "refused");
    }

    // PUB-509: a live value that is no publisher still has a pipeline to be mounted with.
    #[test]
    fn a_bare_pipeline_fits_any_live_value() {
        fn fits<Pipe: OutPipeline<u32>>() {}
        fits::<PublishIdentity>();
        fits::<Layered>();
    }
}
