use ruststream_core::testing::{Backlog, TestableBroker};

use crate::support::ConnectedDepot;

// TEST-67
#[test]
fn by_default_a_publish_reaches_every_subscription_of_its_name() {
    let broker = ConnectedDepot::default();
    let subscriptions = ["a", "b", "a"];
    assert_eq!(broker.routes("a", &subscriptions), [0, 2]);
    assert_eq!(broker.routes("c", &subscriptions), [0; 0]);
}

// TEST-67
#[test]
fn by_default_nothing_is_evicted_or_kept_for_later_subscriptions() {
    let broker = ConnectedDepot::default();
    assert_eq!(broker.evicted("a"), 0);
    assert_eq!(broker.backlog(), Backlog::Missed);
}
