//! The line at the end.

use std::fmt::{self, Display};
use std::time::Duration;

use crate::books::Tally;
use crate::core_load;
use crate::memory::Trend;

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) server: String,
    pub(crate) took: Duration,
    pub(crate) kills: u64,
    pub(crate) stored: Tally,
    pub(crate) heard: core_load::Tally,
    pub(crate) answered: u64,
    pub(crate) unanswered: u64,
    pub(crate) wrong_answers: u64,
    pub(crate) memory: Trend,
    /// All that was stored was handled within the time for that.
    pub(crate) is_even: bool,
}

impl Summary {
    /// What must not be, in words; nothing for a run that passed.
    pub(crate) fn failures(&self) -> Vec<String> {
        let stored = &self.stored;
        let counted = [
            (stored.lost, "stored and never handled"),
            (stored.unexplained, "handled again without a kill"),
            (stored.stored_twice, "stored twice"),
            (
                self.heard.unexplained,
                "Core messages missing or twice without a kill",
            ),
            (
                self.wrong_answers,
                "requests without an answer, or with a wrong one, without a kill",
            ),
        ];
        let mut failures: Vec<String> = counted
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if !self.is_even {
            failures.push("messages were under way a minute after the last publish".to_owned());
        }
        if !self.memory.is_flat() {
            failures.push(format!(
                "memory grew from {:.1} to {:.1} MiB, above {:.1}",
                self.memory.first,
                self.memory.last,
                self.memory.bound()
            ));
        }
        let idle = [
            (stored.stored, "nothing was stored"),
            (self.heard.heard, "nothing was heard"),
            (self.answered, "nothing was answered"),
            (self.kills, "the server was never killed"),
        ];
        let idle = idle.iter().filter(|(count, _)| *count == 0);
        failures.extend(idle.map(|(_, what)| (*what).to_owned()));
        failures
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stored, memory) = (&self.stored, &self.memory);
        write!(
            f,
            "soak: {} s on {}, killed {} times: {} stored and {}/{} handled ({} published again, \
             {} handled again after a kill, up to {} ms before it); Core {} heard, {} lost in \
             outages; {} requests answered, {} not in outages; memory {:.1} MiB, at the end {:.1}, \
             at most {:.1} (bound {:.1}), slope {:+.1} KiB/min",
            self.took.as_secs(),
            self.server,
            self.kills,
            stored.stored,
            stored.handled[0],
            stored.handled[1],
            stored.published_again,
            stored.again,
            stored.reached_back.as_millis(),
            self.heard.heard,
            self.heard.lost,
            self.answered,
            self.unanswered,
            memory.first,
            memory.last,
            memory.most,
            memory.bound(),
            memory.slope,
        )
    }
}
