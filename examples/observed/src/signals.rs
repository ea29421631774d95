//! The signals that end the process.

use std::future::Future;
use std::io;

/// Resolves with the first signal. Listening begins with the call, so none is missed.
#[cfg(unix)]
pub(crate) fn listen() -> io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Resolves with Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn listen() -> io::Result<impl Future<Output = ()> + Send> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupt.recv().await;
    })
}
