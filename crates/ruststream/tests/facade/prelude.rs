//! What `use ruststream::prelude::*;` brings, and what it leaves to the preludes of brokers.

use std::collections::BTreeSet;

/// Names that a service or a broker's prelude may give to something else.
mod others {
    pub(super) struct Publish;
    pub(super) struct TransactionalPublish;
    pub(super) struct Request;
    pub(super) struct Positioned;
    pub(super) struct Seeker;
    pub(super) struct Transaction;
    pub(super) struct Partitioned;
    pub(super) struct BatchSubscriber;
    pub(super) struct Subscribe;
    pub(super) struct SubscriptionSource;
    pub(super) struct Bytes;
    pub(super) struct JsonCodec;
    // The derive is a macro; the pipeline's type is not in the prelude.
    pub(super) struct Outgoing;
}

// CORE-276, CORE-324: a name that both globs had would be ambiguous.
mod beside_the_core_prelude {
    use super::others::*;
    use ruststream::prelude::*;

    #[test]
    fn names_of_brokers_are_free() {
        let _ = (Publish, TransactionalPublish, Request);
        let _ = (Positioned, Seeker, Transaction, Partitioned);
        let _ = (Subscribe, SubscriptionSource, BatchSubscriber);
        let _ = (Bytes, JsonCodec, Outgoing);
    }

    // CORE-324: the four capabilities of publishers are there without a broker.
    fn _each<P, B, M>(_: &P, _: B, _: &M)
    where
        P: Publisher + TransactionalPublisher + OwnedTransactions + RequestReply,
        B: Broker,
        M: IncomingMessage,
    {
    }
}

// CORE-276: what a broker's prelude adds hides no trait of the core, nor brings those for the
// framework alone.
#[cfg(feature = "memory")]
mod beside_a_brokers_prelude {
    mod others {
        pub(super) use super::super::others::{BatchSubscriber, Partitioned};
    }

    use others::*;
    use ruststream::memory::prelude::*;

    #[test]
    fn the_traits_of_the_core_keep_their_names() {
        fn is_the_core_trait<P>(_: &P)
        where
            P: ruststream::Publisher,
        {
        }
        fn all<P: Publisher + TransactionalPublisher + OwnedTransactions>(publisher: &P) {
            is_the_core_trait(publisher);
        }

        all(&MemoryBroker::new().publisher());
        let _ = (Partitioned, BatchSubscriber);
    }
}

/// What a service's files are promised, of the contract and of the runtime (RUN-003, MAC-01,
/// MAC-02).
const PROMISED: &str = "
    App AppInfo Broker BytesMut CallerName CodecDiscriminator Context ContextKind Ctx DefaultSlot
    Deserialized FailurePolicies FailurePolicy FixedName ForReply ForSlot FromContext FromRef Handle
    HandlerOutcome HeaderDiscriminator HeaderMap Headers InMessages InVariant IncomingMessage
    IncomingMessageMetadata Input MainRuntime MapPublisher Message MessageHeaders MessageInfo
    MessageWire Name NameTemplate Names NoHeaders Out OutEntry OutMessages OutSlot Outgoing
    OutgoingDestination OutgoingMessageMetadata Outs OwnedTransactions PublishExt PublishPolicy
    PublishTransform PublishedThrough Publisher Reads Reply ReplyShape RequestReply Retry Router
    RouterDef RunningApp RustStream Serialized SerializedReply SerializedWire Slot SoloDeserialized
    SoloSet State Str SubscriberSettings TransactionalPublisher Unnamed WireBytes WithHeaders Workers
    app nonzero subscriber
";

// CORE-324: exactly these; a further name could hide one of a service's own.
#[test]
fn the_prelude_is_exactly_what_is_promised() {
    let code = include_str!("../../src/prelude.rs");
    let code: String = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let brought: BTreeSet<&str> = code
        .split("pub use ")
        .skip(1)
        .flat_map(|item| {
            let (_, names) = item.split_once('{').expect("a list of names");
            let (names, _) = names.split_once('}').expect("a list of names");
            names.split(',').map(str::trim)
        })
        .filter(|name| !name.is_empty())
        .collect();

    assert_eq!(brought, PROMISED.split_whitespace().collect());
}
