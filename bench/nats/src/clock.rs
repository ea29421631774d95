//! What a run takes: time on the wall, and on the processors.

use std::fs;
use std::time::Instant;

/// A moment of this process.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    wall: Instant,
    cpu: u64,
}

/// What passed between two moments, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct Took {
    pub wall: u64,
    pub cpu: u64,
}

impl Moment {
    pub fn now() -> Self {
        Self {
            wall: Instant::now(),
            cpu: cpu(),
        }
    }

    pub fn until(self, later: Self) -> Took {
        let wall = later.wall.duration_since(self.wall).as_nanos();
        Took {
            wall: u64::try_from(wall).expect("less than 500 years"),
            cpu: later.cpu - self.cpu,
        }
    }
}

/// Nanoseconds that the threads of this process have run.
fn cpu() -> u64 {
    let threads = fs::read_dir("/proc/self/task").expect("on Linux");
    let of = |thread: fs::DirEntry| -> Option<u64> {
        // A thread that has ended meanwhile is none of the measured ones.
        let told = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        told.split_whitespace().next()?.parse().ok()
    };
    threads.filter_map(|thread| of(thread.ok()?)).sum()
}
