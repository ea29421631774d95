//! Times in which nothing comes of pulling: how fast it is tried again, and what is told of it.

use std::time::Duration;

use tokio::time::Instant;

const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);
/// How often trouble that lasts is told again.
const REMINDER: Duration = Duration::from_mins(1);
/// How many causes of one time of trouble are told.
const CAUSES: usize = 4;

/// Doubles the wait from failure to failure, until there is a sign of life.
#[derive(Debug)]
pub(super) struct Pace {
    wait: Duration,
    reported: Option<Instant>,
    trouble: Option<Trouble>,
}

/// From the first failure on.
#[derive(Debug)]
struct Trouble {
    since: Instant,
    told: Instant,
    causes: Vec<String>,
}

/// What a failure is to who reads the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// The first of its cause; an item of the subscription as well, unless one was there just now.
    New { is_item: bool },
    /// It has lasted so long.
    Still(Duration),
    /// It was told.
    Known,
}

impl Pace {
    pub(super) const fn new() -> Self {
        Self {
            wait: SHORTEST,
            reported: None,
            trouble: None,
        }
    }

    /// Counts a failure, and answers how long to wait before the next try.
    pub(super) fn failed(&mut self, cause: String) -> (Duration, Told) {
        let wait = self.wait;
        self.wait = (wait * 2).min(LONGEST);
        (wait, self.told(cause))
    }

    fn told(&mut self, cause: String) -> Told {
        let now = Instant::now();
        let trouble = self.trouble.get_or_insert_with(|| Trouble {
            since: now,
            told: now,
            causes: Vec::new(),
        });
        let is_known = trouble.causes.len() == CAUSES || trouble.causes.contains(&cause);
        if is_known && now - trouble.told < REMINDER {
            return Told::Known;
        }
        trouble.told = now;
        if is_known {
            return Told::Still(now - trouble.since);
        }
        trouble.causes.push(cause);
        let reported = self.reported.replace(now);
        let is_item = reported.is_none_or(|reported| now - reported >= SHORTEST);
        if !is_item {
            self.reported = reported;
        }
        Told::New { is_item }
    }

    /// Pulling works; answers how long it did not, if it did not.
    #[inline]
    pub(super) fn succeeded(&mut self) -> Option<Duration> {
        let trouble = self.trouble.take()?;
        self.wait = SHORTEST;
        Some(trouble.since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    // NATS-32
    #[test]
    fn failures_in_a_row_wait_from_a_tenth_of_a_second_to_five() {
        let mut pace = Pace::new();
        let mut wait = || pace.failed("gone".to_owned()).0.as_millis();

        let waits: Vec<_> = (0..8).map(|_| wait()).collect();

        assert_eq!(waits, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        assert!(pace.succeeded().is_some());
        assert_eq!(pace.failed("gone".to_owned()).0.as_millis(), 100);
    }

    // NATS-32
    #[tokio::test(start_paused = true)]
    async fn a_cause_is_told_once_and_trouble_that_lasts_once_a_minute() {
        let mut pace = Pace::new();
        let told = |pace: &mut Pace, cause: &str| pace.failed(cause.to_owned()).1;

        assert_eq!(told(&mut pace, "deleted"), Told::New { is_item: true });
        advance(SHORTEST).await;
        assert_eq!(told(&mut pace, "no stream"), Told::New { is_item: true });
        advance(Duration::from_secs(59)).await;
        assert_eq!(told(&mut pace, "no stream"), Told::Known);
        assert_eq!(told(&mut pace, "deleted"), Told::Known);
        advance(Duration::from_secs(1)).await;
        let lasted = SHORTEST + Duration::from_mins(1);
        assert_eq!(told(&mut pace, "no stream"), Told::Still(lasted));
        assert_eq!(told(&mut pace, "no stream"), Told::Known);

        assert_eq!(pace.succeeded(), Some(lasted));
        assert_eq!(pace.succeeded(), None);
        assert_eq!(told(&mut pace, "no stream"), Told::New { is_item: true });
    }

    // NATS-32
    #[tokio::test(start_paused = true)]
    async fn two_failures_at_once_are_one_item() {
        let mut pace = Pace::new();
        let told = |pace: &mut Pace, cause: &str| pace.failed(cause.to_owned()).1;

        assert_eq!(told(&mut pace, "deleted"), Told::New { is_item: true });
        advance(Duration::from_millis(60)).await;
        assert_eq!(told(&mut pace, "no stream"), Told::New { is_item: false });
        advance(Duration::from_millis(60)).await;
        assert_eq!(told(&mut pace, "no leader"), Told::New { is_item: true });
    }

    // NATS-32: a text that is another one each time does not fill the log
    #[tokio::test(start_paused = true)]
    async fn so_many_causes_are_told_and_no_more() {
        let mut pace = Pace::new();

        let told: Vec<_> = (0..50).map(|n| pace.failed(n.to_string()).1).collect();

        assert!(told[4..].iter().all(|told| *told == Told::Known));
    }
}
