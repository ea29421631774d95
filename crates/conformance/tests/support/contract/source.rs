use std::fmt;
use std::marker::PhantomData;

use ruststream_core::{
    AddressedCopies, CopyPath, DeclareRetryError, RedeliveryAddress, RedeliveryAddressed,
    RetryDeclaration, SubscriptionSource,
};

use super::super::honest::ToyError;
use super::{ConnectedToy, ToySubscriber};

/// A source, of any copy path.
pub(crate) struct Slot<Copies = AddressedCopies> {
    pub(crate) name: String,
    pub(crate) declared: Option<RetryDeclaration>,
    copies: PhantomData<fn() -> Copies>,
}

impl<Copies> Slot<Copies> {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            declared: None,
            copies: PhantomData,
        }
    }
}

impl<Copies> fmt::Debug for Slot<Copies> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Slot").field(&self.name).finish()
    }
}

impl<Copies> Clone for Slot<Copies> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            declared: self.declared.clone(),
            copies: PhantomData,
        }
    }
}

impl<Copies: CopyPath> SubscriptionSource<ConnectedToy> for Slot<Copies> {
    type Subscriber = ToySubscriber;
    type Copies = Copies;

    fn name(&self) -> &str {
        &self.name
    }

    async fn subscribe(self, connected: &ConnectedToy) -> Result<ToySubscriber, ToyError> {
        connected.open(&self).await
    }

    fn declare_retry(mut self, declaration: &RetryDeclaration) -> Self {
        self.declared = Some(declaration.clone());
        self
    }

    fn declare_retry_on(
        &self,
        connected: &ConnectedToy,
        declaration: &RetryDeclaration,
    ) -> Result<(), DeclareRetryError> {
        connected.twist.declare(declaration)
    }
}

impl RedeliveryAddressed<ConnectedToy> for Slot<AddressedCopies> {
    async fn redelivery_address(
        &self,
        connected: &ConnectedToy,
    ) -> Result<RedeliveryAddress, ToyError> {
        Ok(RedeliveryAddress::new(connected.twist.address(&self.name)))
    }
}
