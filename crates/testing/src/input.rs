//! A test's own messages.

use std::fmt;

use ruststream_core::testing::{LivePublish, TestError};
use ruststream_core::{Lend, OutgoingMessage};
use ruststream_runtime::PublishSink;

use crate::rig::Rig;

/// Where a test's message goes.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// The only broker there is.
    Sole,
    /// One broker, with the way to publish on it live where its type is known.
    Broker {
        scope: usize,
        live: Option<LivePublish>,
    },
}

/// What the builder of a test's message sends through.
///
/// A send returns once the whole reaction to the message has come to rest.
pub struct InjectSink<'a> {
    rig: &'a Rig,
    target: Target,
}

impl<'a> InjectSink<'a> {
    pub(crate) const fn new(rig: &'a Rig, target: Target) -> Self {
        Self { rig, target }
    }
}

impl PublishSink for InjectSink<'_> {
    type Payload = Lend;
    type Error = TestError;
    type Options = ();

    async fn send(
        &mut self,
        msg: OutgoingMessage<'_, &[u8]>,
        _options: Option<&()>,
    ) -> Result<(), TestError> {
        self.rig.send(self.target, msg).await
    }
}

impl fmt::Debug for InjectSink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InjectSink").finish_non_exhaustive()
    }
}
