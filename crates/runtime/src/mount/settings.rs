//! The settings of one subscription, each named once.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroUsize;

use ruststream_core::codec::Codec;
use ruststream_core::{
    ConnectedBroker, FromName, IntoSource, StartAt, SubscriptionSource, Unnamed,
};

use super::steps::{
    BatchSized, BatchStep, CodecStep, FailureStep, MapSourceStep, NameStep, StartAtStep,
    WorkersStep,
};
use super::{Declared, IncludeDef, ReplyUnnamed};
use crate::definition::{
    DeclaresReply, HandleValue, IsDocumented, ReplyValue, Sealed, Undocumented,
};
use crate::input::CapsBatches;
use crate::policy::FailurePolicies;
use crate::reply::{DeclaredDest, NamedDest};
use crate::slot::{BindSlots, HasSlots};
use crate::workers::Workers;

/// A setting that has not been named yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Open;

/// A setting that was named, in the attribute or in the chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Fixed;

/// No setting named: workers, failure policies, start position and batch size, in this order.
pub type AllOpen = (Open, Open, Open, Open);

/// What [`subscriber`](crate::subscriber) returns.
pub type ValueBuilder<Def, Src> = SubscriberBuilder<Def, <Src as IntoSource>::Source, AllOpen>;

/// A definition with its subscription source and settings (RUN-150).
///
/// `State` is `(workers, failures, start position, batch size)`, each [`Open`] or [`Fixed`], so a
/// setting that is named twice does not compile. `DefCodec` is the decode codec of this
/// registration, `()` until [`codec`](SubscriberBuilder::codec) names one. Broker crates write
/// extension traits over this type for their own sources, with
/// [`map_source`](crate::SubscriberSettings::map_source).
#[derive(Clone)]
pub struct SubscriberBuilder<Def, Src, State, DefCodec = ()> {
    pub(crate) def: Def,
    pub(crate) source: Src,
    pub(crate) settings: Settings,
    pub(crate) codec: DefCodec,
    state: PhantomData<fn() -> State>,
}

/// The settings as values.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Settings {
    pub(crate) workers: Workers,
    pub(crate) failures: FailurePolicies,
    pub(crate) batch: Option<NonZeroUsize>,
}

impl<Def, Src> SubscriberBuilder<Def, Src, AllOpen> {
    /// A sequential subscription to `source` with the default failure policies.
    #[must_use]
    pub fn new(def: Def, source: Src) -> Self {
        Self {
            def,
            source,
            settings: Settings::default(),
            codec: (),
            state: PhantomData,
        }
    }
}

impl<Def, Src, State, DefCodec> SubscriberBuilder<Def, Src, State, DefCodec> {
    /// Decodes this registration's input with `codec`, over the surface's and the default one.
    #[must_use]
    pub fn codec<C: Codec>(self, codec: C) -> SubscriberBuilder<Def, Src, State, C>
    where
        DefCodec: CodecStep,
    {
        SubscriberBuilder {
            def: self.def,
            source: self.source,
            settings: self.settings,
            codec,
            state: PhantomData,
        }
    }

    /// The concurrency named so far.
    #[must_use]
    pub const fn dispatch(&self) -> Workers {
        self.settings.workers
    }

    /// The batch size named so far.
    #[must_use]
    pub const fn batch_size(&self) -> Option<NonZeroUsize> {
        self.settings.batch
    }

    /// The subscription's name as its source reports it.
    #[must_use]
    pub fn subscription_name<Conn>(&self) -> &str
    where
        Conn: ConnectedBroker,
        Src: SubscriptionSource<Conn>,
    {
        self.source.name()
    }

    fn with_settings<State2>(
        self,
        change: impl FnOnce(&mut Settings),
    ) -> SubscriberBuilder<Def, Src, State2, DefCodec> {
        let mut settings = self.settings;
        change(&mut settings);
        SubscriberBuilder {
            def: self.def,
            source: self.source,
            settings,
            codec: self.codec,
            state: PhantomData,
        }
    }

    fn with_source<Src2, State2>(
        self,
        change: impl FnOnce(Src) -> Src2,
    ) -> SubscriberBuilder<Def, Src2, State2, DefCodec> {
        SubscriberBuilder {
            def: self.def,
            source: change(self.source),
            settings: self.settings,
            codec: self.codec,
            state: PhantomData,
        }
    }

    pub(crate) fn with_def<Def2>(
        self,
        change: impl FnOnce(Def) -> Def2,
    ) -> SubscriberBuilder<Def2, Src, State, DefCodec> {
        SubscriberBuilder {
            def: change(self.def),
            source: self.source,
            settings: self.settings,
            codec: self.codec,
            state: PhantomData,
        }
    }
}

impl<A, R, O, C, H, Doc, Src, State, DC>
    SubscriberBuilder<HandleValue<A, R, O, C, H, Doc>, Src, State, DC>
{
    /// Describes the operation in the generated document.
    #[must_use]
    pub fn describe(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.def.describe(text.into());
        self
    }

    /// Leaves this registration's schemas out of the document, and with them the need of
    /// `JsonSchema`.
    #[must_use]
    pub fn undocumented(
        self,
    ) -> SubscriberBuilder<HandleValue<A, R, O, C, H, Undocumented>, Src, State, DC>
    where
        Doc: IsDocumented,
    {
        self.with_def(HandleValue::retyped)
    }

    /// The body's return value is a reply; it goes where its type declares.
    #[must_use]
    pub fn reply(
        self,
    ) -> SubscriberBuilder<ReplyValue<HandleValue<A, R, O, C, H, Doc>, DeclaredDest>, Src, State, DC>
    {
        self.with_def(|value| ReplyValue {
            value,
            dest: DeclaredDest,
        })
    }

    /// Seals the definition; only a sealed one mounts.
    #[must_use]
    pub fn build(
        self,
    ) -> SubscriberBuilder<Sealed<HandleValue<A, R, O, C, H, Doc>>, Src, State, DC> {
        self.with_def(Sealed)
    }
}

impl<V, Dest, Src, State, DC> SubscriberBuilder<ReplyValue<V, Dest>, Src, State, DC> {
    /// Names where the replies go; a name that the reply type declares wins over it.
    #[must_use]
    pub fn to(
        self,
        name: impl Into<Cow<'static, str>>,
    ) -> SubscriberBuilder<ReplyValue<V, NamedDest>, Src, State, DC>
    where
        Dest: ReplyUnnamed,
    {
        let dest = NamedDest(name.into());
        self.with_def(|reply| ReplyValue {
            value: reply.value,
            dest,
        })
    }
}

impl<A, R, O, C, H, Doc, Dest, Src, State, DC>
    SubscriberBuilder<ReplyValue<HandleValue<A, R, O, C, H, Doc>, Dest>, Src, State, DC>
{
    /// Describes the operation in the generated document.
    #[must_use]
    pub fn describe(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.def.value.describe(text.into());
        self
    }

    /// Leaves this registration's schemas out of the document, and with them the need of
    /// `JsonSchema`.
    #[must_use]
    pub fn undocumented(
        self,
    ) -> SubscriberBuilder<ReplyValue<HandleValue<A, R, O, C, H, Undocumented>, Dest>, Src, State, DC>
    where
        Doc: IsDocumented,
    {
        self.with_def(|reply| ReplyValue {
            value: reply.value.retyped(),
            dest: reply.dest,
        })
    }

    /// Seals the definition; only a sealed one mounts.
    #[must_use]
    pub fn build(
        self,
    ) -> SubscriberBuilder<Sealed<ReplyValue<HandleValue<A, R, O, C, H, Doc>, Dest>>, Src, State, DC>
    {
        self.with_def(Sealed)
    }
}

// By way of `IncludeDef`, so that `Declared` has one implementation here and the compiler follows it
// down to what a definition lacks.
impl<Def: Declared, Src, State, DefCodec> IncludeDef
    for SubscriberBuilder<Def, Src, State, DefCodec>
{
    type Form = Def::Form;
}

impl<T: IncludeDef> Declared for T {
    type Form = T::Form;
    type Settings = T;
    fn declare(self) -> T {
        self
    }
}

impl<Def, Src, State, DefCodec> fmt::Debug for SubscriberBuilder<Def, Src, State, DefCodec> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubscriberBuilder")
            .field("workers", &self.settings.workers)
            .field("failures", &self.settings.failures)
            .finish_non_exhaustive()
    }
}

impl<Def, S: FromName, State, DC> NameStep for SubscriberBuilder<Def, Unnamed<S>, State, DC> {
    type Out = SubscriberBuilder<Def, S, State, DC>;
    fn apply_name(self, name: Cow<'static, str>) -> Self::Out {
        self.with_source(|unnamed| unnamed.into_named(name))
    }
}

impl<Def, Src, F, P, B, DC> WorkersStep for SubscriberBuilder<Def, Src, (Open, F, P, B), DC> {
    type Out = SubscriberBuilder<Def, Src, (Fixed, F, P, B), DC>;
    fn apply_workers(self, workers: Workers) -> Self::Out {
        self.with_settings(|settings| settings.workers = workers)
    }
}

impl<Def, Src, W, P, B, DC> FailureStep for SubscriberBuilder<Def, Src, (W, Open, P, B), DC> {
    type Out = SubscriberBuilder<Def, Src, (W, Fixed, P, B), DC>;
    fn apply_failures(self, policies: FailurePolicies) -> Self::Out {
        self.with_settings(|settings| settings.failures = policies)
    }
}

impl<Def, Src, W, F, P, B, DC> StartAtStep<P> for SubscriberBuilder<Def, Src, (W, F, Open, B), DC> {
    type Out = SubscriberBuilder<Def, StartAt<Src, P>, (W, F, Fixed, B), DC>;
    fn apply_start_at(self, position: P) -> Self::Out {
        self.with_source(|source| StartAt::new(source, position))
    }
}

impl<Def, Src, W, F, P, DC> BatchStep for SubscriberBuilder<Def, Src, (W, F, P, Open), DC>
where
    Def: CapsBatches,
{
    type Out = SubscriberBuilder<Def, Src, (W, F, P, Fixed), DC>;
    fn apply_batch(self, size: NonZeroUsize) -> Self::Out {
        self.with_settings(|settings| settings.batch = Some(size))
    }
}

impl<Def, Src, W, F, P, DC> BatchSized for SubscriberBuilder<Def, Src, (W, F, P, Fixed), DC> {
    fn batch_size(&self) -> NonZeroUsize {
        // Only `apply_batch` leads to this state; one is the smallest size there is.
        self.settings.batch.unwrap_or(NonZeroUsize::MIN)
    }
}

impl<Def, Src, State, F, NewSrc, DC> MapSourceStep<F> for SubscriberBuilder<Def, Src, State, DC>
where
    F: FnOnce(Src) -> NewSrc,
{
    type Out = SubscriberBuilder<Def, NewSrc, State, DC>;
    fn apply_map_source(self, f: F) -> Self::Out {
        self.with_source(f)
    }
}

impl<Def: HasSlots, Src, State, DC> HasSlots for SubscriberBuilder<Def, Src, State, DC> {
    type Markers = Def::Markers;
}

impl<Def: DeclaresReply, Src, State, DC> DeclaresReply for SubscriberBuilder<Def, Src, State, DC> {
    type Reply = Def::Reply;
    type Context = Def::Context;
}

impl<Def, Src, State, DC, C, Sources> BindSlots<C, Sources>
    for SubscriberBuilder<Def, Src, State, DC>
where
    C: ConnectedBroker,
    Def: BindSlots<C, Sources>,
{
    type Bound = SubscriberBuilder<Def::Bound, Src, State, DC>;
    type Extra = Def::Extra;
    fn bind(self, sources: Sources) -> (Self::Bound, Self::Extra) {
        let SubscriberBuilder {
            def,
            source,
            settings,
            codec,
            ..
        } = self;
        let (def, extra) = def.bind(sources);
        (
            SubscriberBuilder {
                def,
                source,
                settings,
                codec,
                state: PhantomData,
            },
            extra,
        )
    }
}
