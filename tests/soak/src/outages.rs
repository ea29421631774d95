//! The server, killed again and again.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ruststream_nats_servers::Server;

/// How long after the server is back a connection may still be away.
const BACK_WITHIN: Duration = Duration::from_secs(5);
/// The longest that a kill may reach back: acknowledgements on their way, and in the server's hands.
const REACHES_BACK: Duration = Duration::from_secs(10);

/// When the server was away; kept to the last ones, so that a long run keeps no more than a short one.
#[derive(Debug, Default)]
pub(crate) struct Outages(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    kills: u64,
    last: [Option<Outage>; 4],
}

#[derive(Debug, Clone, Copy)]
struct Outage {
    killed: Instant,
    back: Option<Instant>,
}

impl Outage {
    /// When everything is as before again.
    fn over(self) -> Option<Instant> {
        self.back.map(|back| back + BACK_WITHIN)
    }
}

impl Outages {
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn killed(&self) {
        let mut seen = self.lock();
        seen.kills += 1;
        seen.last.rotate_right(1);
        seen.last[0] = Some(Outage {
            killed: Instant::now(),
            back: None,
        });
    }

    fn back(&self) {
        if let Some(last) = &mut self.lock().last[0] {
            last.back = Some(Instant::now());
        }
    }

    pub(crate) fn kills(&self) -> u64 {
        self.lock().kills
    }

    /// Whether an outage was on at some time between the two.
    pub(crate) fn touch(&self, from: Instant, to: Instant) -> bool {
        let seen = self.lock();
        let mut outages = seen.last.iter().flatten();
        outages.any(|outage| outage.killed <= to && outage.over().is_none_or(|over| over >= from))
    }

    /// How long before a kill that can be why it comes again at `again` a message was handled at `first`.
    pub(crate) fn explain(&self, first: Instant, again: Instant) -> Option<Duration> {
        let seen = self.lock();
        let outages = seen.last.iter().flatten();
        let reasons = outages.filter(|outage| {
            outage.killed <= again
                && outage.killed <= first + REACHES_BACK
                && outage.over().is_none_or(|over| over >= first)
        });
        reasons
            .map(|outage| outage.killed.saturating_duration_since(first))
            .min()
    }
}

/// Kills a server every so often, until it is dropped.
pub(crate) struct Killer {
    stop: Sender<()>,
    thread: JoinHandle<Server>,
}

impl Killer {
    pub(crate) fn of(mut server: Server, every: Duration, outages: Arc<Outages>) -> Self {
        let (stop, stopped) = channel::<()>();
        let thread = thread::spawn(move || {
            let mut round = 0_u32;
            loop {
                // Not the same place in what the service does each time.
                let wait = every.mul_f64([0.8, 1.1, 0.9, 1.2][round as usize % 4]);
                if stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                    return server;
                }
                outages.killed();
                server.kill();
                thread::sleep(Duration::from_millis([0, 400, 1500][round as usize % 3]));
                server.again();
                outages.back();
                round += 1;
            }
        });
        Self { stop, thread }
    }

    /// The server, which runs.
    pub(crate) fn stop(self) -> Server {
        drop(self.stop);
        self.thread.join().expect("the server came back")
    }
}

/// The version, as the binary says it.
pub(crate) fn version(binary: &Path) -> String {
    let said = std::process::Command::new(binary).arg("--version").output();
    let said = said.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    said.unwrap_or_else(|_| binary.display().to_string())
}
