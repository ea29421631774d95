//! Telling of outages in the log.
//!
//! NOTE: the client tells its event callback, which belongs to whoever made its options, so that its
//! state is looked at here.

use std::sync::{Arc, Weak};
use std::time::Duration;

use async_nats::connection::State;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::Connection;

/// How often the client's state is looked at.
const LOOK: Duration = Duration::from_millis(250);
/// How often an outage that lasts is told again, and how often those that are too many.
const REMINDER: Duration = Duration::from_mins(1);
/// How many outages of a minute are told one by one.
const EACH: usize = 4;

/// Watches the connection until it is shut down, or over.
pub(super) fn watch(connection: &Arc<Connection>) {
    if let Some(runtime) = connection.runtime() {
        runtime.spawn(run(Arc::downgrade(connection)));
    }
}

async fn run(connection: Weak<Connection>) {
    let mut outages = Outages::default();
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        let Some(connection) = connection.upgrade() else {
            return;
        };
        if connection.is_closed() || connection.epochs.life().borrow().over {
            return;
        }
        for told in outages.look(Instant::now(), Seen::of(&connection)) {
            told.log(&connection);
        }
    }
}

/// What is seen of a client at one look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    epoch: u64,
    connects: u64,
    is_connected: bool,
}

impl Seen {
    fn of(connection: &Connection) -> Self {
        let epoch = connection.epoch();
        Self {
            epoch: epoch.number(),
            connects: epoch.connects(),
            is_connected: epoch.client().connection_state() == State::Connected,
        }
    }
}

/// What a look finds to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// There was no connection yet.
    Unanswered,
    Lost,
    StillLost(Duration),
    Back(Duration),
    /// So many outages more than were told.
    AgainAndAgain(usize),
}

#[derive(Debug, Default)]
struct Outages {
    seen: Option<Seen>,
    outage: Option<Outage>,
    minute: Option<Minute>,
}

#[derive(Debug)]
struct Outage {
    since: Instant,
    told: Instant,
    /// Its end is told because something of it was.
    is_told: bool,
}

/// The outages since one of them.
#[derive(Debug)]
struct Minute {
    began: Instant,
    outages: usize,
}

impl Outages {
    fn look(&mut self, now: Instant, seen: Seen) -> Vec<Told> {
        let mut told = Vec::new();
        told.extend(self.minute_over(now));
        let before = self.seen.replace(seen);
        if !seen.is_connected {
            told.extend(self.away(now, seen));
        } else if let Some(outage) = self.outage.take() {
            let down = now - outage.since;
            told.extend(outage.is_told.then_some(Told::Back(down)));
        } else if before.is_some_and(|before| {
            // A client that was replaced is told where that happens.
            before.epoch == seen.epoch && before.connects < seen.connects
        }) && self.is_told_alone(now)
        {
            // It was shorter than a look.
            told.extend([Told::Lost, Told::Back(Duration::ZERO)]);
        }
        told
    }

    fn away(&mut self, now: Instant, seen: Seen) -> Option<Told> {
        if let Some(outage) = &mut self.outage {
            let is_due = now - outage.told >= REMINDER;
            return is_due.then(|| {
                outage.told = now;
                outage.is_told = true;
                Told::StillLost(now - outage.since)
            });
        }
        let is_told = self.is_told_alone(now);
        self.outage = Some(Outage {
            since: now,
            told: now,
            is_told,
        });
        let told = if seen.connects == 0 {
            Told::Unanswered
        } else {
            Told::Lost
        };
        is_told.then_some(told)
    }

    /// Counts an outage; the first ones of a minute are told one by one.
    fn is_told_alone(&mut self, now: Instant) -> bool {
        let minute = self.minute.get_or_insert(Minute {
            began: now,
            outages: 0,
        });
        minute.outages += 1;
        minute.outages <= EACH
    }

    fn minute_over(&mut self, now: Instant) -> Option<Told> {
        let minute = self.minute.as_ref()?;
        if now - minute.began < REMINDER {
            return None;
        }
        let more = minute.outages.saturating_sub(EACH);
        self.minute = None;
        (more > 0).then_some(Told::AgainAndAgain(more))
    }
}

impl Told {
    fn log(self, connection: &Connection) {
        let server = connection.place();
        match self {
            Self::Unanswered => tracing::warn!(
                target: "ruststream::nats", server,
                "no nats server has answered yet; the client keeps trying"
            ),
            Self::Lost => tracing::warn!(
                target: "ruststream::nats", server,
                "the nats connection is lost; the client reconnects"
            ),
            Self::StillLost(down) => tracing::warn!(
                target: "ruststream::nats", server, ?down, "the nats connection is still lost"
            ),
            Self::AgainAndAgain(more) => tracing::warn!(
                target: "ruststream::nats", server, more,
                "the nats connection was lost again and again in the last minute"
            ),
            Self::Back(down) => {
                let info = connection.epoch().client().server_info();
                let announced = format!("{}:{}", info.host, info.port);
                tracing::info!(
                    target: "ruststream::nats", server, %announced, ?down,
                    "the nats connection is back"
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seen(connects: u64, is_connected: bool) -> Seen {
        Seen {
            epoch: 0,
            connects,
            is_connected,
        }
    }

    // NATS-30
    #[tokio::test(start_paused = true)]
    async fn an_outage_is_told_when_it_begins_once_a_minute_and_when_it_ends() {
        let mut outages = Outages::default();
        let began = Instant::now();
        let mut at = |seconds, seen| outages.look(began + Duration::from_secs(seconds), seen);

        assert_eq!(at(0, seen(1, true)), []);
        assert_eq!(at(1, seen(1, false)), [Told::Lost]);
        assert_eq!(at(60, seen(1, false)), []);
        let told = [Told::StillLost(Duration::from_mins(1))];
        assert_eq!(at(61, seen(1, false)), told);
        assert_eq!(at(62, seen(1, false)), []);
        let told = [Told::Back(Duration::from_secs(62))];
        assert_eq!(at(63, seen(2, true)), told);
        assert_eq!(at(64, seen(2, true)), []);
    }

    // NATS-30
    #[tokio::test(start_paused = true)]
    async fn an_outage_between_two_looks_is_told_whole() {
        let mut outages = Outages::default();
        let now = Instant::now();

        assert_eq!(outages.look(now, seen(1, true)), []);
        let told = [Told::Lost, Told::Back(Duration::ZERO)];
        assert_eq!(outages.look(now, seen(2, true)), told);
        assert_eq!(outages.look(now, seen(2, true)), []);
    }

    // NATS-30
    #[tokio::test(start_paused = true)]
    async fn a_connection_that_flaps_is_told_a_few_times_and_then_once_a_minute() {
        let mut outages = Outages::default();
        let began = Instant::now();
        let mut told = Vec::new();
        let mut connects = 1;
        for look in 0..=241 {
            let now = began + LOOK * look;
            // Away at each other look, and gone and back between two.
            connects += u64::from(look % 2 == 0);
            told.extend(outages.look(now, seen(connects, look % 2 == 0)));
        }

        let count = |kind: fn(&Told) -> bool| told.iter().filter(|told| kind(told)).count();
        assert_eq!(count(|told| matches!(told, Told::Back(_))), EACH);
        let more = 120 - EACH;
        // The next minute begins with an outage that is told.
        assert_eq!(told[2 * EACH..], [Told::AgainAndAgain(more), Told::Lost]);
    }

    // NATS-15
    #[tokio::test(start_paused = true)]
    async fn a_first_connection_that_is_waited_for_is_told_as_that() {
        let mut outages = Outages::default();
        let now = Instant::now();

        assert_eq!(outages.look(now, seen(0, false)), [Told::Unanswered]);
        assert_eq!(
            outages.look(now, seen(1, true)),
            [Told::Back(Duration::ZERO)]
        );
    }

    // NATS-33
    #[tokio::test(start_paused = true)]
    async fn a_client_that_was_replaced_is_no_outage() {
        let mut outages = Outages::default();
        let now = Instant::now();
        let next = Seen {
            epoch: 1,
            ..seen(9, true)
        };

        assert_eq!(outages.look(now, seen(1, true)), []);
        assert_eq!(outages.look(now, next), []);
    }
}
