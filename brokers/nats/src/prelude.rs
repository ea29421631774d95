//! Everything a service on NATS imports: the core prelude, the broker, its descriptors, policies
//! and words.
//!
//! A routes file that imports it changes brokers by changing that one import: the plain policy is
//! called `Publish` here as it is everywhere, and it makes requests too. JetStream's keeps its name,
//! [`JetStreamPublish`]. A file that globs another crate's `Stream` as well names one of the two.

pub use ruststream::RequestReply;
pub use ruststream::prelude::*;

pub use crate::NatsPublish as Publish;
pub use crate::context::keys::{
    Consumer, ConsumerSequence, Delivered, Pending, Stream, StreamSequence,
};
pub use crate::context::{JetStreamBatchContext, JetStreamContext};
pub use crate::{
    CoreSourceSteps, CoreSubject, CoreWildcard, DeliverPolicy, JetStreamOptions,
    JetStreamPolicySteps, JetStreamPublish, JetStreamPublishSteps, JetStreamSourceSteps,
    JetStreamSubject, NatsBroker, NatsError, NonZeroDuration,
};
