use std::any::{Any, TypeId};

use ruststream_core::testing::TestableRegistration;
use ruststream_core::{Connected, HeaderMap, OutgoingMessage};

use crate::support::{ConnectedDepot, ConnectedTube, Depot, Tube};

fn find<B: ruststream_core::Broker + 'static>() -> Option<&'static TestableRegistration> {
    TestableRegistration::find(TypeId::of::<B>(), TypeId::of::<Connected<B>>())
}

struct Stranger;

// TEST-70, MAC-81
#[tokio::test]
async fn a_broker_registers_its_own_transition() {
    let registration = find::<Depot>().expect("registered");
    let transition = registration.transition().expect("a broker has one");

    let connected = transition(Box::new(Depot { url: "depot" })).await.unwrap();
    let connected = connected.downcast::<ConnectedDepot>().unwrap();
    let testable = registration.resolve(&*connected).expect("its own form");
    testable.inject(OutgoingMessage::new("parcels", b"1"));
    assert_eq!(connected.log.lock().unwrap().len(), 1);
}

// TEST-66
#[tokio::test]
async fn the_transition_fails_with_the_broker_s_own_error() {
    let transition = find::<Depot>().unwrap().transition().unwrap();
    let refused = transition(Box::new(Depot { url: "" })).await.unwrap_err();
    assert_eq!(refused.to_string(), "no url");
}

// TEST-71
#[tokio::test]
async fn a_transition_handed_another_broker_is_an_error() {
    let transition = find::<Depot>().unwrap().transition().unwrap();
    let refused = transition(Box::new(Tube)).await.unwrap_err();
    assert!(refused.to_string().contains("Depot"), "{refused}");
}

// TEST-70, MAC-81
#[test]
fn a_connected_form_registers_without_transition_or_default_policy() {
    let registration = find::<Tube>().expect("found by its connected form");
    assert!(registration.registers(TypeId::of::<ConnectedTube>()));
    assert!(registration.transition().is_none());
    assert!(registration.live().is_none());
    assert!(registration.resolve(&ConnectedTube::default()).is_some());
}

// TEST-70
#[test]
fn an_unregistered_type_is_not_found() {
    assert!(TestableRegistration::find(TypeId::of::<Stranger>(), TypeId::of::<()>()).is_none());
    let depot = find::<Depot>().unwrap();
    assert!(depot.resolve(&ConnectedTube::default()).is_none());
    assert_eq!(
        format!("{depot:?}"),
        "TestableRegistration { registered: \"testing::support::Depot\", .. }"
    );
}

// TEST-21, CORE-124
#[tokio::test]
async fn a_live_publish_takes_the_default_policy_and_its_base_headers() {
    let connected = ConnectedDepot::default();
    let live = find::<Depot>().unwrap().live().expect("a default policy");
    let message = OutgoingMessage::new("parcels", b"1")
        .with_headers(HeaderMap::from_iter([("lane", "fast")]));

    live(&connected, message).await.unwrap();
    let log = connected.log.lock().unwrap();
    assert_eq!(log[0].headers().get_str("tenant"), Some("north"));
    assert_eq!(log[0].headers().get_str("lane"), Some("fast"));
}

// TEST-21
#[tokio::test]
async fn a_live_publish_reports_a_refusal() {
    let connected: Box<dyn Any + Send + Sync> = Box::new(ConnectedDepot::default());
    let live = find::<Depot>().unwrap().live().unwrap();
    let refused = live(&*connected, OutgoingMessage::new("closed", b"1"));
    assert_eq!(refused.await.unwrap_err().to_string(), "closed");
}
