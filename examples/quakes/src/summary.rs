//! What a run comes to.

use std::fmt;

use crate::tally::Counts;

/// How many networks are named.
const TOP: usize = 3;

/// The counts of a run, to print.
pub(crate) struct Summary<'c>(pub(crate) &'c Counts);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.0;
        write!(
            f,
            "{} received, {} handled, {} dropped, {} alerts",
            counts.received, counts.handled, counts.dropped, counts.alerts
        )?;
        if counts.undecodable() > 0 {
            write!(f, ", {} undecodable", counts.undecodable())?;
        }
        let mut networks: Vec<_> = counts.networks.iter().collect();
        // Stable, so equal networks stay in the order of their names.
        networks.sort_by(|(_, events), (_, others)| others.cmp(events));
        for (place, (network, events)) in networks.into_iter().take(TOP).enumerate() {
            let before = if place == 0 { "\ntop networks: " } else { ", " };
            write!(f, "{before}{network} {events}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_networks_come_first_and_equal_ones_by_name() {
        let counts = Counts {
            received: 9,
            handled: 7,
            dropped: 1,
            networks: [("us", 2), ("ak", 2), ("ci", 3), ("nc", 1)]
                .map(|(network, events)| (network.to_owned(), events))
                .into(),
            ..Counts::default()
        };

        assert_eq!(
            Summary(&counts).to_string(),
            "9 received, 7 handled, 1 dropped, 0 alerts, 1 undecodable\n\
             top networks: ci 3, ak 2, us 2"
        );
    }

    #[test]
    fn a_run_without_events_names_no_network() {
        assert_eq!(
            Summary(&Counts::default()).to_string(),
            "0 received, 0 handled, 0 dropped, 0 alerts"
        );
    }
}
