//! Routers: registrations composed without a broker.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;

use ruststream_core::{Broker, Connected, Subscriber};

use super::bind::{BindAt, OutPosition};
use super::chain::RouterWith;
use super::declare::{CapOpen, DeadLetterOpen, DeclareCap, DeclareDeadLetter};
use super::forms::RouterMount;
use super::handle::HandleRoute;
use super::positions::{
    BatchMount, DefaultReply, LayeredMount, NoOutBound, NoReply, Positions, Retry, RetryPos,
    SoloMount,
};
use super::route::{MountRoute, Route};
use super::settings::SubscriberBuilder;
use super::steps::Declared;
use crate::app::Registration;
use crate::docs::HandlerMetadata;
use crate::handler::Handler;
use crate::layers::{BlanketLayer, Identity, Stack};
use crate::publish::{PublishIdentity, PublishPipeline};
use crate::workers::Workers;

/// A list of registrations for brokers of type `B`, built without one (RUN-130).
///
/// A library of handlers exports a function that returns `impl RouterDef<B>`; a service mounts it
/// with `include_router`.
#[must_use = "a router mounts nothing until a scope includes it"]
pub struct Router<B, Routes = (), C = (), Layers = Identity, Pipe = PublishIdentity> {
    pub(crate) routes: Routes,
    pub(crate) codec: C,
    pub(crate) layers: Layers,
    pub(crate) pipe: Pipe,
    broker: PhantomData<fn() -> B>,
}

impl<B: Broker + 'static> Router<B, ()> {
    /// An empty router.
    pub fn new() -> Self {
        Self::on_surface((), PublishIdentity)
    }
}

impl<B: Broker + 'static, C, Pipe> Router<B, (), C, Identity, Pipe> {
    /// An empty router with the codec and publish layers of a scope.
    pub(crate) fn on_surface(codec: C, pipe: Pipe) -> Self {
        Self {
            routes: (),
            codec,
            layers: Identity,
            pipe,
            broker: PhantomData,
        }
    }
}

impl<B: Broker + 'static> Default for Router<B> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B, Routes, C, Layers, Pipe> fmt::Debug for Router<B, Routes, C, Layers, Pipe> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router").finish_non_exhaustive()
    }
}

impl<B: Broker + 'static, RC, RL, RP> Router<B, (), RC, RL, RP> {
    /// Wraps every route added from now on; the layer added first is outermost.
    pub fn layer<N>(self, layer: N) -> Router<B, (), RC, Stack<N, RL>, RP> {
        Router {
            routes: (),
            codec: self.codec,
            layers: Stack::new(layer, self.layers),
            pipe: self.pipe,
            broker: PhantomData,
        }
    }
}

impl<B: Broker + 'static, Routes, RC, RL, RP> Router<B, Routes, RC, RL, RP> {
    pub(crate) fn push<Head>(self, head: Head) -> Router<B, (Head, Routes), RC, RL, RP> {
        Router {
            routes: (head, self.routes),
            codec: self.codec,
            layers: self.layers,
            pipe: self.pipe,
            broker: PhantomData,
        }
    }

    /// Decodes the inputs of the includes that follow with `codec`.
    pub fn with_codec<C>(self, codec: C) -> Router<B, Routes, C, RL, RP> {
        Router {
            routes: self.routes,
            codec,
            layers: self.layers,
            pipe: self.pipe,
            broker: PhantomData,
        }
    }

    /// Adds a definition. One with a reply or slots is finished with `.build()`.
    pub fn include<D>(self, def: D) -> <D::Form as RouterMount<Self, D::Settings>>::Out
    where
        D: Declared,
        D::Form: RouterMount<Self, D::Settings>,
    {
        <D::Form as RouterMount<Self, D::Settings>>::begin(def.declare(), self)
    }

    /// Appends the routes of `other`, which keeps its codec and its layers.
    pub fn merge<R2, C2, L2, P2>(
        self,
        other: Router<B, R2, C2, L2, P2>,
    ) -> Router<B, (Router<B, R2, C2, L2, P2>, Routes), RC, RL, RP>
    where
        L2: BlanketLayer,
    {
        self.push(other)
    }

    /// Adds an opened subscriber with a raw handler.
    pub fn handle<S, H>(
        self,
        subscriber: S,
        handler: H,
        meta: HandlerMetadata,
    ) -> Router<B, (HandleRoute<S, H>, Routes), RC, RL, RP>
    where
        S: Subscriber + Send + 'static,
        H: Handler<S::Message> + 'static,
    {
        self.push(HandleRoute::new(subscriber, handler, meta))
    }
}

impl<B: Broker + 'static, Routes: RouterHandlers, C, Layers, Pipe>
    Router<B, Routes, C, Layers, Pipe>
{
    /// What is registered, in order.
    pub fn handlers(&self) -> Vec<HandlerMetadata> {
        let mut out = Vec::new();
        self.routes.collect_handlers(&mut out);
        out
    }
}

type Eager<B, Mount, D, Src, Sett, DC, Ret, Wrap, Surface, Pipe> =
    Route<B, Mount, SubscriberBuilder<D, Src, Sett, DC>, (), NoReply, Ret, Wrap, Surface, Pipe>;

macro_rules! eager_steps {
    ($($mount:ident)+) => {$(
        impl<B, D, Src, Sett, DC, Ret, Wrap, Surface, Pipe, Routes, RC, RL, RP>
            Router<
                B,
                (Eager<B, $mount, D, Src, Sett, DC, Ret, Wrap, Surface, Pipe>, Routes),
                RC,
                RL,
                RP,
            >
        {
            /// Replaces the concurrency of the route just added, whatever its definition said.
            pub fn workers(mut self, workers: Workers) -> Self {
                self.routes.0.def.settings.workers = workers;
                self
            }
        }
    )+};
}

macro_rules! layered_steps {
    ($($mount:ident)+) => {$(
        impl<B, D, Src, Sett, DC, Ret, Wrap, Surface, Pipe, Routes, RC, RL, RP>
            Router<
                B,
                (Eager<B, $mount, D, Src, Sett, DC, Ret, Wrap, Surface, Pipe>, Routes),
                RC,
                RL,
                RP,
            >
        {
            /// Wraps the route just added, outside of its decoding; the layer added last is
            /// outermost of these, and the layers of the router and the application stay outside.
            pub fn layer<N>(
                self,
                layer: N,
            ) -> Router<
                B,
                (
                    Eager<B, LayeredMount, D, Src, Sett, DC, Ret, Stack<Wrap, N>, Surface, Pipe>,
                    Routes,
                ),
                RC,
                RL,
                RP,
            > {
                let (head, tail) = self.routes;
                Router {
                    routes: (head.wrapped(layer), tail),
                    codec: self.codec,
                    layers: self.layers,
                    pipe: self.pipe,
                    broker: PhantomData,
                }
            }
        }
    )+};
}

eager_steps! { SoloMount LayeredMount BatchMount }
layered_steps! { SoloMount LayeredMount }

/// The chain that a step on an included route opens again.
type Reopened<B, Mount, Def, Attach, Tail, RC, RL, RP, Last> =
    RouterWith<Mount, Router<B, Tail, RC, RL, RP>, Def, Attach, Last>;

impl<B: Broker + 'static, Mount, Def, Rep, Ret, Wrap, Surface, Pipe, Tail, RC, RL, RP>
    Router<
        B,
        (
            Route<B, Mount, Def, (), Rep, Ret, Wrap, Surface, Pipe>,
            Tail,
        ),
        RC,
        RL,
        RP,
    >
{
    fn reopen(
        self,
    ) -> Reopened<B, Mount, Def, Positions<Rep, (), Ret, Wrap>, Tail, RC, RL, RP, NoOutBound> {
        let (head, tail) = self.routes;
        let (def, positions) = head.reopen();
        let router = Router {
            routes: tail,
            codec: self.codec,
            layers: self.layers,
            pipe: self.pipe,
            broker: PhantomData,
        };
        RouterWith::new(router, def, positions)
    }

    /// Binds a position of the route just added: `Retry`.
    pub fn out<M, Policy, Index>(
        self,
        marker: M,
        policy: Policy,
    ) -> Reopened<
        B,
        Mount,
        Def,
        <Positions<Rep, (), Ret, Wrap> as BindAt<Mount, M, Policy, Index>>::Out,
        Tail,
        RC,
        RL,
        RP,
        Index,
    >
    where
        Positions<Rep, (), Ret, Wrap>: BindAt<Mount, M, Policy, Index, Step: OutPosition<M>>,
    {
        self.reopen().out(marker, policy)
    }

    /// Binds the position that retry copies of the route just added leave through.
    pub fn out_retry<Policy>(
        self,
        policy: Policy,
    ) -> Reopened<
        B,
        Mount,
        Def,
        <Positions<Rep, (), Ret, Wrap> as BindAt<Mount, Retry, Policy, RetryPos>>::Out,
        Tail,
        RC,
        RL,
        RP,
        RetryPos,
    >
    where
        Positions<Rep, (), Ret, Wrap>:
            BindAt<Mount, Retry, Policy, RetryPos, Step: OutPosition<Retry>>,
    {
        self.reopen().out_retry(policy)
    }

    /// Declares how often a message of the route just added is delivered at most.
    pub fn max_attempts(
        self,
        attempts: NonZeroU32,
    ) -> Reopened<
        B,
        Mount,
        Def,
        <Positions<Rep, (), Ret, Wrap> as DeclareCap>::Out,
        Tail,
        RC,
        RL,
        RP,
        NoOutBound,
    >
    where
        Positions<Rep, (), Ret, Wrap>: DeclareCap<Step: CapOpen>,
    {
        self.reopen().max_attempts(attempts)
    }

    /// Declares where a message of the route just added goes that used up its attempts.
    pub fn dead_letter(
        self,
        destination: impl Into<Cow<'static, str>>,
    ) -> Reopened<
        B,
        Mount,
        Def,
        <Positions<Rep, (), Ret, Wrap> as DeclareDeadLetter>::Out,
        Tail,
        RC,
        RL,
        RP,
        NoOutBound,
    >
    where
        Positions<Rep, (), Ret, Wrap>: DeclareDeadLetter<Step: DeadLetterOpen>,
    {
        self.reopen().dead_letter(destination)
    }
}

/// The broker type of a router.
#[doc(hidden)]
pub trait RouterBroker {
    /// The broker.
    type Broker: Broker + 'static;
}

impl<B: Broker + 'static, Routes, C, Layers, Pipe> RouterBroker
    for Router<B, Routes, C, Layers, Pipe>
{
    type Broker = B;
}

/// Collects the registrations of routers on their way into a scope.
pub struct RouterSink<B: Broker, State = ()> {
    pub(crate) registrations: Vec<Registration<Connected<B>, State>>,
}

impl<B: Broker, State> RouterSink<B, State> {
    pub(crate) const fn new() -> Self {
        Self {
            registrations: Vec::new(),
        }
    }
}

impl<B: Broker, State> fmt::Debug for RouterSink<B, State> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RouterSink").finish_non_exhaustive()
    }
}

/// Routes that mount on brokers of type `B` in an application of state `State`.
///
/// Named in return types: `fn routes() -> impl RouterDef<MyBroker>`.
#[diagnostic::on_unimplemented(
    message = "these routes do not mount on `{B}` in an application of state `{State}`: a router is of one broker, `Router::<MyBroker>::new()`, and of one state",
    label = "these routes do not fit here",
    note = "a router names its broker, `Router::<MyBroker>::new()`, and its bodies the app's state"
)]
pub trait RouterDef<B: Broker, State = (), RetryPipeline = PublishIdentity> {
    /// Mounts the routes, in their order.
    #[doc(hidden)]
    fn mount<G, PP>(self, global: &G, pipeline: &PP, sink: &mut RouterSink<B, State>)
    where
        G: BlanketLayer + Clone + Send + Sync + 'static,
        PP: PublishPipeline + Clone + Send + 'static;
}

impl<B: Broker + 'static, State, RetryPipeline> RouterDef<B, State, RetryPipeline> for () {
    fn mount<G, PP>(self, _global: &G, _pipeline: &PP, _sink: &mut RouterSink<B, State>)
    where
        G: BlanketLayer + Clone + Send + Sync + 'static,
        PP: PublishPipeline + Clone + Send + 'static,
    {
    }
}

impl<B, Head, Tail, State, RetryPipeline> RouterDef<B, State, RetryPipeline> for (Head, Tail)
where
    B: Broker + 'static,
    Head: MountRoute<B, State>,
    Tail: RouterDef<B, State, RetryPipeline>,
{
    fn mount<G, PP>(self, global: &G, pipeline: &PP, sink: &mut RouterSink<B, State>)
    where
        G: BlanketLayer + Clone + Send + Sync + 'static,
        PP: PublishPipeline + Clone + Send + 'static,
    {
        // The list grows at its head, so the tail was included first.
        let (head, tail) = self;
        tail.mount(global, pipeline, sink);
        head.mount(global, pipeline, sink);
    }
}

impl<B, Routes, C, Layers, Pipe, State, RetryPipeline> RouterDef<B, State, RetryPipeline>
    for Router<B, Routes, C, Layers, Pipe>
where
    B: Broker + 'static,
    Routes: RouterDef<B, State, Pipe>,
    Layers: BlanketLayer + Clone + Send + Sync + 'static,
{
    fn mount<G, PP>(self, global: &G, pipeline: &PP, sink: &mut RouterSink<B, State>)
    where
        G: BlanketLayer + Clone + Send + Sync + 'static,
        PP: PublishPipeline + Clone + Send + 'static,
    {
        let layers = Stack::new(self.layers, global.clone());
        self.routes.mount(&layers, pipeline, sink);
    }
}

impl<B, Routes, C, Layers, Pipe, State> MountRoute<B, State> for Router<B, Routes, C, Layers, Pipe>
where
    B: Broker + 'static,
    Self: RouterDef<B, State>,
{
    fn mount<G, PP>(self, outer: &G, pipeline: &PP, sink: &mut RouterSink<B, State>)
    where
        G: BlanketLayer + Clone + Send + Sync + 'static,
        PP: PublishPipeline + Clone + Send + 'static,
    {
        RouterDef::mount(self, outer, pipeline, sink);
    }
}

/// Routes that can list what they register.
pub trait RouterHandlers {
    /// Appends the records, in order.
    #[doc(hidden)]
    fn collect_handlers(&self, out: &mut Vec<HandlerMetadata>);
}

impl RouterHandlers for () {
    fn collect_handlers(&self, _out: &mut Vec<HandlerMetadata>) {}
}

impl<Head: RouteHandlers, Tail: RouterHandlers> RouterHandlers for (Head, Tail) {
    fn collect_handlers(&self, out: &mut Vec<HandlerMetadata>) {
        self.1.collect_handlers(out);
        self.0.collect(out);
    }
}

impl<B, Routes: RouterHandlers, C, Layers, Pipe> RouterHandlers
    for Router<B, Routes, C, Layers, Pipe>
{
    fn collect_handlers(&self, out: &mut Vec<HandlerMetadata>) {
        self.routes.collect_handlers(out);
    }
}

/// One element of a route list.
#[doc(hidden)]
pub trait RouteHandlers {
    /// Appends its records.
    fn collect(&self, out: &mut Vec<HandlerMetadata>);
}

impl<B, Routes: RouterHandlers, C, Layers, Pipe> RouteHandlers
    for Router<B, Routes, C, Layers, Pipe>
{
    fn collect(&self, out: &mut Vec<HandlerMetadata>) {
        self.collect_handlers(out);
    }
}

impl<B, Mount, Def, Sources, Rep, Ret, Wrap, Surface, Pipe> RouteHandlers
    for Route<B, Mount, Def, Sources, Rep, Ret, Wrap, Surface, Pipe>
{
    fn collect(&self, out: &mut Vec<HandlerMetadata>) {
        out.push(self.metadata.clone());
    }
}

/// The chain of a definition that replies.
pub type RouterPublishing<Mount, R, Def> =
    RouterWith<Mount, R, Def, Positions<DefaultReply, (), super::positions::Unretried>>;

/// The chain of a definition with slots.
pub type RouterOut<Mount, R, Def, Slots> =
    RouterWith<Mount, R, Def, Positions<NoReply, Slots, super::positions::Unretried>>;

/// The chain of a definition that replies and has slots.
pub type RouterPublishingOut<Mount, R, Def, Slots> =
    RouterWith<Mount, R, Def, Positions<DefaultReply, Slots, super::positions::Unretried>>;
