use std::any::type_name;

use crate::{ConnectedBroker, CopyPath, DeclareRetryError, RetryDeclaration, Subscriber};

/// Opens subscriptions by a bare name.
///
/// Implemented on the connected form; it serves `#[subscriber("name")]` and every other mount by a
/// string. The name means whatever the broker treats as its default kind of subscription. What
/// that kind needs beyond a name (a consumer group, a durable name) is configured once on the
/// broker.
pub trait Subscribe: ConnectedBroker {
    /// What a name opens.
    type Subscriber: Subscriber;

    /// Who publishes the retry copies of a subscription opened by name, and who addresses them.
    ///
    /// [`AddressedCopies`](crate::AddressedCopies) where a publish under the name reaches the
    /// subscription it opens; [`NamedCopies`](crate::NamedCopies) where it does not (filters,
    /// wildcards); [`BrokerMoves`](crate::BrokerMoves) where the server moves a spent delivery.
    type Copies: CopyPath;

    /// Opens the subscription called `name`.
    ///
    /// # Errors
    ///
    /// What the broker refuses; also a setting this kind of subscription needs and the broker was
    /// not given, which the error names. A default is never invented.
    fn subscribe(
        &self,
        name: &str,
    ) -> impl Future<Output = Result<Self::Subscriber, Self::Error>> + Send;

    /// Takes what the registration mounted under `name` declares about its retries, before
    /// [`subscribe`](Subscribe::subscribe).
    ///
    /// Called once per registration, also with a declaration that declares nothing. Override it
    /// where a bare name reaches a native mechanism, and map the declaration only when
    /// [both](RetryDeclaration::both) of its halves are set.
    ///
    /// # Errors
    ///
    /// The provided method accepts every declaration where this process publishes the copies,
    /// because the runtime then applies it. On [`BrokerMoves`](crate::BrokerMoves) nobody would,
    /// so a declaration that declares anything is [`DeclareRetryError::Unsupported`].
    fn declare_retry(
        &self,
        name: &str,
        declaration: &RetryDeclaration,
    ) -> Result<(), DeclareRetryError> {
        let _ = name;
        if <Self::Copies as CopyPath>::MOVED_BY_BROKER && !declaration.declares_nothing() {
            return Err(DeclareRetryError::Unsupported {
                broker: type_name::<Self>(),
            });
        }
        Ok(())
    }
}
