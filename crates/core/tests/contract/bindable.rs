use std::error::Error as _;
use std::sync::Arc;

use ruststream_core::{
    Bindable, Bound, Broker, BrokerRegistration, ConnectedBroker, ConnectedSlot, PairError,
    PublishPolicy,
};

use crate::support::{ConnectedDepot, Depot, Refused, now};

/// Another broker, whose scope a token is mounted in.
struct Elsewhere;

impl ConnectedBroker for Elsewhere {
    type Error = Refused;
    type Closed = ();

    async fn shutdown(self) -> Result<(), Refused> {
        Ok(())
    }
}

/// A policy that gives the connection it was paired with, or a refusal.
#[derive(Debug, Clone)]
struct Give {
    refuses: bool,
}

impl PublishPolicy<ConnectedDepot> for Give {
    type Live = ConnectedDepot;

    async fn pair(self, connected: &ConnectedDepot) -> Result<ConnectedDepot, PairError> {
        if self.refuses {
            return Err(PairError::new(Refused("no producer id")));
        }
        connected.note("paired");
        Ok(connected.clone())
    }

    #[cfg(feature = "asyncapi")]
    fn channel_bindings(&self, channel: &str) -> ruststream_core::bindings::Bindings {
        bindings("x-channel", channel)
    }

    #[cfg(feature = "asyncapi")]
    fn operation_bindings(&self, channel: &str) -> ruststream_core::bindings::Bindings {
        bindings("x-operation", channel)
    }

    #[cfg(feature = "asyncapi")]
    fn message_bindings(&self, channel: &str) -> ruststream_core::bindings::Bindings {
        bindings("x-message", channel)
    }

    #[cfg(feature = "asyncapi")]
    fn reply_address_location(&self) -> Option<&'static str> {
        Some("$message.header#/reply-to")
    }
}

#[cfg(feature = "asyncapi")]
fn bindings(key: &'static str, channel: &str) -> ruststream_core::bindings::Bindings {
    use ruststream_core::bindings::{Binding, Bindings};

    let body = serde_json::json!({ "channel": channel });
    Bindings::new().with(Binding::extension(key, &body).unwrap())
}

fn token(slot_of: &Bindable<Depot>) -> Bound<Depot, Give> {
    slot_of.bind(Give { refuses: false })
}

fn connect(slot: &ConnectedSlot<Depot>) -> ConnectedDepot {
    let connected = ConnectedDepot::default();
    *slot.lock().unwrap() = Some(Arc::new(connected.clone()));
    connected
}

// CORE-130, CORE-131, CORE-134
#[test]
fn a_token_pairs_with_its_own_broker_in_any_scope() {
    let depot = Depot.bindable();
    let token = token(&depot);
    let (_broker, slot) = depot.into_parts();
    let connected = connect(&slot);

    now(PublishPolicy::<Elsewhere>::pair(token.clone(), &Elsewhere)).unwrap();
    now(token.live()).unwrap();
    assert_eq!(connected.noted(), ["paired", "paired"]);
}

// CORE-133
#[test]
fn each_clone_of_a_token_pairs_for_itself_on_the_one_broker() {
    let depot = Depot.bindable();
    let token = token(&depot);
    let twin = token.clone();
    let (_broker, slot) = depot.into_parts();
    let connected = connect(&slot);

    let (one, other) = (now(token.live()).unwrap(), now(twin.live()).unwrap());

    assert_eq!(connected.noted(), ["paired", "paired"]);
    assert!(Arc::ptr_eq(&one.log, &connected.log) && Arc::ptr_eq(&other.log, &connected.log));
}

// CORE-130: the slot is shared however the broker is registered.
#[test]
fn a_plain_broker_registers_as_one_without_tokens() {
    let (_broker, slot) = BrokerRegistration::into_parts(Depot);

    assert!(slot.lock().unwrap().is_none());
    assert_eq!(Arc::strong_count(&slot), 1);
}

// CORE-132, PUB-752, CORE-013
#[test]
fn before_startup_and_after_shutdown_a_token_says_that_its_broker_is_not_connected() {
    let depot = Bindable::new(Depot);
    let token = token(&depot);
    let (_broker, slot) = depot.into_parts();

    let before = now(token.clone().live()).unwrap_err();
    connect(&slot);
    now(token.clone().live()).unwrap();
    *slot.lock().unwrap() = None;
    let after = now(token.live()).unwrap_err();

    for error in [before, after] {
        assert!(error.to_string().contains("not connected"), "{error}");
        assert!(error.to_string().contains("Depot"), "{error}");
    }
}

// CORE-132
#[test]
fn a_poisoned_slot_is_no_panic() {
    let depot = Depot.bindable();
    let token = token(&depot);
    let (_broker, slot) = depot.into_parts();
    connect(&slot);
    let poisoner = Arc::clone(&slot);
    let _ = std::thread::spawn(move || {
        let _held = poisoner.lock().unwrap();
        panic!("on purpose");
    })
    .join();

    assert!(slot.is_poisoned());
    now(token.live()).unwrap();
}

// CORE-122
#[test]
fn the_policy_s_own_failure_comes_through() {
    let depot = Depot.bindable();
    let token = depot.bind(Give { refuses: true });
    let (_broker, slot) = depot.into_parts();
    connect(&slot);

    let error = now(token.live()).unwrap_err();
    assert!(error.source().unwrap().is::<Refused>());
    assert!(error.to_string().contains("no producer id"));
}

// CORE-131, PUB-211
#[cfg(feature = "asyncapi")]
#[test]
fn what_the_document_reads_is_the_policy_s() {
    let token = token(&Depot.bindable());

    assert_eq!(
        PublishPolicy::<Elsewhere>::channel_bindings(&token, "c"),
        bindings("x-channel", "c")
    );
    assert_eq!(
        PublishPolicy::<Elsewhere>::operation_bindings(&token, "c"),
        bindings("x-operation", "c")
    );
    assert_eq!(
        PublishPolicy::<Elsewhere>::message_bindings(&token, "c"),
        bindings("x-message", "c")
    );
    assert_eq!(
        PublishPolicy::<Elsewhere>::reply_address_location(&token),
        Some("$message.header#/reply-to")
    );
}

// Section 8.1
#[test]
fn debug_shows_the_broker_and_the_policy() {
    let depot = Depot.bindable();

    assert!(format!("{depot:?}").contains("Depot"));
    assert!(format!("{:?}", token(&depot)).contains("Give"));
    assert_eq!(format!("{:?}", depot.broker()), "Depot");
}
