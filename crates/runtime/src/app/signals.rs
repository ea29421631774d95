//! The process signals that stop a service.

/// Listens for interrupt and, on Unix, terminate, and counts what it heard.
///
/// It listens from the moment it is made, so a signal that comes while the service starts is not
/// lost. From then on the process no longer ends by these signals alone.
pub(crate) struct Signals {
    listener: Listener,
    heard: u32,
}

impl Signals {
    pub(crate) fn listen() -> Self {
        Self {
            listener: Listener::new(),
            heard: 0,
        }
    }

    /// Resolves once `count` signals were heard since the beginning. Cancel safe.
    pub(crate) async fn heard(&mut self, count: u32) {
        while self.heard < count {
            self.listener.next().await;
            self.heard += 1;
        }
    }
}

#[cfg(unix)]
use unix::Listener;

#[cfg(unix)]
mod unix {
    use std::future::pending;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// A listener that could not be installed hears nothing; the other one still does.
    pub(super) struct Listener {
        interrupt: Option<Signal>,
        terminate: Option<Signal>,
    }

    impl Listener {
        pub(super) fn new() -> Self {
            Self {
                interrupt: signal(SignalKind::interrupt()).ok(),
                terminate: signal(SignalKind::terminate()).ok(),
            }
        }

        pub(super) async fn next(&mut self) {
            tokio::select! {
                () = hear(self.interrupt.as_mut()) => {}
                () = hear(self.terminate.as_mut()) => {}
            }
        }
    }

    async fn hear(signal: Option<&mut Signal>) {
        if let Some(signal) = signal
            && signal.recv().await.is_some()
        {
            return;
        }
        pending::<()>().await;
    }
}

#[cfg(not(unix))]
struct Listener;

#[cfg(not(unix))]
impl Listener {
    fn new() -> Self {
        Self
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
