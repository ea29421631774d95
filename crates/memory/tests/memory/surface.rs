use std::time::Duration;

use ruststream_core::{
    BatchSubscriber, ConnectedBroker, DefaultPublish, FromName, IntoSource, OutgoingMessage,
    OwnedTransactions, PublishPolicy, Publisher, Seekable, Subscribe, SubscriptionSource,
    Transaction, nonzero,
};
use ruststream_memory::{
    ConnectedMemoryBroker, Discarding, MemoryBroker, MemoryError, MemoryPattern, MemoryPublish,
    MemoryPublisher, MemoryRequest, MemoryRequester, MemorySource, PatternError, RequestError,
    Retaining, Retention, Routing,
};

use crate::support::*;

// MEM-04, PUB-804
#[test]
fn errors_say_what_happened_and_what_to_do() {
    for (error, text) in [
        (
            MemoryError::TransactionBusy,
            "a transaction is already open on this publisher handle",
        ),
        (
            MemoryError::NoTransaction,
            "no transaction is open on this publisher handle",
        ),
        (MemoryError::ShutDown, "the memory broker is shut down"),
    ] {
        assert_eq!(error.to_string(), text);
    }
    assert_eq!(
        RequestError::ShutDown.to_string(),
        "the memory broker is shut down"
    );
    let timeout = Duration::from_millis(1500);
    let error = RequestError::Timeout {
        subject: "quotes".to_owned(),
        timeout,
    };
    assert_eq!(error.to_string(), "no reply to \"quotes\" within 1.5s");

    let evicted = MemoryError::PositionEvicted {
        requested: 3,
        oldest: 17,
    }
    .to_string();
    assert!(evicted.contains('3') && evicted.contains("17"), "{evicted}");
    let wildcard = MemoryError::WildcardName {
        name: "a.*".to_owned(),
    }
    .to_string();
    assert!(wildcard.contains("`a.*`") && wildcard.contains("MemoryPattern::new(\"a.*\")"));
    for (reason, part) in [
        (PatternError::EmptyToken { token: 4 }, "4"),
        (PatternError::TailNotLast { token: 4 }, "4"),
        (PatternError::NoWildcard, "`MemorySource` reads one name"),
    ] {
        let pattern = "a.pattern".to_owned();
        let invalid = MemoryError::InvalidPattern { pattern, reason }.to_string();
        let reason = reason.to_string();
        assert!(reason.contains(part), "{reason}");
        assert!(
            invalid.contains("`a.pattern`") && invalid.ends_with(&reason),
            "{invalid}"
        );
    }
}

// Section 17 of the chapter: the exact forms.
#[test]
fn debug_shows_names_and_never_payloads() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(1)));
    let connected = connect(&broker);
    let mut parcels = subscribe(&connected, "parcels");
    publish(&broker.publisher(), "parcels", "secret");
    let mut transaction = at_once(broker.publisher().transaction()).expect("opens");
    at_once(transaction.publish(OutgoingMessage::new("parcels", b"secret"), None))
        .expect("buffers");

    assert_eq!(format!("{broker:?}"), "MemoryBroker { .. }");
    assert_eq!(format!("{connected:?}"), "ConnectedMemoryBroker { .. }");
    assert_eq!(
        format!("{:?}", broker.publisher()),
        "MemoryPublisher { .. }"
    );
    assert_eq!(
        format!("{:?}", broker.requester()),
        "MemoryRequester { .. }"
    );
    assert_eq!(
        format!("{parcels:?}"),
        "MemorySubscriber { name: \"parcels\", .. }"
    );
    assert_eq!(
        format!("{:?}", parcels.seeker()),
        "MemorySeeker { name: \"parcels\", .. }"
    );
    let parcel = take(&mut parcels);
    assert_eq!(
        format!("{parcel:?}"),
        "MemoryMessage { name: Some(\"parcels\"), .. }"
    );
    let form = "MemoryTransaction { buffered: 1, settled: false, .. }";
    assert_eq!(format!("{transaction:?}"), form);
    at_once(transaction.abort()).expect("aborts");
}

// PUB-212, PUB-808 and the listing: both policies pair on both log modes.
#[test]
fn policies_pair_with_the_handles_they_name() {
    fn default_of<C: DefaultPublish>(_: &C) -> C::Policy {
        C::Policy::default()
    }
    let connected = connect(&MemoryBroker::retaining(Retention::Messages(nonzero!(1))));
    let policy: MemoryPublish = default_of(&connected);
    let publisher: MemoryPublisher = at_once(policy.pair(&connected)).expect("pairs");
    publish(&publisher, "parcels", "1");
    let _: MemoryRequester = at_once(MemoryRequest.pair(&connected)).expect("pairs");
}

// MEM-19, CORE-120
#[test]
fn handles_lay_no_headers_under_a_publish() {
    let broker = MemoryBroker::new();
    assert!(broker.publisher().base_headers().is_none());
    assert!(broker.requester().base_headers().is_none());
    let transaction = at_once(broker.publisher().transaction()).expect("opens");
    assert!(transaction.base_headers().is_none());
    at_once(transaction.abort()).expect("aborts");
}

// CORE-043
#[test]
fn sources_convert_into_themselves() {
    fn name<S: ruststream_core::SubscriptionSource<ConnectedMemoryBroker>>(source: &S) -> String {
        source.name().to_owned()
    }
    assert_eq!(
        name(&MemorySource::from_name("parcels").into_source()),
        "parcels"
    );
    assert_eq!(
        name(&MemoryPattern::new("parcels.*").into_source()),
        "parcels.*"
    );
    assert_eq!(Routing::default(), Routing::EveryMatch);
}

// MEM-79, MEM-80, CORE-277, PUB-214
mod prelude_probe {
    use ruststream_core::Publisher;
    use ruststream_memory::prelude::*;

    const _: Publish = Publish;
    const _: TransactionalPublish = TransactionalPublish;
    const _: Request = Request;

    fn is_still_the_core_trait<T: Publisher + TransactionalPublisher + OwnedTransactions>(_: &T) {}

    // CORE-275
    #[test]
    fn the_prelude_leaves_the_core_traits_their_names() {
        fn seeks<S: Seeker>(_: &S) {}
        fn stands<M: Positioned>(_: &M) {}
        fn asks<R: RequestReply>(_: &R) {}
        let broker: MemoryBroker<Discarding> = MemoryBroker::new();
        is_still_the_core_trait(&broker.publisher());
        asks(&broker.requester());
        let _ = (
            seeks::<ruststream_memory::MemorySeeker>,
            stands::<ruststream_memory::MemoryMessage<Retaining>>,
        );
    }
}

// CORE-142: a batch body mounts on each of them, by a bare name as by a descriptor.
#[test]
fn every_subscription_has_batches() {
    fn by_name<C: Subscribe<Subscriber: BatchSubscriber>>() {}
    fn by_source<C: ConnectedBroker, S: SubscriptionSource<C, Subscriber: BatchSubscriber>>() {}
    by_name::<ConnectedMemoryBroker<Discarding>>();
    by_name::<ConnectedMemoryBroker<Retaining>>();
    by_source::<ConnectedMemoryBroker, MemorySource>();
    by_source::<ConnectedMemoryBroker, MemoryPattern>();
}

/// Ambiguous for what has a default.
trait Chosen<Way> {
    const BY_THE_USER: bool = true;
}

impl<T> Chosen<()> for T {}

impl<T: Default> Chosen<u8> for T {}

// CORE-271: how much to keep is the user's to say; a broker that keeps nothing has nothing to say.
#[test]
fn a_setting_without_a_sane_value_has_no_default() {
    const { assert!(Retention::BY_THE_USER) };
    let _ = MemoryBroker::<Discarding>::default();
}

// CORE-021, PUB-156
#[test]
fn handles_go_to_any_thread() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<MemoryBroker>();
    shared::<ConnectedMemoryBroker>();
    shared::<MemoryPublisher>();
    shared::<MemoryRequester>();
    shared::<ruststream_memory::MemorySeeker>();
    shared::<ruststream_memory::MemoryMessage>();
    shared::<ruststream_memory::MemorySubscriber>();
    shared::<ruststream_memory::MemoryTransaction>();
}

// MEM-02: importing is the test.
#[test]
fn the_crate_root_has_every_public_name() {
    #[allow(unused_imports)]
    use ruststream_memory::{
        ClosedMemoryBroker, ConnectedMemoryBroker, Discarding, LogMode, MemoryBatchContext,
        MemoryBroker, MemoryContext, MemoryError, MemoryMessage, MemoryPattern, MemoryPosition,
        MemoryPublish, MemoryPublisher, MemoryRequest, MemoryRequester, MemorySeeker, MemorySource,
        MemorySubscriber, MemoryTransaction, PARTITION_KEY_HEADER, PatternError, Position,
        RequestError, Retaining, Retention, Routing, SeekHandle,
    };

    assert!(!PARTITION_KEY_HEADER.is_empty());
}
