//! The values that definitions are made of, and how a mount takes one apart.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use super::docs::{Docs, Documented, Probed, ProbedDocs};
use crate::input::{Axis, BatchedAxis, CapsBatches};
use crate::mount::IncludeDef;
use crate::reply::{DeclaredDest, ReplyRoute, ResolvedDest};
use crate::slot::{EntryMarkers, HasSlots, Outs};

/// A body with its lane, reply, slots and context fixed by type.
#[doc(hidden)]
pub struct HandleValue<A, R, O, C, H, Doc = Documented> {
    pub(crate) body: H,
    pub(crate) docs: Docs,
    axes: PhantomData<fn() -> (A, R, O, C, Doc)>,
}

impl<A, R, O, C, H, Doc> HandleValue<A, R, O, C, H, Doc> {
    pub(crate) fn new(body: H, docs: Docs) -> Self {
        Self {
            body,
            docs,
            axes: PhantomData,
        }
    }

    pub(crate) fn retyped<O2, Doc2>(self) -> HandleValue<A, R, O2, C, H, Doc2> {
        HandleValue::new(self.body, self.docs)
    }

    pub(crate) fn describe(&mut self, text: Cow<'static, str>) {
        self.docs.description = Some(text);
    }
}

impl<A, R, O, C, H: Clone, Doc> Clone for HandleValue<A, R, O, C, H, Doc> {
    fn clone(&self) -> Self {
        Self::new(self.body.clone(), self.docs.clone())
    }
}

impl<A, R, O, C, H, Doc> fmt::Debug for HandleValue<A, R, O, C, H, Doc> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandleValue").finish_non_exhaustive()
    }
}

/// A definition that replies, with its destination.
#[doc(hidden)]
#[derive(Clone)]
pub struct ReplyValue<V, Dest> {
    pub(crate) value: V,
    pub(crate) dest: Dest,
}

impl<V, Dest> fmt::Debug for ReplyValue<V, Dest> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyValue").finish_non_exhaustive()
    }
}

/// A finished definition; only a sealed one mounts.
#[doc(hidden)]
#[derive(Clone)]
pub struct Sealed<V>(pub(crate) V);

impl<V> fmt::Debug for Sealed<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealed").finish_non_exhaustive()
    }
}

/// The form of a definition whose `.build()` is missing.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct UnbuiltDefinition;

impl<A, R, O, C, H, Doc> IncludeDef for HandleValue<A, R, O, C, H, Doc> {
    type Form = UnbuiltDefinition;
}

impl<V, Dest> IncludeDef for ReplyValue<V, Dest> {
    type Form = UnbuiltDefinition;
}

impl<A: Axis, R, C, H, Doc> IncludeDef for Sealed<HandleValue<A, R, (), C, H, Doc>> {
    type Form = A::EagerForm;
}

impl<A: Axis, E, C, H, Doc> IncludeDef for Sealed<HandleValue<A, (), Outs<E>, C, H, Doc>> {
    type Form = A::SlotForm;
}

impl<A, R, C, H, Doc, Dest> IncludeDef
    for Sealed<ReplyValue<HandleValue<A, R, (), C, H, Doc>, Dest>>
where
    A: Axis,
    R: ReplyRoute<A::Family>,
{
    type Form = <R as ReplyRoute<A::Family>>::Form;
}

impl<A, R, E, C, H, Doc, Dest> IncludeDef
    for Sealed<ReplyValue<HandleValue<A, R, Outs<E>, C, H, Doc>, Dest>>
where
    A: Axis,
    R: ReplyRoute<A::Family>,
{
    type Form = <R as ReplyRoute<A::Family>>::SlotForm;
}

#[diagnostic::do_not_recommend]
impl<A: BatchedAxis, R, O, C, H, Doc> CapsBatches for HandleValue<A, R, O, C, H, Doc> {}
impl<V: CapsBatches, Dest> CapsBatches for ReplyValue<V, Dest> {}
impl<V: CapsBatches> CapsBatches for Sealed<V> {}

impl<A, E: EntryMarkers, C, H, Doc> HasSlots for Sealed<HandleValue<A, (), Outs<E>, C, H, Doc>> {
    type Markers = E::Markers;
}

impl<A, R, E: EntryMarkers, C, H, Doc, Dest> HasSlots
    for Sealed<ReplyValue<HandleValue<A, R, Outs<E>, C, H, Doc>, Dest>>
{
    type Markers = E::Markers;
}

/// The reply and the delivery context of a definition that replies.
#[doc(hidden)]
pub trait DeclaresReply {
    /// What the body returns to be published.
    type Reply;
    /// The delivery context the body names.
    type Context;
}

impl<A, R, O, C, H, Doc, Dest> DeclaresReply
    for Sealed<ReplyValue<HandleValue<A, R, O, C, H, Doc>, Dest>>
{
    type Reply = R;
    type Context = C;
}

/// What a mount reads off a finished definition.
#[doc(hidden)]
pub trait Definition {
    /// The input lane.
    type Axis: Axis;
    /// What the body returns in `Ok`.
    type Reply;
    /// The slots.
    type Outs;
    /// The delivery context.
    type Context;
    /// The body.
    type Body;
    /// The documentation state.
    type Doc;
    /// The reply's destination; `()` without a reply.
    type Dest;
    /// Takes the definition apart.
    fn split(self) -> Parts<Self::Body, Self::Dest>;
}

/// A definition taken apart.
#[doc(hidden)]
#[derive(Debug)]
pub struct Parts<Body, Dest> {
    /// The body.
    pub body: Body,
    /// What it says of itself.
    pub docs: Docs,
    /// Where its replies go.
    pub dest: Dest,
}

impl<A: Axis, R, O, C, H, Doc> Definition for Sealed<HandleValue<A, R, O, C, H, Doc>> {
    type Axis = A;
    type Reply = R;
    type Outs = O;
    type Context = C;
    type Body = H;
    type Doc = Doc;
    type Dest = ();
    fn split(self) -> Parts<H, ()> {
        Parts {
            body: self.0.body,
            docs: self.0.docs,
            dest: (),
        }
    }
}

impl<A: Axis, R, O, C, H, Doc, Dest> Definition
    for Sealed<ReplyValue<HandleValue<A, R, O, C, H, Doc>, Dest>>
{
    type Axis = A;
    type Reply = R;
    type Outs = O;
    type Context = C;
    type Body = H;
    type Doc = Doc;
    type Dest = Dest;
    fn split(self) -> Parts<H, Dest> {
        let ReplyValue { value, dest } = self.0;
        Parts {
            body: value.body,
            docs: value.docs,
            dest,
        }
    }
}

/// A replying macro definition.
#[doc(hidden)]
pub type ProbedReplyDef<A, R, O, C, H> =
    Sealed<ReplyValue<HandleValue<A, R, O, C, H, Probed>, ResolvedDest>>;

/// A macro definition whose reply type names its own destination.
#[doc(hidden)]
pub type ProbedDeclaredReplyDef<A, R, O, C, H> =
    Sealed<ReplyValue<HandleValue<A, R, O, C, H, Probed>, DeclaredDest>>;

fn probed<A, R, O, C, H>(body: H, docs: ProbedDocs) -> HandleValue<A, R, O, C, H, Probed> {
    let description = docs.description.map(Cow::Borrowed);
    HandleValue::new(
        body,
        Docs {
            description,
            probed: Some(Box::new(docs)),
        },
    )
}

/// Seals a macro definition.
#[doc(hidden)]
#[must_use]
pub fn probed_def<A, R, O, C, H>(
    body: H,
    docs: ProbedDocs,
) -> Sealed<HandleValue<A, R, O, C, H, Probed>> {
    Sealed(probed(body, docs))
}

/// Seals a macro definition that replies to `dest`.
#[doc(hidden)]
#[must_use]
pub fn probed_reply_def<A, R, O, C, H>(
    body: H,
    docs: ProbedDocs,
    dest: ResolvedDest,
) -> ProbedReplyDef<A, R, O, C, H> {
    Sealed(ReplyValue {
        value: probed(body, docs),
        dest,
    })
}

/// Seals a macro definition whose reply type names its own destination.
#[doc(hidden)]
#[must_use]
pub fn probed_declared_reply_def<A, R, O, C, H>(
    body: H,
    docs: ProbedDocs,
) -> ProbedDeclaredReplyDef<A, R, O, C, H> {
    Sealed(ReplyValue {
        value: probed(body, docs),
        dest: DeclaredDest,
    })
}
