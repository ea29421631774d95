use std::time::Duration;

use crate::{IncomingMessage, OutgoingFor, Publisher};

/// A publisher that sends a request and resolves on the one reply to it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot send requests: bind the slot to a policy that does, such as the broker's `Request`",
    label = "not a `RequestReply` publisher",
    note = "attach a policy whose live form has them, such as a broker's `Request`",
    note = "a slot whose transform names the destination only sends, whatever its policy"
)]
pub trait RequestReply: Publisher {
    /// The reply.
    type Reply: IncomingMessage;

    /// Publishes `msg` and waits for the reply correlated with it, `timeout` for the whole call.
    ///
    /// The responder finds a usable `reply-to` header. Requests in flight at once each resolve with
    /// their own reply; one that comes later than its timeout resolves no later request.
    ///
    /// # Errors
    ///
    /// No reply within `timeout`, a failed publish, or a connection that was shut down (at once).
    fn request(
        &self,
        msg: OutgoingFor<'_, Self::Payload>,
        timeout: Duration,
    ) -> impl Future<Output = Result<Self::Reply, Self::Error>> + Send;
}
