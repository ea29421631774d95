//! A committed registration: everything named, nothing paired.

use std::fmt;
use std::marker::PhantomData;

use ruststream_core::{Broker, Connected, SubscriptionSource};

use super::chain::RouterWith;
use super::metadata::Described;
use super::positions::{
    BatchMount, BatchPublishMount, LayeredMount, Positions, PublishMount, RawReplyMount, SoloMount,
};
use super::router::{Router, RouterDef, RouterSink};
use super::settings::SubscriberBuilder;
use super::wire::WireSlots;
use crate::app::BrokerScope;
use crate::definition::Definition;
use crate::docs::HandlerMetadata;
use crate::layers::{BlanketLayer, Stack};
use crate::publish::PublishPipeline;
use crate::settle::SettledCopies;
use crate::verdict::{Batched, OneByOne};

/// One registration of a router; `Def` is its bound definition with the settings.
#[doc(hidden)]
pub struct Route<B, Mount, Def, Sources, Rep, Ret, Wrap, Surface, Pipe> {
    pub(crate) def: Def,
    pub(crate) sources: Sources,
    pub(crate) reply: Rep,
    pub(crate) retry: Ret,
    pub(crate) wrap: Wrap,
    pub(crate) surface: Surface,
    pub(crate) pipe: Pipe,
    pub(crate) metadata: HandlerMetadata,
    mount: PhantomData<fn() -> (B, Mount)>,
}

impl<B, Mount, Def, Sources, Rep, Ret, Wrap, Surface, Pipe> fmt::Debug
    for Route<B, Mount, Def, Sources, Rep, Ret, Wrap, Surface, Pipe>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Route")
            .field("name", &self.metadata.name)
            .finish_non_exhaustive()
    }
}

/// Finishes a chain on a router.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this registration is not ready to mount: bind each slot before `.build()`, `.out(Marker, policy)`",
    label = "a position is unbound or does not fit",
    note = "a slot is an `Out<.., Marker>` parameter of the handler; `DefaultSlot` is the marker of one that names none"
)]
pub trait RouterCommit<Mount, R, Def>: Sized {
    /// The grown router.
    type Out;
    /// Grows it.
    fn commit(self, def: Def, router: R) -> Self::Out;
}

impl<Mount, B, Routes, RC, RL, RP, Def, Rep, Slots, Ret, Wrap>
    RouterCommit<Mount, Router<B, Routes, RC, RL, RP>, Def> for Positions<Rep, Slots, Ret, Wrap>
where
    B: Broker + 'static,
    RC: Clone,
    RP: Clone,
    Slots: WireSlots<Connected<B>, RC, RP, Def>,
    Slots::Bound: Described<Connected<B>, RC, Ret>,
{
    type Out = Router<
        B,
        (
            Route<B, Mount, Slots::Bound, Slots::Sources, Rep, Ret, Wrap, RC, RP>,
            Routes,
        ),
        RC,
        RL,
        RP,
    >;
    fn commit(self, def: Def, router: Router<B, Routes, RC, RL, RP>) -> Self::Out {
        let Self {
            reply,
            slots,
            retry,
            wrap,
        } = self;
        let (surface, pipe) = (router.codec.clone(), router.pipe.clone());
        let (def, sources) = slots.wire(def, &surface, &pipe);
        let metadata = def.metadata(&retry);
        router.push(Route {
            def,
            sources,
            reply,
            retry,
            wrap,
            surface,
            pipe,
            metadata,
            mount: PhantomData,
        })
    }
}

/// Commits a chain to the scope it was begun on.
#[doc(hidden)]
pub trait ScopeCommit<B: Broker, Layers, C, State, Pipeline>: Sized {
    /// Mounts it.
    fn commit_into(self, scope: &mut BrokerScope<B, Layers, C, State, Pipeline>);
}

impl<B, Layers, C, State, Pipeline, Mount, R, Def, Attach, Last>
    ScopeCommit<B, Layers, C, State, Pipeline> for RouterWith<Mount, R, Def, Attach, Last>
where
    B: Broker + 'static,
    Attach: RouterCommit<Mount, R, Def>,
    Attach::Out: ScopeCommit<B, Layers, C, State, Pipeline>,
{
    fn commit_into(self, scope: &mut BrokerScope<B, Layers, C, State, Pipeline>) {
        self.commit().commit_into(scope);
    }
}

impl<B, Layers, C, State, Pipeline, Routes, RC, RL, RP> ScopeCommit<B, Layers, C, State, Pipeline>
    for Router<B, Routes, RC, RL, RP>
where
    B: Broker + 'static,
    Routes: RouterDef<B, State, RP>,
    RL: BlanketLayer + Clone + Send + Sync + 'static,
    Layers: BlanketLayer + Clone + Send + Sync + 'static,
    Pipeline: PublishPipeline + Clone + Send + 'static,
    State: Send + Sync + 'static,
{
    fn commit_into(self, scope: &mut BrokerScope<B, Layers, C, State, Pipeline>) {
        scope.mount_router::<_, RP>(self);
    }
}

/// Mounts one route into an application of state `State`.
#[doc(hidden)]
pub trait MountRoute<B: Broker, State> {
    /// Turns the route into a registration, behind the outer layers and publish layers.
    fn mount<G, PP>(self, outer: &G, pipeline: &PP, sink: &mut RouterSink<B, State>)
    where
        G: BlanketLayer + Clone + Send + Sync + 'static,
        PP: PublishPipeline + Clone + Send + 'static;
}

/// A mount token, with the family whose mount it is.
#[doc(hidden)]
pub trait MountToken {
    /// `OneByOne` or `Batched`.
    type Family;
}

impl MountToken for SoloMount {
    type Family = OneByOne;
}
impl MountToken for LayeredMount {
    type Family = Layered;
}
impl MountToken for PublishMount {
    type Family = OneByOne;
}
impl MountToken for RawReplyMount {
    type Family = OneByOne;
}
impl MountToken for BatchMount {
    type Family = Batched;
}
impl MountToken for BatchPublishMount {
    type Family = Batched;
}

/// Single messages under layers of the route's own.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Layered;

/// How a family mounts a route.
#[doc(hidden)]
pub trait FamilyMount<R, B: Broker, State> {
    /// As [`MountRoute::mount`].
    fn mount<G, PP>(route: R, outer: &G, pipeline: &PP, sink: &mut RouterSink<B, State>)
    where
        G: BlanketLayer + Clone + Send + Sync + 'static,
        PP: PublishPipeline + Clone + Send + 'static;
}

impl<B, State, Mount, Def, Sources, Rep, Ret, Wrap, Surface, Pipe> MountRoute<B, State>
    for Route<B, Mount, Def, Sources, Rep, Ret, Wrap, Surface, Pipe>
where
    B: Broker,
    Mount: MountToken,
    Mount::Family: FamilyMount<Self, B, State>,
{
    fn mount<G, PP>(self, outer: &G, pipeline: &PP, sink: &mut RouterSink<B, State>)
    where
        G: BlanketLayer + Clone + Send + Sync + 'static,
        PP: PublishPipeline + Clone + Send + 'static,
    {
        <Mount::Family as FamilyMount<Self, B, State>>::mount(self, outer, pipeline, sink);
    }
}

/// Every route of a router says where its retry copies go, or leaves it to its descriptor.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this registration does not say where its retry copies go: write `.to(\"..\")` after `.out_retry(policy)`",
    label = "its descriptor cannot address copies (`NamedCopies`), and no destination is named",
    note = "name one after `.out_retry(policy)`: `.to(\"parcels.again\")`, or a transform with \
            `type Destination = Names`"
)]
pub trait RetryDestinationsDeclared {}

impl RetryDestinationsDeclared for () {}

impl<Head, Tail> RetryDestinationsDeclared for (Head, Tail)
where
    Head: RetryDestinationsDeclared,
    Tail: RetryDestinationsDeclared,
{
}

impl<B: Broker, Routes: RetryDestinationsDeclared, C, Layers, Pipe> RetryDestinationsDeclared
    for Router<B, Routes, C, Layers, Pipe>
{
}

impl<B, Mount, D, Src, Sett, DC, Sources, Rep, Ret, Wrap, Surface, Pipe> RetryDestinationsDeclared
    for Route<B, Mount, SubscriberBuilder<D, Src, Sett, DC>, Sources, Rep, Ret, Wrap, Surface, Pipe>
where
    B: Broker,
    D: Definition,
    Src: SubscriptionSource<Connected<B>>,
    Src::Copies: SettledCopies<Src, Ret, Connected<B>, D::Context>,
{
}

// Steps on a route that was included already.

impl<B, Mount, Def, Rep, Ret, Wrap, Surface, Pipe>
    Route<B, Mount, Def, (), Rep, Ret, Wrap, Surface, Pipe>
{
    /// Takes the route apart into the chain it came from.
    pub(crate) fn reopen(self) -> (Def, Positions<Rep, (), Ret, Wrap>) {
        let Self {
            def,
            reply,
            retry,
            wrap,
            ..
        } = self;
        (
            def,
            Positions {
                reply,
                slots: (),
                retry,
                wrap,
            },
        )
    }

    /// The route under one more layer of its own.
    pub(crate) fn wrapped<N>(
        self,
        layer: N,
    ) -> Route<B, LayeredMount, Def, (), Rep, Ret, Stack<Wrap, N>, Surface, Pipe> {
        Route {
            def: self.def,
            sources: (),
            reply: self.reply,
            retry: self.retry,
            wrap: Stack::new(self.wrap, layer),
            surface: self.surface,
            pipe: self.pipe,
            metadata: self.metadata,
            mount: PhantomData,
        }
    }
}
