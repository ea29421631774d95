//! The builder and the typed transactions on every publisher.

use ruststream_core::{OutgoingDestination, OwnedTransactions, Publisher, TransactionalPublisher};

use super::builder::{MessageBody, PublishBuilder, message_of};
use super::codec::UnnamedCodec;
use super::headers::HeadersUnset;
use super::transaction::{AnyDeclared, TransactionScope, TypedTransaction};

/// Typed publishing on any publisher.
///
/// The codec is the default one unless the call names another; no transform and no publish layer
/// runs, those belong to the positions of a mount.
///
/// ```
/// # use ruststream_core::{CallerName, HeaderMap, MessageHeaders, NoHeaders, OutgoingDestination, Publisher};
/// use ruststream_runtime::PublishExt;
/// # #[derive(serde::Serialize)]
/// # struct Label { parcel: u64 }
/// # impl OutgoingDestination for Label { type Form = CallerName; }
/// # impl MessageHeaders for Label { type Contract = NoHeaders; }
///
/// # #[cfg(feature = "json")]
/// async fn print<P: Publisher>(printer: &P) -> bool {
///     printer.message(&Label { parcel: 7 }).to("labels.print").publish().await.is_ok()
/// }
/// ```
pub trait PublishExt: Publisher {
    /// Starts a publish of `value`.
    #[inline]
    fn message<'a, T>(
        &'a self,
        value: &'a T,
    ) -> PublishBuilder<&'a Self, MessageBody<'a, T>, UnnamedCodec, HeadersUnset, T::Form>
    where
        T: OutgoingDestination,
    {
        message_of(self, value, UnnamedCodec::new())
    }

    /// Begins a transaction on this handle and returns the scope that settles it.
    ///
    /// The scope only borrows the handle: a direct publish on it joins the transaction, and a
    /// second `begin` is the broker's error.
    fn begin(
        &self,
    ) -> impl Future<
        Output = Result<TransactionScope<'_, Self, UnnamedCodec, AnyDeclared>, Self::Error>,
    > + Send
    where
        Self: TransactionalPublisher + Sized,
    {
        async move {
            self.begin_transaction().await?;
            Ok(TransactionScope::new(self, UnnamedCodec::new()))
        }
    }

    /// Opens a transaction of its own, independent of any other of this handle.
    fn owned_transaction(
        &self,
    ) -> impl Future<
        Output = Result<
            TypedTransaction<Self::Transaction, UnnamedCodec, AnyDeclared>,
            Self::Error,
        >,
    > + Send
    where
        Self: OwnedTransactions + Sized,
    {
        async move {
            let transaction = self.transaction().await?;
            Ok(TypedTransaction::new(transaction, UnnamedCodec::new()))
        }
    }
}

impl<P: Publisher + ?Sized> PublishExt for P {}
