//! Ctrl-C while a service runs under the tool.
//!
//! The terminal sends it to both. The service stops in order, which takes a while, and the tool has
//! to be there until then.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// While it exists, Ctrl-C does not end this process.
pub(super) struct OutlivesInterrupts {
    _listening: Runtime,
}

impl OutlivesInterrupts {
    pub(super) fn begin() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        // From its first poll on, the listener's handler stands in for the default one, which ends
        // the process.
        runtime.block_on(async {
            tokio::select! {
                biased;
                _ = tokio::signal::ctrl_c() => {}
                () = std::future::ready(()) => {}
            }
        });
        Ok(Self {
            _listening: runtime,
        })
    }
}
