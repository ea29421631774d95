//! Calling a broker from where its own runtime is not.
//!
//! The thread is a detached one, not a scoped one: a call that never returns must fail its step, not
//! hold the suite. The suite waits in a blocking task, so its own runtime keeps running meanwhile,
//! and a paused clock stands still instead of running to the next deadline.

use std::any::Any;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::time::timeout;

use super::Step;

/// How long a thread may take beyond the limit of its work: to start, and to drop its runtime.
const GRACE: Duration = Duration::from_secs(2);

/// Runs `act` on a fresh current-thread runtime of its own thread, and returns once that runtime is
/// gone: whatever the broker left to it is lost.
pub(crate) async fn elsewhere<T, Act, Acting>(step: Step<'_>, limit: Duration, act: Act) -> T
where
    Act: FnOnce() -> Acting + Send + 'static,
    Acting: Future<Output = T>,
    T: Send + 'static,
{
    let run = move || {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        // `act` runs inside as well: what it calls may look for the current runtime.
        let answer = runtime.block_on(async { timeout(limit, act()).await });
        drop(runtime);
        Ok::<_, std::io::Error>(answer)
    };
    match on_own_thread(step, limit + GRACE, run).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => step.fail(format_args!(
            "no answer within {limit:?} on a runtime of the caller's own"
        )),
        Err(error) => panic!("a runtime could not be made for the check: {error}"),
    }
}

/// Runs `work` on a thread without a runtime. It must return within `limit` of real time.
pub(crate) async fn on_own_thread<T, Work>(step: Step<'_>, limit: Duration, work: Work) -> T
where
    Work: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let (sender, receiver) = sync_channel(1);
    let caller = thread::Builder::new()
        .name("conformance".to_owned())
        .spawn(move || {
            let answer = work();
            // Nobody waits any more once the limit has passed.
            drop(sender.send(answer));
        })
        .expect("the system starts a thread for the check");
    let waiting = tokio::task::spawn_blocking(move || receiver.recv_timeout(limit));
    match waiting.await.expect("waiting does not panic") {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout) => {
            step.fail(format_args!("the call held its thread for {limit:?}"))
        }
        Err(RecvTimeoutError::Disconnected) => match caller.join() {
            Ok(()) => step.fail("the call returned nothing"),
            Err(panic) => step.fail(format_args!("it panicked: {}", text_of(&*panic))),
        },
    }
}

/// The message of a caught panic.
fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("(no message)")
}
