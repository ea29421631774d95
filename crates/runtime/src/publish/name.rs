//! Where a publish goes, once it is known.

use std::borrow::Cow;

use ruststream_core::FixedName;

/// A destination position that has a name.
#[diagnostic::on_unimplemented(
    message = "this publish has no destination: `.to(..)` is missing",
    label = "`{Self}` is not a resolved destination",
    note = "a type that declares no name is sent with `.to(\"name\")`; a name template is opened \
            with `.to()` and published once every placeholder is bound"
)]
pub trait ResolvedName {
    /// The destination; `declared` is the name the message's type fixes.
    fn resolve<'n>(&'n self, declared: &'n str) -> &'n str;
}

impl ResolvedName for FixedName {
    fn resolve<'n>(&'n self, declared: &'n str) -> &'n str {
        declared
    }
}

/// The call may name the destination. No type is: one that declares no name never asks.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` fixes its destination: remove `.to(..)`, or `name` from its `#[outgoing(..)]`",
    label = "the type of this message says already where it goes",
    note = "a type that is published to several destinations declares none, `#[derive(Outgoing)]` \
            alone, and every publish names its own"
)]
pub trait NamedByTheCall {}

/// The call may name the destination again, which no type allows.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the destination of this `{Self}` is named already: remove one `.to(..)`",
    label = "a publish goes to one destination"
)]
pub trait NamedOnce {}

/// A name supplied by the call.
#[derive(Debug, Clone)]
pub struct SuppliedName<'a>(pub(crate) Cow<'a, str>);

impl ResolvedName for SuppliedName<'_> {
    fn resolve<'n>(&'n self, _declared: &'n str) -> &'n str {
        &self.0
    }
}
