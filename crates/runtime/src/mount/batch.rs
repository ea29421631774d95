//! Mounting a registration of batches: the startup steps of RUN-051, in their order.

use std::marker::PhantomData;
use std::sync::Arc;

use ruststream_core::{
    BatchSubscriber, Broker, BuildBatchContext, Connected, Subscriber, SubscriptionSource,
};

use super::metadata::complete;
use super::route::{FamilyMount, Route};
use super::router::RouterSink;
use super::settings::SubscriberBuilder;
use super::solo::announce;
use super::steps::BatchSized;
use super::wire::PairOuts;
use crate::app::{BoxError, Opening, Registration};
use crate::definition::{Definition, Parts};
use crate::deliver::{BatchSubscription, Common, InBatches, dispatch};
use crate::extract::Site;
use crate::input::{BatchLane, LaneCodec};
use crate::layers::{BlanketLayer, Identity};
use crate::poll::Sampler;
use crate::publish::PublishPipeline;
use crate::reply::PairBatchAnswer;
use crate::settle::{PairCopies, RetryDeclareError, RetryPlanned, Settlement};
use crate::verdict::Batched;

type SubscriberOf<Src, B> = <Src as SubscriptionSource<Connected<B>>>::Subscriber;
type MessageOf<Src, B> = <SubscriberOf<Src, B> as Subscriber>::Message;
type BatchOf<Src, B> = <SubscriberOf<Src, B> as BatchSubscriber>::Batch;
type DecoderOf<D, DC, Surface> = <<D as Definition>::Axis as LaneCodec<DC, Surface>>::Decoder;

/// A route of batches, as the chain commits it. No layer wraps it (RUN-369).
type BatchRoute<B, Mount, D, Src, Sett, DC, Sources, Rep, Ret, Surface, Pipe> = Route<
    B,
    Mount,
    SubscriberBuilder<D, Src, Sett, DC>,
    Sources,
    Rep,
    Ret,
    Identity,
    Surface,
    Pipe,
>;

impl<B, State, Mount, D, Src, Sett, DC, Sources, Rep, Ret, Surface, Pipe>
    FamilyMount<BatchRoute<B, Mount, D, Src, Sett, DC, Sources, Rep, Ret, Surface, Pipe>, B, State>
    for Batched
where
    B: Broker + 'static,
    State: Send + Sync + 'static,
    Mount: 'static,
    SubscriberBuilder<D, Src, Sett, DC>: BatchSized,
    Src: SubscriptionSource<Connected<B>> + Send + Sync + 'static,
    Src::Subscriber: BatchSubscriber<Batch: 'static> + 'static,
    MessageOf<Src, B>: 'static,
    D: Definition,
    D::Axis: LaneCodec<DC, Surface>
        + BatchLane<
            DecoderOf<D, DC, Surface>,
            BatchOf<Src, B>,
            D::Body,
            D::Reply,
            D::Outs,
            D::Context,
            State,
        >,
    D::Context: BuildBatchContext<MessageOf<Src, B>> + Send + Sync + 'static,
    D::Body: Send + Sync + 'static,
    D::Reply: Send + 'static,
    D::Outs: Send + Sync + 'static,
    D::Dest: Send + 'static,
    Sources: PairOuts<Connected<B>, D::Outs>,
    Rep: PairBatchAnswer<Mount, Connected<B>, D::Reply, D::Dest, D::Context>,
    Ret: RetryPlanned + Send + 'static,
    Src::Copies: PairCopies<Src, Connected<B>, Ret, Pipe, D::Context>,
    Pipe: Send + 'static,
{
    fn mount<G, PP>(
        route: BatchRoute<B, Mount, D, Src, Sett, DC, Sources, Rep, Ret, Surface, Pipe>,
        _outer: &G,
        pipeline: &PP,
        sink: &mut RouterSink<B, State>,
    ) where
        G: BlanketLayer + Clone + Send + Sync + 'static,
        PP: PublishPipeline + Clone + Send + 'static,
    {
        let Route {
            def,
            sources,
            reply,
            retry,
            surface,
            pipe,
            mut metadata,
            ..
        } = route;
        let size = BatchSized::batch_size(&def);
        let SubscriberBuilder {
            def,
            source,
            settings,
            codec,
            ..
        } = def;
        let decoder = <D::Axis as LaneCodec<DC, Surface>>::decoder(&codec, &surface);
        let Parts { body, dest, .. } = def.split();
        complete(
            &mut metadata,
            <D::Axis as BatchLane<
                DecoderOf<D, DC, Surface>,
                BatchOf<Src, B>,
                D::Body,
                D::Reply,
                D::Outs,
                D::Context,
                State,
            >>::incoming(),
            &retry,
            |answer| reply.describe(answer),
            |outgoing| sources.describe(outgoing),
            |copy| Src::Copies::describe(&retry, copy),
        );
        let pipeline = pipeline.clone();
        let registration = Registration::new(metadata, move |opening: Opening<'_, _, _>| {
            Box::pin(async move {
                let Opening {
                    connected,
                    state,
                    service,
                } = opening;
                let name: Arc<str> = Arc::from(source.name());
                let declaration = retry.declaration();
                Rep::warn_ignored(&dest, &name);

                let answer = reply.pair(dest, pipeline, connected).await?;
                source
                    .declare_retry_on(connected, &declaration)
                    .map_err(|refused| RetryDeclareError::new(&name, refused))?;
                let copies = Src::Copies::pair(&source, connected, retry, pipe).await?;
                let copies = copies.map(|paired| paired.0);
                announce(&name, &declaration, copies.is_some());
                let source = source.declare_retry(&declaration);
                let mut subscriber = source.subscribe(connected).await.map_err(BoxError::from)?;
                let outs = sources.pair(connected).await?;

                let main_runtime = service.main_runtime().clone();
                let sampler = Sampler::open(&service, &name, settings.workers);
                let common = Common {
                    site: Site::new(Arc::clone(&name), state, main_runtime, settings.failures),
                    settlement: Settlement::new(name, &declaration, copies),
                    service,
                    sampler,
                };
                let subscription = BatchSubscription::<_, D::Axis, _, _, D::Reply, _, _, _, _> {
                    decoder,
                    body,
                    outs,
                    answer,
                    common,
                    spare: subscriber.spare_batch(),
                    lane: PhantomData,
                };
                dispatch(
                    InBatches { subscriber, size },
                    subscription,
                    settings.workers,
                )
            })
        });
        sink.registrations.push(registration);
    }
}
