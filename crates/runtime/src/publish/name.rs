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

/// A name supplied by the call.
#[derive(Debug, Clone)]
pub struct SuppliedName<'a>(pub(crate) Cow<'a, str>);

impl ResolvedName for SuppliedName<'_> {
    fn resolve<'n>(&'n self, _declared: &'n str) -> &'n str {
        &self.0
    }
}
