mod buffered;
mod spare;

use std::num::NonZeroUsize;

use futures_core::Stream;

pub use buffered::BufferedSubscriber;
pub(crate) use buffered::DEFAULT_MAX_WAIT;
#[doc(hidden)]
pub use spare::SpareBatch;

use crate::Subscriber;

/// A subscription that hands over deliveries in batches.
///
/// Offer it on every subscriber a mount can reach, the one of
/// [`Subscribe`](crate::Subscribe) included: a handler over a slice needs it. A transport without
/// batches of its own wraps its subscriber in [`BufferedSubscriber`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not deliver messages in batches: wrap its source, `Buffered::new(..)`",
    label = "a handler over `&[T]` needs a `BatchSubscriber`",
    note = "wrap the source in `Buffered::new(..)` to collect batches on the client"
)]
pub trait BatchSubscriber: Subscriber {
    /// A batch: never empty, in the order of publishing.
    type Batch: IntoIterator<Item = Self::Message> + Send;

    /// The batches from here on, each of at most `size` deliveries.
    ///
    /// The handler sees a batch as it is yielded here: the runtime neither splits nor merges. Its
    /// deliveries are settled one by one.
    ///
    /// # Cancel safety
    ///
    /// As [`Subscriber::stream`].
    fn batches(
        &mut self,
        size: NonZeroUsize,
    ) -> impl Stream<Item = Result<Self::Batch, Self::Error>> + Send + '_;

    /// Where a reader of [`batches`](Self::batches) may leave the buffer of a batch that it emptied,
    /// for a subscription that fills it again.
    #[doc(hidden)]
    fn spare_batch(&mut self) -> SpareBatch<Self::Batch> {
        SpareBatch::default()
    }
}
