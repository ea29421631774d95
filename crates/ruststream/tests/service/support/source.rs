//! Descriptors of every kind of copy path.

use ruststream::runtime::IntoSource;
use ruststream::{
    AddressedCopies, BrokerMoves, DeclareRetryError, NamedCopies, RedeliveryAddress,
    RedeliveryAddressed, RetryDeclaration, SubscriptionSource,
};

use super::subscription::Subscription;
use super::yard::{ConnectedYard, Refused, declare};

macro_rules! descriptor {
    ($($(#[$docs:meta])* $source:ident copies $copies:ty;)+) => {$(
        $(#[$docs])*
        #[derive(Debug, Clone)]
        pub(crate) struct $source {
            name: &'static str,
            /// What was declared on the descriptor itself, in order.
            declared: Vec<RetryDeclaration>,
        }

        impl $source {
            pub(crate) fn new(name: &'static str) -> Self {
                Self { name, declared: Vec::new() }
            }
        }

        impl IntoSource for $source {
            type Source = Self;

            fn into_source(self) -> Self {
                self
            }
        }

        impl SubscriptionSource<ConnectedYard> for $source {
            type Subscriber = Subscription;
            type Copies = $copies;

            fn name(&self) -> &str {
                self.name
            }

            async fn subscribe(self, connected: &ConnectedYard) -> Result<Subscription, Refused> {
                connected.0.journal.note(format!("declared {:?}", self.declared));
                Subscription::open(&connected.0, self.name)
            }

            fn declare_retry(mut self, declaration: &RetryDeclaration) -> Self {
                self.declared.push(declaration.clone());
                self
            }

            fn declare_retry_on(
                &self,
                connected: &ConnectedYard,
                declaration: &RetryDeclaration,
            ) -> Result<(), DeclareRetryError> {
                declare(&connected.0, self.name, declaration)
            }
        }
    )+};
}

descriptor! {
    /// It says where its copies go: beside itself, under its name and `.back`.
    Berth copies AddressedCopies;
    /// It reads many names, so somebody else has to say where copies go.
    Filter copies NamedCopies;
    /// Its broker moves spent deliveries itself.
    Lane copies BrokerMoves;
}

impl RedeliveryAddressed<ConnectedYard> for Berth {
    async fn redelivery_address(
        &self,
        connected: &ConnectedYard,
    ) -> Result<RedeliveryAddress, Refused> {
        connected.0.perform(format!("address {}", self.name))?;
        Ok(RedeliveryAddress::new(format!("{}.back", self.name)))
    }
}
