use std::borrow::Cow;

use crate::{Name, Unnamed};

/// What the hand-written `subscriber(source, body)` takes as its source.
///
/// Strings give a [`Name`]. A broker crate implements it for its descriptors as the identity, with
/// `type Source = Self`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name a subscription source: pass a name, or a descriptor such as `MemorySource::new(..)`",
    label = "expected a name or a descriptor of a broker",
    note = "pass a string for a subscription by name, or a descriptor such as `MemorySource::new(..)`",
    note = "a broker crate's descriptor implements `IntoSource` with `type Source = Self`"
)]
pub trait IntoSource {
    /// The source this value stands for.
    type Source;

    /// Turns the value into its source.
    fn into_source(self) -> Self::Source;
}

impl IntoSource for &'static str {
    type Source = Name;

    fn into_source(self) -> Name {
        Name::new(self)
    }
}

impl IntoSource for String {
    type Source = Name;

    fn into_source(self) -> Name {
        Name::new(self)
    }
}

impl IntoSource for Cow<'static, str> {
    type Source = Name;

    fn into_source(self) -> Name {
        Name::new(self)
    }
}

impl IntoSource for Name {
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}

impl<S> IntoSource for Unnamed<S> {
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}
