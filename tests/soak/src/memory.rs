//! The memory of this process, and whether it grows.

use std::fs;
use std::time::Instant;

/// What it may grow by after the warm-up: a twentieth, and 4 MiB.
const SHARE: f64 = 0.05;
const BESIDE: f64 = 4.0;

/// Samples, one a second.
#[derive(Debug)]
pub(crate) struct Memory {
    began: Instant,
    samples: Vec<Sample>,
}

#[derive(Debug, Clone, Copy)]
struct Sample {
    minutes: f64,
    mebibytes: f64,
}

/// What the samples after the warm-up come to, in MiB.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trend {
    /// The mean of the first quarter.
    pub(crate) first: f64,
    /// The mean of the last one.
    pub(crate) last: f64,
    pub(crate) most: f64,
    /// By least squares, in KiB a minute.
    pub(crate) slope: f64,
}

impl Memory {
    /// With room for as many samples, which is taken now.
    pub(crate) fn with_room(samples: usize) -> Self {
        Self {
            began: Instant::now(),
            samples: Vec::with_capacity(samples),
        }
    }

    pub(crate) fn sample(&mut self) {
        self.samples.push(Sample {
            minutes: self.began.elapsed().as_secs_f64() / 60.0,
            mebibytes: resident(),
        });
    }

    /// Without the first fifth, or the first minute where that is shorter.
    pub(crate) fn trend(&self) -> Trend {
        let whole = self.samples.last().map_or(0.0, |last| last.minutes);
        let warm = (whole / 5.0).max((whole / 2.0).min(1.0));
        let warm: Vec<Sample> = self
            .samples
            .iter()
            .filter(|sample| sample.minutes >= warm)
            .copied()
            .collect();
        let quarter = (warm.len() / 4).max(1).min(warm.len());
        Trend {
            first: mean(&warm[..quarter]),
            last: mean(&warm[warm.len() - quarter..]),
            most: warm
                .iter()
                .map(|sample| sample.mebibytes)
                .fold(0.0, f64::max),
            slope: slope(&warm) * 1024.0,
        }
    }
}

impl Trend {
    /// The most that the last quarter may be.
    pub(crate) fn bound(self) -> f64 {
        self.first * (1.0 + SHARE) + BESIDE
    }

    pub(crate) fn is_flat(self) -> bool {
        self.last <= self.bound()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count of seconds")]
fn mean(samples: &[Sample]) -> f64 {
    samples.iter().map(|sample| sample.mebibytes).sum::<f64>() / samples.len() as f64
}

#[expect(clippy::cast_precision_loss, reason = "a count of seconds")]
fn slope(samples: &[Sample]) -> f64 {
    let minutes = samples.iter().map(|sample| sample.minutes).sum::<f64>() / samples.len() as f64;
    let mebibytes = mean(samples);
    let (mut above, mut below) = (0.0, 0.0);
    for sample in samples {
        above += (sample.minutes - minutes) * (sample.mebibytes - mebibytes);
        below += (sample.minutes - minutes).powi(2);
    }
    if below == 0.0 { 0.0 } else { above / below }
}

#[expect(clippy::cast_precision_loss, reason = "less than 2^52 KiB")]
fn resident() -> f64 {
    let status = fs::read_to_string("/proc/self/status").expect("on Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kibibytes: u64 = kibibytes
        .and_then(|line| line.parse().ok())
        .expect("a number");
    kibibytes as f64 / 1024.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(mebibytes: impl Fn(f64) -> f64) -> Trend {
        let samples = (0..=30).map(|minute| Sample {
            minutes: f64::from(minute),
            mebibytes: mebibytes(f64::from(minute)),
        });
        let samples = samples.collect();
        let began = Instant::now();
        Memory { began, samples }.trend()
    }

    #[test]
    fn memory_that_grows_after_the_warm_up_is_not_flat() {
        let grows = memory(|minute| 50.0 + minute * 0.5);

        assert!(!grows.is_flat(), "{grows:?}");
        assert!((grows.slope - 512.0).abs() < 1.0, "{grows:?}");
    }

    #[test]
    fn memory_that_grows_only_while_it_warms_up_is_flat() {
        let warms = memory(|minute| 50.0 + minute.min(5.0) * 10.0);

        assert!(warms.is_flat() && warms.slope.abs() < 1.0, "{warms:?}");
    }
}
