use std::sync::Arc;
use std::time::Duration;

use crate::kit::{Check, on_own_thread};

const CONSTRUCTION: Duration = Duration::from_secs(1);

/// Makes a broker where there is no runtime.
///
/// A constructor that never returns is left behind on its thread.
pub(super) async fn constructed<B, MkBroker>(check: &Check, make_broker: &Arc<MkBroker>) -> B
where
    B: Send + 'static,
    MkBroker: Fn() -> B + Send + Sync + 'static,
{
    let step = check.step(
        "construction",
        "a broker is constructed on a plain thread, without a runtime, I/O or waiting",
    );
    let make_broker = Arc::clone(make_broker);
    on_own_thread(step, CONSTRUCTION, move || make_broker()).await
}
