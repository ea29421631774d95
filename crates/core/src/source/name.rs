use std::borrow::Cow;
use std::future::ready;

use crate::{
    AddressedCopies, DeclareRetryError, RedeliveryAddress, RedeliveryAddressed, RetryDeclaration,
    Subscribe, SubscriptionSource,
};

/// A subscription by name: the source behind `#[subscriber("parcels")]`.
///
/// It opens on every broker with [`Subscribe`], as the kind of subscription that broker treats as
/// its default.
///
/// # Examples
///
/// ```
/// use ruststream_core::{FromName, Name};
///
/// let parcels = Name::new("parcels");
/// let region = Name::from_name(format!("parcels.{}", "north"));
/// # let _ = (parcels, region);
/// ```
#[derive(Debug, Clone)]
pub struct Name(Cow<'static, str>);

impl Name {
    /// The subscription called `name`.
    #[must_use]
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }
}

/// A source that a name alone identifies.
///
/// It lets an attribute give only the kind, `#[subscriber(ParcelQueue)]`, with the name following
/// at the mount site. A kind that needs more than one name to exist does not implement it.
#[diagnostic::on_unimplemented(
    message = "a name alone does not make a `{Self}`: write it out, `#[subscriber({Self}::new(..))]`",
    label = "needs more than a name",
    note = "write the whole source where its kind is: `#[subscriber({Self}::new(..))]`"
)]
pub trait FromName {
    /// The source called `name`.
    #[must_use]
    fn from_name(name: impl Into<Cow<'static, str>>) -> Self;
}

impl FromName for Name {
    fn from_name(name: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name)
    }
}

impl<C: Subscribe> SubscriptionSource<C> for Name {
    type Subscriber = <C as Subscribe>::Subscriber;
    type Copies = <C as Subscribe>::Copies;

    fn name(&self) -> &str {
        &self.0
    }

    async fn subscribe(self, connected: &C) -> Result<Self::Subscriber, C::Error> {
        connected.subscribe(&self.0).await
    }

    fn declare_retry_on(
        &self,
        connected: &C,
        declaration: &RetryDeclaration,
    ) -> Result<(), DeclareRetryError> {
        connected.declare_retry(&self.0, declaration)
    }
}

impl<C: Subscribe<Copies = AddressedCopies>> RedeliveryAddressed<C> for Name {
    fn redelivery_address(
        &self,
        _connected: &C,
    ) -> impl Future<Output = Result<RedeliveryAddress, C::Error>> + Send {
        ready(Ok(RedeliveryAddress::new(self.0.clone())))
    }
}
