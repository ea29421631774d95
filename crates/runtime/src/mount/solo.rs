//! Mounting a registration of single messages: the startup steps of RUN-051, in their order.

use std::sync::Arc;

use ruststream_core::{
    Broker, BuildContext, Connected, RetryDeclaration, Subscriber, SubscriptionSource,
};

use super::metadata::complete;
use super::positions::NoReply;
use super::route::{FamilyMount, Layered, Route};
use super::router::RouterSink;
use super::settings::SubscriberBuilder;
use super::wire::PairOuts;
use crate::app::{BoxError, Opening, Registration};
use crate::definition::{Definition, Parts};
use crate::deliver::{Singly, Step, Subscription, dispatch};
use crate::extract::Site;
use crate::handler::Handler;
use crate::input::{LaneCodec, SoloLane};
use crate::layers::{BlanketLayer, Identity, Layer};
use crate::poll::Sampler;
use crate::publish::PublishPipeline;
use crate::reply::{DestNotice, NoAnswer, PairAnswer};
use crate::settle::{PairCopies, RetryDeclareError, RetryPlanned, Settlement};
use crate::verdict::OneByOne;

type MessageOf<Src, B> =
    <<Src as SubscriptionSource<Connected<B>>>::Subscriber as Subscriber>::Message;

type DecoderOf<D, DC, Surface> = <<D as Definition>::Axis as LaneCodec<DC, Surface>>::Decoder;

/// A route of single messages, as the chain commits it.
type SoloRoute<B, Mount, D, Src, Sett, DC, Sources, Rep, Ret, Wrap, Surface, Pipe> =
    Route<B, Mount, SubscriberBuilder<D, Src, Sett, DC>, Sources, Rep, Ret, Wrap, Surface, Pipe>;

/// The innermost handler of a route without a reply: what a route's own layers wrap.
type PlainStep<D, DC, Surface> = Step<
    <D as Definition>::Axis,
    DecoderOf<D, DC, Surface>,
    <D as Definition>::Body,
    (),
    <D as Definition>::Outs,
    NoAnswer,
>;

/// Writes the mount of one family; the bounds are the same but for what wraps the step.
macro_rules! solo_mount {
    (family $family:ty, reply [$($rep:ident)?] as $position:ty, wrap [$($wrap_param:ident)?] as $wrap:ty,
     where [$($bounds:tt)*],
     |$decoder:ident, $body:ident, $outs:ident, $answer:ident, $layers:ident| $finish:expr) => {
        impl<B, State, Mount, D, Src, Sett, DC, Sources, $($rep,)? Ret, $($wrap_param,)? Surface, Pipe>
            FamilyMount<
                SoloRoute<B, Mount, D, Src, Sett, DC, Sources, $position, Ret, $wrap, Surface, Pipe>,
                B,
                State,
            > for $family
        where
            B: Broker + 'static,
            State: Send + Sync + 'static,
            Mount: 'static,
            Src: SubscriptionSource<Connected<B>> + Send + Sync + 'static,
            Src::Subscriber: 'static,
            MessageOf<Src, B>: 'static,
            D: Definition,
            D::Axis: LaneCodec<DC, Surface>
                + SoloLane<
                    DecoderOf<D, DC, Surface>,
                    MessageOf<Src, B>,
                    D::Body,
                    D::Reply,
                    D::Outs,
                    D::Context,
                    State,
                >,
            D::Context: BuildContext<MessageOf<Src, B>> + Send + Sync + 'static,
            D::Body: Send + Sync + 'static,
            D::Reply: Send + 'static,
            D::Outs: Send + Sync + 'static,
            D::Dest: DestNotice<D::Reply> + Send + 'static,
            Sources: PairOuts<Connected<B>, D::Outs>,
            $position: PairAnswer<Mount, Connected<B>, D::Reply, D::Dest, D::Context>,
            Ret: RetryPlanned + Send + 'static,
            Src::Copies: PairCopies<Src, Connected<B>, Ret, Pipe, D::Context>,
            Pipe: Send + 'static,
            $($bounds)*
        {
            fn mount<G, PP>(
                route: SoloRoute<
                    B, Mount, D, Src, Sett, DC, Sources, $position, Ret, $wrap, Surface, Pipe,
                >,
                outer: &G,
                pipeline: &PP,
                sink: &mut RouterSink<B, State>,
            ) where
                G: BlanketLayer + Clone + Send + Sync + 'static,
                PP: PublishPipeline + Clone + Send + 'static,
            {
                let Route {
                    def, sources, reply, retry, wrap: $layers, surface, pipe, mut metadata, ..
                } = route;
                let SubscriberBuilder { def, source, settings, codec, .. } = def;
                let $decoder = <D::Axis as LaneCodec<DC, Surface>>::decoder(&codec, &surface);
                let Parts { body: $body, dest, .. } = def.split();
                complete(
                    &mut metadata,
                    <D::Axis as SoloLane<
                        DecoderOf<D, DC, Surface>, _, D::Body, D::Reply, D::Outs, D::Context, State,
                    >>::incoming(),
                    &retry,
                    |answer| reply.describe(answer),
                    |outgoing| sources.describe(outgoing),
                    |copy| Src::Copies::describe(&retry, copy),
                );
                let (outer, pipeline) = (outer.clone(), pipeline.clone());
                let registration = Registration::new(metadata, move |opening: Opening<'_, _, _>| {
                    Box::pin(async move {
                        let Opening { connected, state, service } = opening;
                        let name: Arc<str> = Arc::from(source.name());
                        let declaration = retry.declaration();
                        dest.warn_ignored(&name);

                        let $answer = reply.pair(dest, pipeline, connected).await?;
                        source
                            .declare_retry_on(connected, &declaration)
                            .map_err(|refused| RetryDeclareError::new(&name, refused))?;
                        let copies = Src::Copies::pair(&source, connected, retry, pipe).await?;
                        let copies = copies.map(|paired| paired.0);
                        announce(&name, &declaration, copies.is_some());
                        let source = source.declare_retry(&declaration);
                        let subscriber = source.subscribe(connected).await.map_err(BoxError::from)?;
                        let $outs = sources.pair(connected).await?;

                        let handler = $finish;
                        let sampler = Sampler::open(&service, &name, settings.workers);
                        let subscription = Subscription {
                            handler: outer
                                .apply::<MessageOf<Src, B>, D::Context, State, _>(handler),
                            site: Site::new(
                                Arc::clone(&name),
                                state,
                                service.main_runtime().clone(),
                                settings.failures,
                            ),
                            settlement: Settlement::new(name, &declaration, copies),
                            service,
                            sampler,
                        };
                        dispatch(Singly(subscriber), subscription, settings.workers)
                    })
                });
                sink.registrations.push(registration);
            }
        }
    };
}

solo_mount! {
    family OneByOne, reply [Rep] as Rep, wrap [] as Identity, where [],
    |decoder, body, outs, answer, _layers| {
        Step::<D::Axis, _, _, D::Reply, _, _>::new(decoder, body, outs, answer)
    }
}

solo_mount! {
    family Layered, reply [] as NoReply, wrap [Wrap] as Wrap,
    where [
        D: Definition<Reply = ()>,
        Wrap: Layer<
                PlainStep<D, DC, Surface>,
                Handler: Handler<MessageOf<Src, B>, D::Context, State> + 'static,
            > + Send
            + 'static,
    ],
    |decoder, body, outs, _answer, layers| {
        layers.layer(Step::new(decoder, body, outs, NoAnswer))
    }
}

/// RUN-348.
pub(crate) fn announce(subscription: &str, declaration: &RetryDeclaration, here: bool) {
    if declaration.declares_nothing() {
        return;
    }
    tracing::info!(
        target: "ruststream::retry",
        subscription = %subscription,
        max_attempts = declaration.max_attempts().map(std::num::NonZeroU32::get),
        dead_letter = declaration.dead_letter(),
        applied_by = if here { "runtime" } else { "broker" },
        "retry declaration"
    );
}
