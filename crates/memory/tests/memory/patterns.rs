use futures_util::{FutureExt, StreamExt};
use ruststream_core::{RedeliveryAddressed, Subscribe, Subscriber, SubscriptionSource, nonzero};
use ruststream_memory::{
    ConnectedMemoryBroker, MemoryBroker, MemoryError, MemoryPattern, MemorySource, PatternError,
    Retention, Routing,
};

use crate::support::*;

// MEM-21, MEM-22
#[test]
fn a_subscription_by_name_refuses_wildcard_tokens() {
    let connected = connect(&MemoryBroker::new());
    for name in ["*", ">", "readings.*", "readings.>.hall", "*.eu"] {
        let refused = MemoryError::WildcardName {
            name: name.to_owned(),
        };
        let bare = at_once(Subscribe::subscribe(&connected, name));
        assert_eq!(bare.err(), Some(refused.clone()));
        let source = at_once(MemorySource::new(name).subscribe(&connected));
        assert_eq!(source.err(), Some(refused));
    }
    for name in ["readings.eu*", "a>b", "**", ""] {
        at_once(Subscribe::subscribe(&connected, name)).expect("no wildcard token");
    }
}

// MEM-23
#[test]
fn the_infallible_subscription_to_a_wildcard_ends_at_once() {
    let broker = MemoryBroker::new();
    let mut none = broker.subscribe("readings.*");
    publish(&broker.publisher(), "readings.eu", "1");
    publish(&broker.publisher(), "readings.*", "2");
    let first = none.stream().next().now_or_never();
    assert!(matches!(first, Some(None)), "ended, not pending");
}

// MEM-24, MEM-25
#[test]
fn a_pattern_is_parsed_when_it_is_opened() {
    let source = MemoryPattern::new("readings..*");
    assert_eq!(
        SubscriptionSource::<ConnectedMemoryBroker>::name(&source),
        "readings..*"
    );
    let refused = at_once(source.subscribe(&connect(&MemoryBroker::new())));
    let expected = MemoryError::InvalidPattern {
        pattern: "readings..*".to_owned(),
        reason: PatternError::EmptyToken { token: 1 },
    };
    assert_eq!(refused.err(), Some(expected));
}

// MEM-26
#[test]
fn every_match_reaches_all_names_and_patterns() {
    let broker = MemoryBroker::new();
    let connected = connect(&broker);
    let mut readers = [
        subscribe(&connected, "readings.eu.hall"),
        subscribe_pattern(&connected, "readings.*.hall"),
        subscribe_pattern(&connected, "readings.>"),
        subscribe_pattern(&connected, ">"),
    ];
    let mut unmatched = subscribe_pattern(&connected, "readings.*");
    publish(&broker.publisher(), "readings.eu.hall", "21");
    for reader in &mut readers {
        assert_eq!(bodies(reader), ["21"]);
    }
    assert!(bodies(&mut unmatched).is_empty());
}

// MEM-26
#[test]
fn most_specific_picks_by_the_first_token_that_differs() {
    let broker = MemoryBroker::new().routing(Routing::MostSpecific);
    let connected = connect(&broker);
    let mut descending: Vec<_> = [
        "readings.eu.*",
        "readings.*.hall",
        "readings.>",
        "*.eu.hall",
    ]
    .iter()
    .rev()
    .map(|pattern| subscribe_pattern(&connected, pattern))
    .collect();
    while let Some(mut winner) = descending.pop() {
        publish(&broker.publisher(), "readings.eu.hall", "21");
        assert_eq!(bodies(&mut winner), ["21"]);
        assert!(descending.iter_mut().all(|other| bodies(other).is_empty()));
        // MEM-27: with the winner gone the next one takes over.
        drop(winner);
    }
}

// MEM-26
#[test]
fn most_specific_gives_every_subscription_of_the_winner_a_copy() {
    let broker = MemoryBroker::new().routing(Routing::MostSpecific);
    let connected = connect(&broker);
    let mut winners = [
        subscribe_pattern(&connected, "a.*"),
        subscribe_pattern(&connected, "a.*"),
    ];
    let mut tail = subscribe_pattern(&connected, "a.>");
    publish(&broker.publisher(), "a.b", "1");
    assert!(winners.iter_mut().all(|winner| bodies(winner) == ["1"]));
    assert!(bodies(&mut tail).is_empty());
}

// MEM-26, MEM-27
#[test]
fn a_name_takes_its_publishes_from_the_patterns_only_while_it_is_read() {
    let broker = MemoryBroker::new().routing(Routing::MostSpecific);
    let connected = connect(&broker);
    let publisher = broker.publisher();
    let mut pattern = subscribe_pattern(&connected, "a.*");
    let mut exact = subscribe(&connected, "a.b");
    publish(&publisher, "a.b", "1");
    publish(&publisher, "a.b", "2");
    assert_eq!(bodies(&mut exact), ["1", "2"]);
    drop(exact);
    publish(&publisher, "a.b", "3");
    assert_eq!(bodies(&mut pattern), ["3"]);
}

// MEM-26
#[test]
fn routing_applies_to_clones_and_to_handles_already_in_use() {
    let broker = MemoryBroker::new();
    let connected = connect(&broker);
    let publisher = broker.publisher();
    let mut exact = subscribe(&connected, "a.b");
    publish(&publisher, "a.b", "1");
    let mut pattern = subscribe_pattern(&connected, "a.*");
    publish(&publisher, "a.b", "2");
    let _ = broker.clone().routing(Routing::MostSpecific);
    publish(&publisher, "a.b", "3");
    let _ = broker.routing(Routing::EveryMatch);
    publish(&publisher, "a.b", "4");
    assert_eq!(bodies(&mut exact), ["1", "2", "3", "4"]);
    assert_eq!(bodies(&mut pattern), ["2", "4"]);
}

// MEM-28, CORE-041
#[test]
fn a_pattern_on_a_retaining_broker_reads_like_on_a_discarding_one() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(4)));
    let mut readings: ruststream_memory::MemorySubscriber =
        subscribe_pattern(&connect(&broker), "readings.*");
    publish(&broker.publisher(), "readings.eu", "1");
    publish(&broker.publisher(), "readings.us", "2");
    requeue(take(&mut readings));
    assert_eq!(bodies(&mut readings), ["2", "1"]);
}

// MEM-29, MEM-30, CORE-303
#[test]
fn a_sources_name_is_its_redelivery_address_and_reaches_it() {
    let connected = connect(&MemoryBroker::new());
    let source = MemorySource::new("parcels");
    assert_eq!(
        SubscriptionSource::<ConnectedMemoryBroker>::name(&source),
        "parcels"
    );
    let address = at_once(source.redelivery_address(&connected)).expect("answers");
    assert_eq!(address.as_str(), "parcels");

    let pattern = MemoryPattern::new("readings.*.>");
    let address = at_once(pattern.redelivery_address(&connected)).expect("answers");
    let mut readings = at_once(pattern.subscribe(&connected)).expect("subscribes");
    publish(&connected.publisher(), address.as_str(), "copy");
    assert_eq!(bodies(&mut readings), ["copy"]);
}
