//! Where a reply goes: the type's own name, or the one that the mount site gives (PUB-305).

use std::any::type_name;
use std::borrow::Cow;

use ruststream_core::{CallerName, FixedName, OutgoingDestination};

use super::shape::ReplyShape;
use crate::slot::DestinationOffer;

/// How a destination form finds its name, given the mount site's.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not declare where it is published as a reply: give it a name without placeholders",
    label = "a reply has nothing to fill in a destination of the form `{Form}`",
    note = "give the type a fixed name, `#[outgoing(name = \"parcels.weighed\")]`, or no name and \
            name it at the mount site, `reply(\"parcels.weighed\")`; a reply binds no placeholders"
)]
pub trait ResolveDestination<Form> {
    /// The destination; `default` is what the mount site named.
    fn resolve(default: &str) -> &str;
}

impl<R: OutgoingDestination<Form = FixedName>> ResolveDestination<FixedName> for R {
    fn resolve(_default: &str) -> &str {
        R::DESTINATION
    }
}

impl<R: OutgoingDestination<Form = CallerName>> ResolveDestination<CallerName> for R {
    fn resolve(default: &str) -> &str {
        default
    }
}

/// A reply that knows where it goes once the mount site named a destination.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not declare where it is published: name a place, `#[outgoing(name = \"..\")]` or `reply(\"..\")`",
    label = "this reply has no destination",
    note = "derive it: `#[derive(Outgoing)]`, with `#[outgoing(name = \"parcels.weighed\")]` for a \
            fixed name or none for the name of the mount site, `reply(\"parcels.weighed\")`",
    note = "a name with `{{placeholders}}` cannot be a reply's: nothing binds them"
)]
pub trait ReplyDestination {
    /// The destination; `default` is what the mount site named.
    fn destination(default: &str) -> &str;
}

#[diagnostic::do_not_recommend]
impl<R> ReplyDestination for R
where
    R: ReplyShape<Body: OutgoingDestination>,
    R::Body: ResolveDestination<<R::Body as OutgoingDestination>::Form>,
{
    fn destination(default: &str) -> &str {
        <R::Body as ResolveDestination<_>>::resolve(default)
    }
}

/// A reply whose destination a transform may still name: its type leaves it open.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` declares where it is published, so a transform cannot name its destination: remove the `name` from the type, or the transform",
    label = "the reply type fixes the name",
    note = "leave the name off the type to let the position name it"
)]
pub trait RedirectableReply {}

#[diagnostic::do_not_recommend]
impl<R> RedirectableReply for R where R: ReplyShape<Body: OutgoingDestination<Form = CallerName>> {}

/// What a reply offers a naming transform.
#[doc(hidden)]
pub trait ReplyOffer {
    /// `Names` where the reply leaves its destination open, else `Reads`.
    type Offer;
}

#[diagnostic::do_not_recommend]
impl<R> ReplyOffer for R
where
    R: ReplyShape<Body: OutgoingDestination<Form: DestinationOffer>>,
{
    type Offer = <<R::Body as OutgoingDestination>::Form as DestinationOffer>::Offer;
}

/// The destination half of a replying definition.
#[doc(hidden)]
pub trait ReplyDest<R>: Send + Sync {
    /// Where the replies go.
    fn name(&self) -> &str;
    /// The mount site's name that the type's own overruled, when they differ (PUB-306).
    fn ignored(&self) -> Option<&str> {
        None
    }
}

/// Tells once, at startup, of a mount-site name that the reply type's own overruled (PUB-306).
#[doc(hidden)]
pub trait DestNotice<R> {
    /// Warns, if there is something to warn of.
    fn warn_ignored(&self, subscription: &str);
}

impl<R> DestNotice<R> for () {
    fn warn_ignored(&self, _subscription: &str) {}
}

macro_rules! dest_notice {
    ($($dest:ident)+) => {$(
        impl<R> DestNotice<R> for $dest
        where
            $dest: ReplyDest<R>,
        {
            fn warn_ignored(&self, subscription: &str) {
                if let Some(ignored) = ReplyDest::<R>::ignored(self) {
                    let name = ReplyDest::<R>::name(self);
                    warn_ignored(subscription, type_name::<R>(), name, ignored);
                }
            }
        }
    )+};
}

dest_notice! { ResolvedDest DeclaredDest NamedDest }

fn warn_ignored(subscription: &str, reply_type: &str, destination: &str, ignored: &str) {
    tracing::warn!(
        target: "ruststream::lifecycle",
        subscription = %subscription, reply_type, destination = %destination, ignored = %ignored,
        "the mount-site reply name is ignored: the reply type declares its own"
    );
}

/// A destination resolved when the definition was declared: what the attribute macro writes.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct ResolvedDest {
    name: &'static str,
    ignored: Option<&'static str>,
}

impl ResolvedDest {
    /// Where the replies go.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }
}

impl<R> ReplyDest<R> for ResolvedDest {
    fn name(&self) -> &str {
        self.name
    }
    fn ignored(&self) -> Option<&str> {
        self.ignored
    }
}

/// The reply type's own name, on the hand-written path.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct DeclaredDest;

impl<R: FixedReply> ReplyDest<R> for DeclaredDest {
    fn name(&self) -> &str {
        R::DESTINATION
    }
}

/// A reply whose type fixes where it goes, as a mount that names no destination needs it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not declare where it is published: name a place, `#[outgoing(name = \"..\")]` or `reply(\"..\")`",
    label = "this mount names no destination, and the reply type fixes none",
    note = "name one: `reply(\"parcels.weighed\")`, or `.reply().to(\"parcels.weighed\")` by hand",
    note = "or fix it in the type: `#[derive(Outgoing)] #[outgoing(name = \"parcels.weighed\")]`"
)]
pub trait FixedReply {
    /// The name.
    const DESTINATION: &'static str;
}

#[diagnostic::do_not_recommend]
impl<R> FixedReply for R
where
    R: ReplyShape<Body: OutgoingDestination<Form = FixedName>>,
{
    const DESTINATION: &'static str = <R::Body as OutgoingDestination>::DESTINATION;
}

/// A name given at the mount site, on the hand-written path.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct NamedDest(pub(crate) Cow<'static, str>);

impl<R: ReplyDestination> ReplyDest<R> for NamedDest {
    fn name(&self) -> &str {
        R::destination(&self.0)
    }
    fn ignored(&self) -> Option<&str> {
        (R::destination(&self.0) != self.0).then_some(self.0.as_ref())
    }
}

/// The destination of `reply("default")`.
#[doc(hidden)]
#[must_use]
pub fn reply_destination<R: ReplyDestination>(default: &'static str) -> ResolvedDest {
    let name = R::destination(default);
    ResolvedDest {
        name,
        ignored: (name != default).then_some(default),
    }
}

/// The destination of a bare `reply`.
#[doc(hidden)]
#[must_use]
pub fn declared_reply_destination<R: FixedReply>() -> ResolvedDest {
    ResolvedDest {
        name: R::DESTINATION,
        ignored: None,
    }
}
