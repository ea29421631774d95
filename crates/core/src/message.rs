use std::future::ready;
use std::time::Duration;

use crate::codec::CodecError;
use crate::{AckError, HeaderMap, Settling};

/// One delivery: its payload, its headers, and the way to settle it.
///
/// Accessors borrow; [`ack`](Self::ack), [`nack`](Self::nack) and [`nack_after`](Self::nack_after)
/// consume, so that settling twice does not compile. A delivery dropped without settling consumes
/// nothing: where the transport can redeliver, it comes back.
///
/// The methods with a body are optional. A broker that overrides none of them works with every
/// feature of the runtime: delayed retries fall back to copies, attempts are counted in a header,
/// keyed workers spread round-robin.
///
/// # Cost
///
/// A delivery that keeps name, payload and headers in one block behind one `Arc` is handed over
/// (to each subscriber, on a requeue, on a replay) for a single atomic increment.
///
/// # Examples
///
/// A transport that cannot settle, which is what it says:
///
/// ```
/// use std::sync::Arc;
/// use ruststream_core::{AckError, HeaderMap, IncomingMessage};
///
/// struct Packet {
///     payload: Vec<u8>,
///     headers: HeaderMap,
/// }
///
/// struct Received(Arc<Packet>);
///
/// impl IncomingMessage for Received {
///     fn payload(&self) -> &[u8] {
///         &self.0.payload
///     }
///
///     fn headers(&self) -> &HeaderMap {
///         &self.0.headers
///     }
///
///     async fn ack(self) -> Result<(), AckError> {
///         Err(AckError::Unsupported)
///     }
///
///     async fn nack(self, _requeue: bool) -> Result<(), AckError> {
///         Err(AckError::Unsupported)
///     }
/// }
/// ```
pub trait IncomingMessage: Send + Sync {
    /// The payload bytes.
    fn payload(&self) -> &[u8];

    /// The headers.
    ///
    /// May build its map on the first call: nobody asks unless a handler, a layer or a declared
    /// attempt cap reads headers, and then once per delivery.
    fn headers(&self) -> &HeaderMap;

    /// The key that keyed workers order by; `None` where there is none.
    ///
    /// Where the transport has keys, this is exactly the one the message was published under.
    fn partition_key(&self) -> Option<&[u8]> {
        None
    }

    /// How often the broker delivered this message, this delivery included.
    ///
    /// The first delivery answers `1`. `None` where the transport does not count. An attempt cap
    /// reads this number alone wherever there is one.
    fn redelivery_count(&self) -> Option<u64> {
        None
    }

    /// Why the broker could not read the value it was to carry, for a broker that decodes itself.
    ///
    /// The runtime asks before it builds any input; a delivery with an error here is settled as a
    /// decode failure and the handler does not run.
    fn decode_error(&self) -> Option<&CodecError> {
        None
    }

    /// Consumes the delivery: it is never delivered again.
    ///
    /// # Errors
    ///
    /// [`AckError::Unsupported`] where the transport settles nothing; never an `Ok` for a
    /// settlement that was not performed.
    ///
    /// # Cancel safety
    ///
    /// Documented by each broker. Dropping the future may leave the delivery pending.
    fn ack(self) -> impl Future<Output = Result<(), AckError>> + Send;

    /// Rejects the delivery.
    ///
    /// With `requeue` the same message comes back with the same payload and headers; without it,
    /// the broker drops or dead-letters it and it does not return to this subscription.
    ///
    /// # Errors
    ///
    /// [`AckError::Unsupported`] where the transport cannot do what was asked.
    ///
    /// # Cancel safety
    ///
    /// Documented by each broker. Dropping the future may leave the delivery pending.
    fn nack(self, requeue: bool) -> impl Future<Output = Result<(), AckError>> + Send;

    /// Whether [`nack_after`](Self::nack_after) honours a delay on this delivery.
    ///
    /// The runtime asks this first, so override the two together.
    fn supports_nack_after(&self) -> bool {
        false
    }

    /// Rejects the delivery and has it come back no sooner than `delay` from now.
    ///
    /// # Errors
    ///
    /// The provided method answers [`AckError::Unsupported`]. It does not fall back to an
    /// immediate requeue, which would turn a backoff into a storm.
    fn nack_after(self, delay: Duration) -> impl Future<Output = Result<(), AckError>> + Send
    where
        Self: Sized,
    {
        let _ = delay;
        ready(Err(AckError::Unsupported))
    }

    /// Settles the delivery in `hand` where it lies, if there is nothing to wait for; `None` leaves
    /// it there, to be settled by the methods above.
    #[doc(hidden)]
    fn settle_at_once(hand: &mut Option<Self>, how: Settling) -> Option<Result<(), AckError>>
    where
        Self: Sized,
    {
        let _ = (hand, how);
        None
    }
}
