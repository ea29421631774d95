#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod about;
mod ack;
mod addrs;
#[cfg(feature = "asyncapi")]
mod asyncapi;
mod broker;
mod connected;
mod connection;
pub mod context;
mod credentials;
mod error;
mod in_hand;
#[cfg(feature = "testing")]
mod in_process;
mod link;
mod message;
#[cfg(feature = "testing")]
mod openings;
pub mod prelude;
mod publish;
mod redelivery;
mod sealed;
mod source;
mod subject;
mod subscriber;
mod unopened;

pub use async_nats::jetstream::consumer::DeliverPolicy;
pub use async_nats::jetstream::publish::PublishAck;

pub use broker::NatsBroker;
pub use connected::{ClosedNatsBroker, ConnectedNatsBroker};
pub use error::NatsError;
pub use message::{CoreMessage, JetStreamMessage, NatsMessage, PARTITION_KEY_HEADER};
pub use publish::{
    JetStreamOptions, JetStreamPublish, JetStreamPublishSteps, JetStreamPublisher, NatsPublish,
    NatsPublishPolicy, NatsPublisher,
};
pub use source::{
    CoreSourceSteps, CoreSubject, CoreWildcard, JetStreamPolicySteps, JetStreamSourceSteps,
    JetStreamSubject, NatsSubscription, NonZeroDuration,
};
pub use subscriber::NatsSubscriber;

#[cfg(doctest)]
mod refused;
