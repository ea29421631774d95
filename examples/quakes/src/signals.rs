//! The signals that stop the service.

use std::io;

use tokio::signal;

/// Listens from the call on; the future resolves with the first interrupt or terminate signal.
#[cfg(unix)]
pub(crate) fn listen() -> io::Result<impl Future<Output = ()>> {
    use signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Listens for Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn listen() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    })
}
