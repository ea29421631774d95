use std::any::type_name;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use crate::FromName;

/// A kind of source that still waits for its name.
///
/// It is what `#[subscriber]` without a source, or with a kind only, declares. It is deliberately
/// no [`SubscriptionSource`](crate::SubscriptionSource): mounting it before `.name(..)` does not
/// compile.
///
/// # Examples
///
/// ```
/// use ruststream_core::{Name, Unnamed};
///
/// let waiting: Unnamed<Name> = Unnamed::new();
/// let parcels = waiting.into_named("parcels");
/// # let _: Name = parcels;
/// ```
pub struct Unnamed<S>(PhantomData<fn() -> S>);

impl<S> Unnamed<S> {
    /// The kind `S`, without a name.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }

    /// The source of this kind called `name`.
    #[must_use]
    pub fn into_named(self, name: impl Into<Cow<'static, str>>) -> S
    where
        S: FromName,
    {
        S::from_name(name)
    }
}

// Written out, because a derive would ask the same of `S`, of which no value exists here.
impl<S> Default for Unnamed<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> Clone for Unnamed<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Unnamed<S> {}

impl<S> fmt::Debug for Unnamed<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unnamed<{}>", type_name::<S>())
    }
}
