//! Which driver runs a subscription.

use ruststream_core::{BuildContext, Subscriber};

use super::delivery::Subscription;
use super::sequential;
use crate::app::DispatchLoop;
use crate::handler::Handler;
use crate::workers::Workers;

/// The loop of a subscription under its concurrency.
pub(crate) fn dispatch<Sub, H, C, S>(
    subscriber: Sub,
    subscription: Subscription<H, C, S>,
    workers: Workers,
) -> DispatchLoop
where
    Sub: Subscriber + 'static,
    H: Handler<Sub::Message, C, S> + 'static,
    C: BuildContext<Sub::Message> + Send + Sync + 'static,
    S: Send + Sync + 'static,
{
    let _ = workers;
    Box::pin(sequential::run(subscriber, subscription))
}
