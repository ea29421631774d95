//! The transforms of a slot as a pipeline, and what a stack of transforms does at a position.

use std::error::Error;

use ruststream_core::{OutgoingFor, Publisher};

use super::context::{ForReply, ForSlot, SlotContext};
use super::naming::{DestinationUse, Either, FitsTaken, Reads};
use super::outgoing::Outgoing;
use super::pipeline::OutPipeline;
use super::transform::{PublishTransform, PublishTransformIdentity, PublishTransformStack};

/// Turns a slot's composed transforms into its pipeline.
#[doc(hidden)]
pub trait LowerOutTransforms<Pipeline> {
    /// The pipeline, the bare one where nothing was composed.
    type Out;

    /// Puts the transforms before `pipeline`.
    fn lower(self, slot: &'static str, pipeline: Pipeline) -> Self::Out;
}

impl<Pipeline> LowerOutTransforms<Pipeline> for PublishTransformIdentity {
    type Out = Pipeline;

    fn lower(self, _slot: &'static str, pipeline: Pipeline) -> Pipeline {
        pipeline
    }
}

impl<Pipeline, Inner, Outer> LowerOutTransforms<Pipeline> for PublishTransformStack<Inner, Outer> {
    type Out = SlotTransforms<Self, Pipeline>;

    fn lower(self, slot: &'static str, pipeline: Pipeline) -> Self::Out {
        SlotTransforms {
            slot,
            stack: self,
            pipeline,
        }
    }
}

/// A slot's transforms, then the rest of its way out.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct SlotTransforms<Stack, Pipeline> {
    slot: &'static str,
    stack: Stack,
    pipeline: Pipeline,
}

impl<W, Stack, Pipeline> OutPipeline<W> for SlotTransforms<Stack, Pipeline>
where
    W: Publisher,
    Stack: PublishTransform<ForSlot, W::Options>,
    Pipeline: OutPipeline<W>,
{
    type Error<E: Error + Send + Sync + 'static> = Pipeline::Error<E>;

    fn from_publish_error<E: Error + Send + Sync + 'static>(err: E) -> Pipeline::Error<E> {
        Pipeline::from_publish_error(err)
    }

    #[inline]
    async fn send<P>(
        &self,
        leaf: &P,
        msg: OutgoingFor<'_, W::Payload>,
        options: Option<&P::Options>,
    ) -> Result<(), Pipeline::Error<P::Error>>
    where
        P: Publisher<Options = W::Options, Payload = W::Payload>,
    {
        let mut out = Outgoing::of::<W::Payload>(msg);
        let mut options = options.cloned();
        self.stack
            .apply(&mut out, &mut options, &SlotContext::new(self.slot));
        self.pipeline
            .send(leaf, out.leaving::<W::Payload>(), options.as_ref())
            .await
    }
}

/// What a slot's transforms do with destinations, given its live value.
///
/// Without transforms the live value may be anything, not only a publisher.
#[doc(hidden)]
pub trait SlotStackUse<Live> {
    /// [`Reads`] or [`Names`](super::Names).
    type Destination: DestinationUse;
}

impl<Live> SlotStackUse<Live> for PublishTransformIdentity {
    type Destination = Reads;
}

impl<Live: Publisher, Inner, Outer> SlotStackUse<Live> for PublishTransformStack<Inner, Outer>
where
    Self: PublishTransform<ForSlot, Live::Options>,
{
    type Destination = <Self as PublishTransform<ForSlot, Live::Options>>::Destination;
}

/// What a retry position's transforms do with destinations, given its live value and the
/// handler's delivery context.
#[doc(hidden)]
pub trait RetryStackUse<Live, Cx> {
    /// [`Reads`] or [`Names`](super::Names).
    type Destination: DestinationUse;
}

impl<Live, Cx> RetryStackUse<Live, Cx> for PublishTransformIdentity {
    type Destination = Reads;
}

impl<Live: Publisher, Cx, Inner, Outer> RetryStackUse<Live, Cx>
    for PublishTransformStack<Inner, Outer>
where
    Inner: RetryStackUse<Live, Cx>,
    Outer: PublishTransform<ForReply<Cx>, Live::Options>,
    Outer::Destination: FitsTaken<Inner::Destination> + Either<Inner::Destination>,
    <Outer::Destination as Either<Inner::Destination>>::Out: DestinationUse,
{
    type Destination = <Outer::Destination as Either<Inner::Destination>>::Out;
}

#[cfg(test)]
mod tests {
    use ruststream_core::{HeaderMap, Lend, OutgoingMessage, PayloadForm, Take};

    use super::*;
    use crate::publish::testkit::{Recorder, Urgency, headers};
    use crate::publish::{
        BoxError, ContextKind, Names, NamesDestination, PublishIdentity, PublishLayer, PublishNext,
        PublishPipeline, PublishStack,
    };

    /// Appends its mark to a header: as a transform and as a layer.
    struct Append(&'static str);

    impl Append {
        fn mark(&self, headers: &mut HeaderMap) {
            let marks = headers.get_str("marks").unwrap_or_default().to_owned() + self.0;
            headers.insert("marks", marks);
        }
    }

    impl<K: ContextKind, Options> PublishTransform<K, Options> for Append {
        type Destination = Reads;

        fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {
            self.mark(out.headers_mut());
        }
    }

    impl PublishLayer for Append {
        async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
            &'a self,
            out: &'a mut Outgoing<'a>,
            next: PublishNext<'a, N, P>,
        ) -> Result<(), BoxError> {
            self.mark(out.headers_mut());
            next.run(out).await
        }
    }

    /// Sends to the slot's own name, one step more urgent.
    struct Route;

    impl PublishTransform<ForSlot, Urgency> for Route {
        type Destination = Names;

        fn apply(
            &self,
            out: &mut Outgoing<'_>,
            options: &mut Option<Urgency>,
            cx: &SlotContext<'_>,
        ) {
            out.set_name(cx.slot().to_owned());
            let urgency = options.get_or_insert_with(Urgency::default);
            urgency.0 = Some(urgency.0.unwrap_or(0) + 1);
        }
    }

    type One<T> = PublishTransformStack<PublishTransformIdentity, T>;

    fn one<T>(transform: T) -> One<T> {
        PublishTransformStack::new(PublishTransformIdentity, transform)
    }

    async fn sent<F, Pipe>(
        pipeline: &Pipe,
        options: Option<Urgency>,
    ) -> crate::publish::testkit::Sent
    where
        F: PayloadForm,
        Pipe: OutPipeline<Recorder<F>>,
    {
        let publisher = Recorder::<F>::new();
        let message = OutgoingMessage::new("declared", b"parcel");
        pipeline
            .send(&publisher, message, options.as_ref())
            .await
            .expect("publishes");
        publisher.only()
    }

    // PUB-650, PUB-604
    #[tokio::test]
    async fn transforms_run_before_every_layer() {
        let layers =
            PublishStack::new(Append("B"), PublishStack::new(Append("A"), PublishIdentity));
        let pipeline = one(Append("T")).lower("Receipts", layers);
        let sent = sent::<Lend, _>(&pipeline, None).await;
        assert_eq!(sent.headers, headers([("marks", "TBA")]));
    }

    // PUB-233, PUB-601, PUB-603
    #[tokio::test]
    async fn a_slot_transform_completes_the_calls_options_and_names_the_destination() {
        let pipeline = one(Route).lower("Receipts", PublishIdentity);

        let called = sent::<Take, _>(&pipeline, Some(Urgency(Some(6)))).await;
        let uncalled = sent::<Take, _>(&pipeline, None).await;

        assert_eq!(
            (called.name.as_str(), called.options),
            ("Receipts", Some(Urgency(Some(7))))
        );
        assert_eq!(uncalled.options, Some(Urgency(Some(1))));
        assert_eq!(called.payload, b"parcel");
    }

    // PUB-233
    #[tokio::test]
    async fn a_transform_that_leaves_options_alone_passes_them_on() {
        let pipeline = one(Append("T")).lower("Receipts", PublishIdentity);
        let sent = sent::<Take, _>(&pipeline, Some(Urgency(None))).await;
        assert_eq!(sent.options, Some(Urgency(None)));
    }

    // PUB-653
    #[test]
    fn no_transform_lowers_to_the_pipeline_itself() {
        let PublishIdentity = PublishTransformIdentity.lower("Receipts", PublishIdentity);
    }

    // PUB-605, PUB-606
    #[test]
    fn a_stack_says_at_mount_time_whether_it_names() {
        fn names<Stack: SlotStackUse<Recorder<Take>>>() -> bool {
            Stack::Destination::NAMES
        }
        fn names_copies<Stack: RetryStackUse<Recorder<Take>, ()>>() -> bool {
            Stack::Destination::NAMES
        }
        assert!(!names::<PublishTransformIdentity>());
        assert!(!names::<One<Append>>());
        assert!(names::<One<Route>>());
        assert!(!names_copies::<PublishTransformIdentity>());
        assert!(!names_copies::<One<Append>>());
    }
}
