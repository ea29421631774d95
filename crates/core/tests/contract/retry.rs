use std::error::Error as _;

use ruststream_core::{
    AddressedCopies, BrokerMoves, ConnectedBroker, DeclareRetryError, Name, NamedCopies,
    RETRY_COUNT_HEADER, RedeliveryAddress, RetryDeclaration, Subscribe, SubscriptionSource,
    nonzero,
};

use crate::support::{ConnectedDepot, Refused, Scripted};

fn declared() -> RetryDeclaration {
    RetryDeclaration::new()
        .with_max_attempts(nonzero!(3))
        .with_dead_letter("dead")
}

macro_rules! connected {
    ($name:ident, $copies:ty) => {
        #[derive(Debug)]
        struct $name;

        impl ConnectedBroker for $name {
            type Error = Refused;
            type Closed = ();

            async fn shutdown(self) -> Result<(), Refused> {
                Ok(())
            }
        }

        impl Subscribe for $name {
            type Subscriber = Scripted;
            type Copies = $copies;

            async fn subscribe(&self, _: &str) -> Result<Scripted, Refused> {
                Ok(Scripted::default())
            }
        }
    };
}

connected!(Naming, NamedCopies);
connected!(Moving, BrokerMoves);

// CORE-308
#[test]
fn a_declaration_has_two_halves() {
    let nothing = RetryDeclaration::new();
    assert_eq!(
        (nothing.max_attempts(), nothing.dead_letter()),
        (None, None)
    );
    assert!(nothing.declares_nothing());
    assert_eq!(nothing, RetryDeclaration::default());

    let cap = RetryDeclaration::new().with_max_attempts(nonzero!(3));
    let dead = RetryDeclaration::new().with_dead_letter(String::from("dead"));
    assert_eq!(
        (cap.max_attempts(), cap.dead_letter()),
        (Some(nonzero!(3)), None)
    );
    assert_eq!(
        (dead.max_attempts(), dead.dead_letter()),
        (None, Some("dead"))
    );
    assert!(!cap.declares_nothing() && !dead.declares_nothing());
}

// CORE-305, section 27 item 9
#[test]
fn a_mechanism_gets_both_halves_or_nothing() {
    assert_eq!(declared().both(), Some((nonzero!(3), "dead")));
    assert_eq!(
        RetryDeclaration::new()
            .with_max_attempts(nonzero!(3))
            .both(),
        None
    );
    assert_eq!(
        RetryDeclaration::new().with_dead_letter("dead").both(),
        None
    );
}

// CORE-307
#[test]
fn where_this_process_publishes_the_copies_every_declaration_is_taken() {
    ConnectedDepot::default()
        .declare_retry("parcels", &declared())
        .unwrap();
    Naming.declare_retry("parcels.*", &declared()).unwrap();
}

// CORE-307, CORE-309
#[test]
fn where_the_broker_moves_only_an_empty_declaration_is_taken() {
    Moving
        .declare_retry("parcels", &RetryDeclaration::new())
        .unwrap();

    let error = Moving.declare_retry("parcels", &declared()).unwrap_err();
    let DeclareRetryError::Unsupported { broker } = &error else {
        panic!("{error:?}")
    };
    assert!(broker.ends_with("Moving"));
    for part in [
        "Moving",
        "moves spent deliveries itself",
        "bare name",
        "descriptor",
    ] {
        assert!(error.to_string().contains(part), "{error}");
    }
}

// CORE-307
#[test]
fn a_broker_s_own_refusal_is_in_the_message_and_is_the_source() {
    let error = DeclareRetryError::Broker(Box::new(Refused("set `dead_letter` as well")));

    assert!(error.to_string().contains("set `dead_letter` as well"));
    assert!(error.source().unwrap().is::<Refused>());
}

// CORE-034: what a broker says of its names holds for every mount by a bare name.
#[test]
fn a_bare_name_retries_as_its_broker_says() {
    fn copies<C, Copies>()
    where
        C: Subscribe<Copies = Copies>,
        Name: SubscriptionSource<C, Copies = Copies>,
    {
    }

    copies::<ConnectedDepot, AddressedCopies>();
    copies::<Naming, NamedCopies>();
    copies::<Moving, BrokerMoves>();
}

// CORE-303
#[test]
fn an_address_is_its_name() {
    let address = RedeliveryAddress::new("parcels");

    assert_eq!(
        (address.as_str(), &*address.to_string()),
        ("parcels", "parcels")
    );
    assert_eq!(address, RedeliveryAddress::new(String::from("parcels")));
}

// CORE-069
#[test]
fn the_retry_header_keeps_its_name() {
    assert_eq!(RETRY_COUNT_HEADER, "x-ruststream-retry-count");
}
