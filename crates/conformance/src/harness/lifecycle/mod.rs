//! The ladder of a connection, and what it carries.
//!
//! | Room | Holds |
//! |---|---|
//! | `construction` | a constructor needs no runtime and returns |
//! | `shape` | every message and every header arrives, or the publish fails |
//! | `ladder` | connect, subscribe, publish, settle from runtimes that end, shut down |

mod construction;
mod ladder;
mod shape;

use std::sync::Arc;

use ruststream_core::{Broker, Connected, Publisher, Subscriber, SubscriptionSource};

use crate::kit::Check;

/// Takes a broker from construction to shutdown.
///
/// First, on a connection of its own, what a message carries: headers of every kind, then a burst,
/// 36 messages in all that the subscription has to hold before its first read. Then the ladder: the
/// constructor on a thread without a runtime; a subscription, publishes and settlements from
/// runtimes that are gone right after; shutdown; and after it the publishers paired before, used and
/// unused, which must fail, and a delivery held across it.
///
/// The subjects begin with `conformance.lifecycle.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn lifecycle<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
) where
    B: Broker + Send + 'static,
    MkBroker: Fn() -> B + Send + Sync + 'static,
    Src: SubscriptionSource<Connected<B>> + Clone + Send + 'static,
    Src::Subscriber: Send + 'static,
    MkSrc: Fn(&str) -> Src,
    <Src::Subscriber as Subscriber>::Message: 'static,
    Pub: Publisher + 'static,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("lifecycle");
    let make_broker = Arc::new(make_broker);
    shape::shape(&check, &make_broker, &make_source, &make_publisher).await;
    ladder::ladder(&check, &make_broker, &make_source, &make_publisher).await;
}
