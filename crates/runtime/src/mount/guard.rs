//! The guards that `scope.include` returns.

use std::fmt;

use ruststream_core::Broker;

use super::bind::{BindAt, OutPosition};
use super::chain::{MapPublisher, RouterWith, chain_steps};
use super::declare::{CapOpen, DeadLetterOpen, DeclareCap, DeclareDeadLetter};
use super::last::{
    AdmitsAt, BatchTransformLast, CodecLast, DestinationLast, DestinationOpen, MapPolicyLast,
    NamedStep, ReplyStep, TransactionalLast, TransformLast,
};
use super::positions::{Reply, ReplyLast, Retry, RetryPos};
use super::route::ScopeCommit;
use super::router::RouterBroker;
use crate::app::BrokerScope;
use crate::reply::{CodecSlotOpen, PublishingDirectly};

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::panic::Location;

/// A registration without slots in the making on a scope.
///
/// It is committed when the guard is dropped at the end of its statement, so
/// `b.include(handler);` is whole. Dropped by a panic it commits nothing.
pub struct Mounting<'s, B, Layers, C, State, Pipeline, Chain>
where
    B: Broker + 'static,
    Chain: ScopeCommit<B, Layers, C, State, Pipeline>,
{
    // Empty once a step moved the pieces on.
    open: Option<(&'s mut BrokerScope<B, Layers, C, State, Pipeline>, Chain)>,
}

impl<'s, B, Layers, C, State, Pipeline, Chain> Mounting<'s, B, Layers, C, State, Pipeline, Chain>
where
    B: Broker + 'static,
    Chain: ScopeCommit<B, Layers, C, State, Pipeline>,
{
    pub(crate) fn new(
        scope: &'s mut BrokerScope<B, Layers, C, State, Pipeline>,
        chain: Chain,
    ) -> Self {
        Self {
            open: Some((scope, chain)),
        }
    }

    fn advance<Chain2>(
        mut self,
        step: impl FnOnce(Chain) -> Chain2,
    ) -> Mounting<'s, B, Layers, C, State, Pipeline, Chain2>
    where
        Chain2: ScopeCommit<B, Layers, C, State, Pipeline>,
    {
        Mounting {
            open: self.open.take().map(|(scope, chain)| (scope, step(chain))),
        }
    }
}

impl<B, Layers, C, State, Pipeline, Chain> Drop
    for Mounting<'_, B, Layers, C, State, Pipeline, Chain>
where
    B: Broker + 'static,
    Chain: ScopeCommit<B, Layers, C, State, Pipeline>,
{
    fn drop(&mut self) {
        if let Some((scope, chain)) = self.open.take()
            && !std::thread::panicking()
        {
            chain.commit_into(scope);
        }
    }
}

impl<B, Layers, C, State, Pipeline, Chain> fmt::Debug
    for Mounting<'_, B, Layers, C, State, Pipeline, Chain>
where
    B: Broker + 'static,
    Chain: ScopeCommit<B, Layers, C, State, Pipeline>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mounting").finish_non_exhaustive()
    }
}

chain_steps! {
    impl ['s, B, Layers, C, State, Pipeline,]
        Mounting<'s, B, Layers, C, State, Pipeline, RouterWith<Mount, R, Def, Attach, Last>>,
    where [
        B: Broker + 'static,
        RouterWith<Mount, R, Def, Attach, Last>: ScopeCommit<B, Layers, C, State, Pipeline>,
    ],
    out Mounting ['s, B, Layers, C, State, Pipeline,],
    owes [ScopeCommit<B, Layers, C, State, Pipeline>]
}

impl<B, Layers, C, State, Pipeline, Mount, R, Def, Attach, Last> MapPublisher
    for Mounting<'_, B, Layers, C, State, Pipeline, RouterWith<Mount, R, Def, Attach, Last>>
where
    B: Broker + 'static,
    Attach: MapPolicyLast<Last, Step: NamedStep>,
    RouterWith<Mount, R, Def, Attach, Last>: ScopeCommit<B, Layers, C, State, Pipeline>,
{
    type Policy = Attach::Policy;
    fn map_publisher(self, f: impl FnOnce(Self::Policy) -> Self::Policy) -> Self {
        self.advance(|chain| chain.map_publisher(f))
    }
}

/// A registration with slots in the making on a scope; only `.build()` commits it.
///
/// # Panics
///
/// Dropped without `.build()` it panics: a handler that looks mounted and is not would go unnoticed.
#[must_use = "a handler with slots is mounted by `.build()`"]
pub struct MountingSlots<'s, B, Layers, C, State, Pipeline, Chain>
where
    B: Broker + 'static,
{
    open: Option<(&'s mut BrokerScope<B, Layers, C, State, Pipeline>, Chain)>,
    /// The name of its type.
    definition: &'static str,
    /// Where it was included.
    place: &'static Location<'static>,
}

impl<'s, B, Layers, C, State, Pipeline, Chain>
    MountingSlots<'s, B, Layers, C, State, Pipeline, Chain>
where
    B: Broker + 'static,
{
    #[track_caller]
    pub(crate) fn new(
        scope: &'s mut BrokerScope<B, Layers, C, State, Pipeline>,
        chain: Chain,
        definition: &'static str,
    ) -> Self {
        Self {
            open: Some((scope, chain)),
            definition,
            place: Location::caller(),
        }
    }

    /// Mounts the registration.
    pub fn build(mut self)
    where
        Chain: ScopeCommit<B, Layers, C, State, Pipeline>,
    {
        if let Some((scope, chain)) = self.open.take() {
            chain.commit_into(scope);
        }
    }

    fn advance<Chain2>(
        mut self,
        step: impl FnOnce(Chain) -> Chain2,
    ) -> MountingSlots<'s, B, Layers, C, State, Pipeline, Chain2> {
        MountingSlots {
            open: self.open.take().map(|(scope, chain)| (scope, step(chain))),
            definition: self.definition,
            place: self.place,
        }
    }
}

/// What the author named: the attribute's type has the name of the function, and the settings of a
/// chain are around it.
fn handler_of(definition: &'static str) -> &'static str {
    let (_, inside) = definition
        .split_once("SubscriberBuilder<")
        .unwrap_or(("", definition));
    inside
        .split_once(", ")
        .map_or(inside, |(handler, _)| handler)
}

impl<B, Layers, C, State, Pipeline, Chain> Drop
    for MountingSlots<'_, B, Layers, C, State, Pipeline, Chain>
where
    B: Broker + 'static,
{
    fn drop(&mut self) {
        assert!(
            self.open.is_none() || std::thread::panicking(),
            "a handler with Out slots was included but never mounted: end the chain of `{}` with \
             `.build()`, at {}",
            handler_of(self.definition),
            self.place
        );
    }
}

impl<B, Layers, C, State, Pipeline, Chain> fmt::Debug
    for MountingSlots<'_, B, Layers, C, State, Pipeline, Chain>
where
    B: Broker + 'static,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MountingSlots").finish_non_exhaustive()
    }
}

chain_steps! {
    impl ['s, B, Layers, C, State, Pipeline,]
        MountingSlots<'s, B, Layers, C, State, Pipeline, RouterWith<Mount, R, Def, Attach, Last>>,
    where [B: Broker + 'static],
    out MountingSlots ['s, B, Layers, C, State, Pipeline,],
    owes []
}

impl<B, Layers, C, State, Pipeline, Mount, R, Def, Attach, Last> MapPublisher
    for MountingSlots<'_, B, Layers, C, State, Pipeline, RouterWith<Mount, R, Def, Attach, Last>>
where
    B: Broker + 'static,
    Attach: MapPolicyLast<Last, Step: NamedStep>,
{
    type Policy = Attach::Policy;
    fn map_publisher(self, f: impl FnOnce(Self::Policy) -> Self::Policy) -> Self {
        self.advance(|chain| chain.map_publisher(f))
    }
}
