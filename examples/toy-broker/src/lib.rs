//! A broker crate to copy from: named queues behind a line protocol over TCP.
//!
//! The README beside it walks through these files. A queue keeps each message until a reader
//! settles it; the readers of a queue, one a connection, take turns.
//!
//! - `Ok` from a publish or a settlement means that the server has done it. The frame is sent when
//!   the future is first polled; dropping the future later loses only the answer.
//! - A connection that is lost is not made again: streams end, calls answer [`ToyError::Closed`],
//!   and the server hands out again what was not settled.
//! - Left out: `nack_after` (the runtime publishes delayed copies), keys, redelivery counts, and a
//!   bound on what a slow reader is sent.
//!
//! ```
//! use futures_util::StreamExt;
//! use ruststream::{Broker, ConnectedBroker, IncomingMessage, OutgoingMessage, Publisher};
//! use ruststream::{Subscribe, Subscriber};
//! use toy_broker::{ToyBroker, ToyServer};
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//!
//! let server = ToyServer::bind("127.0.0.1:0").await?;
//! let broker = ToyBroker::new(server.address()?.to_string());
//! tokio::spawn(server.run());
//!
//! let connected = broker.connect().await?;
//! connected.publisher().publish(OutgoingMessage::new("orders", b"7"), None).await?;
//! let mut orders = connected.subscribe("orders").await?;
//! let order = orders.stream().next().await.expect("kept for us")?;
//! assert_eq!(order.payload(), b"7");
//! order.ack().await?;
//! connected.shutdown().await?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

mod broker;
mod connected;
mod error;
mod link;
mod message;
pub mod prelude;
mod publisher;
mod queue;
mod server;
mod shelf;
mod subscriber;
mod sync;
#[cfg(feature = "testing")]
mod testing;
mod wire;

pub use broker::ToyBroker;
pub use connected::ConnectedToy;
pub use error::ToyError;
pub use message::ToyMessage;
pub use publisher::{ToyPublish, ToyPublisher};
pub use queue::ToyQueue;
pub use server::ToyServer;
pub use subscriber::ToySubscriber;
