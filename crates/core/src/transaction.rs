use crate::{HeaderMap, OutgoingFor, PayloadForm, Publisher};

/// A publisher that carries at most one transaction at a time.
///
/// What is published on the handle between [`begin_transaction`](Self::begin_transaction) and its
/// settlement belongs to the transaction: invisible until [`commit`](Self::commit), which makes it
/// visible at once and in order.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no transactions: bind the position to a policy that has, such as the broker's `TransactionalPublish`",
    label = "not a `TransactionalPublisher`",
    note = "attach a policy whose live form has them, such as a broker's `TransactionalPublish`",
    note = "a slot whose transform names the destination only sends, whatever its policy"
)]
pub trait TransactionalPublisher: Publisher {
    /// Opens the transaction.
    ///
    /// # Errors
    ///
    /// One is open already (it stays as it is), or the broker refused.
    fn begin_transaction(&self) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Publishes what the transaction holds.
    ///
    /// # Errors
    ///
    /// None is open, or the broker refused. A failed commit closes the transaction and loses its
    /// content; redelivery of the inputs brings the work back.
    fn commit(&self) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Discards what the transaction holds.
    ///
    /// # Errors
    ///
    /// None is open, or the broker refused.
    fn abort(&self) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// One transaction as a value: a buffer that is published whole or not at all.
///
/// Settling consumes it. Dropped unsettled, it discards its content and logs a warning.
#[must_use = "a transaction dropped without `commit` discards what was published into it"]
pub trait Transaction: Send {
    /// How the buffer consumes the payload; may differ from the publisher's.
    type Payload: PayloadForm;

    /// What its operations can fail with.
    type Error: std::error::Error + Send + Sync + 'static;

    /// The settings of one message; may differ from the publisher's.
    type Options: Clone + Send + Sync + 'static;

    /// Adds one message to the buffer.
    ///
    /// # Errors
    ///
    /// A message the buffer cannot take. The transaction stays open.
    fn publish(
        &mut self,
        msg: OutgoingFor<'_, Self::Payload>,
        options: Option<&Self::Options>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Publishes the buffer, atomically and in order.
    ///
    /// # Errors
    ///
    /// The broker refused; nothing became visible.
    fn commit(self) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Discards the buffer.
    ///
    /// # Errors
    ///
    /// The broker refused.
    fn abort(self) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// The headers laid under each publish: those of the handle that opened the transaction.
    fn base_headers(&self) -> Option<&HeaderMap> {
        None
    }
}

/// A publisher that opens any number of independent transactions.
///
/// Settling one touches no other, and the handle keeps publishing directly meanwhile.
#[diagnostic::on_unimplemented(
    message = "`{Self}` opens no transactions of its own: bind the slot to a policy that does, such as the broker's `TransactionalPublish`",
    label = "not an `OwnedTransactions` publisher",
    note = "attach a policy whose live form has them, such as a broker's `TransactionalPublish`",
    note = "a slot whose transform names the destination only sends, whatever its policy"
)]
pub trait OwnedTransactions: Publisher {
    /// The transaction it opens.
    type Transaction: Transaction;

    /// Opens a transaction.
    ///
    /// # Errors
    ///
    /// The broker refused.
    fn transaction(&self) -> impl Future<Output = Result<Self::Transaction, Self::Error>> + Send;
}
