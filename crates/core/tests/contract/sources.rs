use std::borrow::Cow;
use std::time::Duration;

use ruststream_core::{
    AddressedCopies, Buffered, BufferedSubscriber, DeclareRetryError, FromName, IntoSource, Name,
    RedeliveryAddress, RedeliveryAddressed, RetryDeclaration, StartAt, SubscriptionSource, Unnamed,
    nonzero,
};

use crate::support::{ConnectedDepot, Refused, Scripted, now};

/// A descriptor that tells the connection whatever is asked of it.
#[derive(Debug, Clone, Default)]
struct Queue {
    name: String,
    declared: bool,
}

impl FromName for Queue {
    fn from_name(name: impl Into<Cow<'static, str>>) -> Self {
        Self {
            name: name.into().into_owned(),
            declared: false,
        }
    }
}

impl SubscriptionSource<ConnectedDepot> for Queue {
    type Subscriber = Scripted;
    type Copies = AddressedCopies;

    fn name(&self) -> &str {
        &self.name
    }

    async fn subscribe(self, connected: &ConnectedDepot) -> Result<Scripted, Refused> {
        connected.note(format!("declared {}", self.declared));
        ruststream_core::Subscribe::subscribe(connected, &self.name).await
    }

    fn declare_retry(self, declaration: &RetryDeclaration) -> Self {
        Self {
            declared: !declaration.declares_nothing(),
            ..self
        }
    }

    fn declare_retry_on(
        &self,
        connected: &ConnectedDepot,
        declaration: &RetryDeclaration,
    ) -> Result<(), DeclareRetryError> {
        connected.note(format!("on {:?}", declaration.dead_letter()));
        Ok(())
    }

    #[cfg(feature = "asyncapi")]
    fn channel_bindings(&self) -> ruststream_core::bindings::Bindings {
        bindings("x-channel")
    }

    #[cfg(feature = "asyncapi")]
    fn operation_bindings(&self) -> ruststream_core::bindings::Bindings {
        bindings("x-operation")
    }

    #[cfg(feature = "asyncapi")]
    fn message_bindings(&self) -> ruststream_core::bindings::Bindings {
        bindings("x-message")
    }
}

impl RedeliveryAddressed<ConnectedDepot> for Queue {
    async fn redelivery_address(&self, _: &ConnectedDepot) -> Result<RedeliveryAddress, Refused> {
        Ok(RedeliveryAddress::new(format!("to.{}", self.name)))
    }
}

#[cfg(feature = "asyncapi")]
fn bindings(key: &'static str) -> ruststream_core::bindings::Bindings {
    use ruststream_core::bindings::{Binding, Bindings};

    Bindings::new().with(Binding::extension(key, &serde_json::json!({})).unwrap())
}

fn declaration() -> RetryDeclaration {
    RetryDeclaration::new()
        .with_max_attempts(nonzero!(2))
        .with_dead_letter("dead")
}

fn address<S: RedeliveryAddressed<ConnectedDepot>>(source: &S) -> String {
    now(source.redelivery_address(&ConnectedDepot::default()))
        .unwrap()
        .as_str()
        .to_owned()
}

/// Everything a wrapper has to ask its inner source.
fn forwards<S: RedeliveryAddressed<ConnectedDepot>>(source: S, opened: &[&str]) {
    let connected = ConnectedDepot::default();

    assert_eq!(
        SubscriptionSource::<ConnectedDepot>::name(&source),
        "parcels"
    );
    assert_eq!(address(&source), "to.parcels");
    #[cfg(feature = "asyncapi")]
    {
        assert_eq!(source.channel_bindings(), bindings("x-channel"));
        assert_eq!(source.operation_bindings(), bindings("x-operation"));
        assert_eq!(source.message_bindings(), bindings("x-message"));
    }
    source.declare_retry_on(&connected, &declaration()).unwrap();
    now(source.declare_retry(&declaration()).subscribe(&connected)).unwrap();
    assert_eq!(connected.noted(), opened);
}

// CORE-050
#[test]
fn a_name_opens_by_name_and_addresses_itself() {
    let connected = ConnectedDepot::default();
    let name = Name::from_name("parcels");

    assert_eq!(SubscriptionSource::<ConnectedDepot>::name(&name), "parcels");
    assert_eq!(address(&name), "parcels");
    name.declare_retry_on(&connected, &declaration()).unwrap();
    now(SubscriptionSource::subscribe(name, &connected)).unwrap();
    assert_eq!(connected.noted(), ["subscribe parcels"]);
}

// CORE-050
#[test]
fn a_name_hands_its_declaration_to_the_broker() {
    use ruststream_core::{BrokerMoves, ConnectedBroker, Subscribe};

    struct Refusing;

    impl ConnectedBroker for Refusing {
        type Error = Refused;
        type Closed = ();

        async fn shutdown(self) -> Result<(), Refused> {
            Ok(())
        }
    }

    impl Subscribe for Refusing {
        type Subscriber = Scripted;
        type Copies = BrokerMoves;

        async fn subscribe(&self, _: &str) -> Result<Scripted, Refused> {
            Err(Refused("not asked"))
        }

        fn declare_retry(&self, name: &str, _: &RetryDeclaration) -> Result<(), DeclareRetryError> {
            assert_eq!(name, "parcels");
            Err(DeclareRetryError::Broker("no such policy".into()))
        }
    }

    let refused = Name::new("parcels")
        .declare_retry_on(&Refusing, &declaration())
        .unwrap_err();
    assert!(refused.to_string().contains("no such policy"));
}

// CORE-051
#[test]
fn a_kind_without_a_name_is_a_plain_marker_of_any_type() {
    struct Bare;

    fn plain<T: Copy + Default + std::fmt::Debug + Send + Sync>() {}
    plain::<Unnamed<Bare>>();
    plain::<Unnamed<Queue>>();

    let kind = const { Unnamed::<Queue>::new() };
    assert_eq!(kind.into_named("parcels").name, "parcels");
    assert!(format!("{:?}", Unnamed::<Bare>::new()).contains("Bare"));
}

// CORE-053, CORE-056
#[test]
fn a_start_position_is_forced_before_the_first_delivery() {
    forwards(
        StartAt::new(Queue::from_name("parcels"), 7),
        &[
            "on Some(\"dead\")",
            "declared true",
            "subscribe parcels",
            "seek 7",
        ],
    );
}

// CORE-053
#[test]
fn a_position_the_log_refuses_fails_the_subscription() {
    let source = StartAt::new(Name::new("parcels"), 101);

    let refused = now(source.subscribe(&ConnectedDepot::default())).unwrap_err();
    assert_eq!(refused, Refused("no such position"));
}

// CORE-053
#[test]
fn changing_the_inner_source_keeps_the_position() {
    let connected = ConnectedDepot::default();
    let source = StartAt::new(Name::new("lost"), 7).map_inner(|_| Queue::from_name("parcels"));

    now(source.subscribe(&connected)).unwrap();
    assert_eq!(connected.noted().last().unwrap(), "seek 7");
}

// Section 26, item 16
#[test]
fn a_start_position_shows_no_contents() {
    struct Bare;

    let shown = format!("{:?}", StartAt::new(Bare, "s3cr3t"));
    assert!(shown.contains("StartAt") && !shown.contains("s3cr3t"));
}

// CORE-144, CORE-056
#[test]
fn buffering_changes_the_subscriber_alone() {
    let source = Buffered::new(Queue::from_name("parcels")).max_wait(Duration::from_millis(25));
    forwards(
        source.clone(),
        &["on Some(\"dead\")", "declared true", "subscribe parcels"],
    );

    let opened: BufferedSubscriber<Scripted> =
        now(source.subscribe(&ConnectedDepot::default())).unwrap();
    assert!(format!("{opened:?}").contains("25ms"), "{opened:?}");
}

// CORE-053, CORE-145: the two wrappers stack both ways.
#[test]
fn wrappers_stack() {
    let connected = ConnectedDepot::default();
    let inner = StartAt::new(Name::new("a"), 1);
    let outer = StartAt::new(Buffered::new(Name::new("b")), 2);

    now(Buffered::new(inner).subscribe(&connected)).unwrap();
    now(outer.subscribe(&connected)).unwrap();
    assert_eq!(
        connected.noted(),
        ["subscribe a", "seek 1", "subscribe b", "seek 2"]
    );
}

// CORE-043, RUN-183
#[test]
fn strings_names_and_kinds_become_sources() {
    fn name(source: impl IntoSource<Source = Name>) -> String {
        let source = source.into_source();
        SubscriptionSource::<ConnectedDepot>::name(&source).to_owned()
    }

    assert_eq!(name("a"), "a");
    assert_eq!(name(String::from("b")), "b");
    assert_eq!(name(Cow::Borrowed("c")), "c");
    assert_eq!(name(Name::new("d")), "d");
    let _: Unnamed<Queue> = Unnamed::<Queue>::new().into_source();
}
