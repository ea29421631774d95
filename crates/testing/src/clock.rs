//! Whether the runtime's clock is paused, which cannot be asked for.

use std::time::{Duration, Instant};

/// Real time in which a running clock shows that it runs.
const A_MOMENT: Duration = Duration::from_micros(50);

/// A look at both clocks, to be compared with a later one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Glance {
    real: Instant,
    runtime: tokio::time::Instant,
}

impl Glance {
    pub(crate) fn now() -> Self {
        Self {
            real: Instant::now(),
            runtime: tokio::time::Instant::now(),
        }
    }

    /// Real time since.
    pub(crate) fn real_elapsed(&self) -> Duration {
        self.real.elapsed()
    }

    /// Whether the runtime's clock stands still while real time passes; `None` where too little
    /// time passed to tell.
    pub(crate) fn stands_still(&self) -> Option<bool> {
        let runtime = tokio::time::Instant::now();
        (self.real.elapsed() >= A_MOMENT).then(|| runtime == self.runtime)
    }
}

/// Whether the clock of the current runtime is paused. Takes a moment of real time.
pub(crate) fn is_paused() -> bool {
    let glance = Glance::now();
    loop {
        if let Some(paused) = glance.stands_still() {
            return paused;
        }
        std::hint::spin_loop();
    }
}
