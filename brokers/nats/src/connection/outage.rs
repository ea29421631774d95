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
/// How often an outage that lasts is told again.
const REMINDER: Duration = Duration::from_mins(1);

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
}

#[derive(Debug, Default)]
struct Outages {
    seen: Option<Seen>,
    outage: Option<Outage>,
}

#[derive(Debug)]
struct Outage {
    since: Instant,
    told: Instant,
}

impl Outages {
    fn look(&mut self, now: Instant, seen: Seen) -> Vec<Told> {
        let before = self.seen.replace(seen);
        match &mut self.outage {
            None if !seen.is_connected => {
                self.outage = Some(Outage {
                    since: now,
                    told: now,
                });
                vec![if seen.connects == 0 {
                    Told::Unanswered
                } else {
                    Told::Lost
                }]
            }
            // It was shorter than a look. A client that was replaced is told where that happens.
            None => match before {
                Some(before) if before.epoch == seen.epoch && before.connects < seen.connects => {
                    vec![Told::Lost, Told::Back(Duration::ZERO)]
                }
                _ => Vec::new(),
            },
            Some(outage) if seen.is_connected => {
                let down = now - outage.since;
                self.outage = None;
                vec![Told::Back(down)]
            }
            Some(outage) if now - outage.told >= REMINDER => {
                outage.told = now;
                vec![Told::StillLost(now - outage.since)]
            }
            Some(_) => Vec::new(),
        }
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
