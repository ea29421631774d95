use ruststream::runtime::{PublishBuilder, PublishSink};

use super::JetStreamOptions;

/// What one publish to a stream asks of it, on the publish itself.
///
/// The steps exist where the publisher takes [`JetStreamOptions`]: on a
/// [`JetStreamPublisher`](crate::JetStreamPublisher), and in a handler on a slot bounded
/// `Out<impl Publisher<Options = JetStreamOptions>, Marker>`. Each sets its own field and keeps the
/// others; the last call of a step wins.
pub trait JetStreamPublishSteps {
    /// Names the message: within its window the stream stores one of each.
    #[must_use]
    fn message_id(self, id: impl Into<String>) -> Self;

    /// Publishes only if this is the last sequence of the stream.
    #[must_use]
    fn expect_last_sequence(self, sequence: u64) -> Self;

    /// Publishes only if this is the last sequence under the message's subject.
    #[must_use]
    fn expect_last_subject_sequence(self, sequence: u64) -> Self;

    /// Publishes only if the stream's last message has this identity.
    #[must_use]
    fn expect_last_message_id(self, id: impl Into<String>) -> Self;
}

impl<Sink, Body, Enc, Hdrs, Dest> JetStreamPublishSteps
    for PublishBuilder<Sink, Body, Enc, Hdrs, Dest>
where
    Sink: PublishSink<Options = JetStreamOptions>,
{
    fn message_id(mut self, id: impl Into<String>) -> Self {
        let options = self.options_mut().get_or_insert_default();
        options.message_id = Some(id.into());
        self
    }

    fn expect_last_sequence(mut self, sequence: u64) -> Self {
        let options = self.options_mut().get_or_insert_default();
        options.expect_last_sequence = Some(sequence);
        self
    }

    fn expect_last_subject_sequence(mut self, sequence: u64) -> Self {
        let options = self.options_mut().get_or_insert_default();
        options.expect_last_subject_sequence = Some(sequence);
        self
    }

    fn expect_last_message_id(mut self, id: impl Into<String>) -> Self {
        let options = self.options_mut().get_or_insert_default();
        options.expect_last_message_id = Some(id.into());
        self
    }
}
