//! The owned kind: a transaction that is a value of its own.

use std::fmt;
use std::marker::PhantomData;

use ruststream_core::{OutgoingDestination, Transaction};
use serde::Serialize;

use super::{Admits, TransactionPublishError, encoded};
use crate::publish::builder::{MessageBody, PublishBuilder, message_of};
use crate::publish::codec::PublishCodec;
use crate::publish::headers::HeadersUnset;
use crate::publish::scratch::Scratch;

/// A transaction of its own: any number may be open on one handle.
///
/// A failed publish leaves it open. Dropping it unsettled discards the buffer, which the broker's
/// own value warns about.
#[must_use = "a transaction that is not committed publishes nothing"]
pub struct TypedTransaction<Txn, Enc, Admit> {
    transaction: Txn,
    codec: Enc,
    admit: PhantomData<fn() -> Admit>,
}

impl<Txn, Enc, Admit> TypedTransaction<Txn, Enc, Admit> {
    /// The typed form of a transaction just opened.
    pub(crate) fn new(transaction: Txn, codec: Enc) -> Self {
        Self {
            transaction,
            codec,
            admit: PhantomData,
        }
    }
}

impl<Txn: Transaction, Enc: Copy, Admit> TypedTransaction<Txn, Enc, Admit> {
    /// Starts a publish into the transaction. Transforms and layers do not run.
    pub fn message<'a, T, Index>(
        &'a mut self,
        value: &'a T,
    ) -> PublishBuilder<&'a mut Txn, MessageBody<'a, T>, Enc, HeadersUnset, T::Form>
    where
        T: OutgoingDestination,
        Admit: Admits<T, Index>,
    {
        message_of(&mut self.transaction, value, self.codec)
    }
}

impl<Txn, Enc, Admit> TypedTransaction<Txn, Enc, Admit>
where
    Txn: Transaction,
    Enc: PublishCodec,
{
    /// Publishes a value that declares nothing, to `name`, with the surface's codec and the
    /// transaction's base headers.
    ///
    /// # Errors
    ///
    /// The codec's error or the transaction's; it stays open.
    pub async fn publish<T>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<(), TransactionPublishError<Txn::Error>>
    where
        T: Serialize + Sync,
    {
        let mut buffer = Scratch::take();
        let codec = self.codec.codec();
        let base = self.transaction.base_headers();
        let message = encoded::<Txn::Payload, _, _>(name, value, codec, base, &mut buffer)
            .map_err(TransactionPublishError::Encode)?;
        self.transaction
            .publish(message, None)
            .await
            .map_err(TransactionPublishError::Publish)
    }
}

impl<Txn: Transaction, Enc, Admit> TypedTransaction<Txn, Enc, Admit> {
    /// Makes the buffer visible, together and in order.
    ///
    /// # Errors
    ///
    /// The broker's error; the buffer is consumed either way.
    pub async fn commit(self) -> Result<(), Txn::Error> {
        self.transaction.commit().await
    }

    /// Discards the buffer.
    ///
    /// # Errors
    ///
    /// The broker's error.
    pub async fn abort(self) -> Result<(), Txn::Error> {
        self.transaction.abort().await
    }
}

impl<Txn, Enc, Admit> fmt::Debug for TypedTransaction<Txn, Enc, Admit> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedTransaction").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use ruststream_core::Take;

    use super::*;
    use crate::publish::testkit::{Held, Recorder, headers};
    use crate::publish::{AnyDeclared, PublishExt};

    // PUB-710, PUB-711, CORE-154
    #[tokio::test]
    async fn an_owned_transaction_publishes_into_its_own_value_and_settles_by_consuming_it() {
        let publisher = Recorder::<Take>::new().with_base(headers([("tenant", "acme")]));
        let mut kept = publisher.owned_transaction().await.expect("opens");
        let given_up = publisher.owned_transaction().await.expect("opens");

        kept.message(&Held(b"parcel".to_vec()))
            .to("a")
            .publish()
            .await
            .expect("publishes");
        given_up.abort().await.expect("aborts");
        kept.commit().await.expect("commits");

        assert_eq!(publisher.only().headers, headers([("tenant", "acme")]));
        assert_eq!(
            publisher.calls(),
            ["owned begin", "owned begin", "owned abort", "owned commit"]
        );
    }

    // PUB-706
    #[cfg(feature = "json")]
    #[tokio::test]
    async fn a_foreign_value_goes_to_an_explicit_name_over_the_base_headers() {
        let publisher = Recorder::<Take>::new().with_base(headers([("tenant", "acme")]));
        let mut transaction = publisher.owned_transaction().await.expect("opens");

        transaction.publish("b", &8_u32).await.expect("publishes");
        transaction.commit().await.expect("commits");

        let sent = publisher.only();
        assert_eq!((sent.name.as_str(), &sent.payload[..]), ("b", &b"8"[..]));
        assert_eq!(sent.headers, headers([("tenant", "acme")]));
    }

    #[test]
    fn debug_names_the_type_only() {
        let typed = TypedTransaction::<_, _, AnyDeclared>::new((), ());
        assert_eq!(format!("{typed:?}"), "TypedTransaction { .. }");
    }
}
