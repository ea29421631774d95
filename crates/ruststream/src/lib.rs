//! Services on message brokers.
//!
//! A service is a set of handlers: functions over typed messages, each mounted on a subscription
//! of a broker. This crate gives it a runtime (delivery, replies, settlement, retries, shutdown)
//! and holds every broker to one contract, so that the same handlers run on the in-process broker
//! in a test and on a server in production.
//!
//! | You are | Start with |
//! |---|---|
//! | writing a service | [`prelude`], [`runtime::RustStream`], the attribute `subscriber` |
//! | writing a broker crate | [`Broker`], [`Subscribe`], [`IncomingMessage`], [`Publisher`] |
//! | choosing how payloads are encoded | [`codec`] |
//!
//! # Features
//!
//! `json` (default), `cbor`, `msgpack` bring one codec each; `macros` the attributes and derives;
//! `memory` the in-process broker. `logging`, `metrics`, `otel` and `poll-diagnostics` bring what a
//! running service shows of itself, `cli` the command `ruststream`. All are additive, and
//! everything builds without any of them.

#![forbid(unsafe_code)]

#[doc(hidden)]
pub use ruststream_core::Settling;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub use ruststream_core::inventory;
#[cfg(feature = "testing")]
pub use ruststream_core::register_testable_broker;
#[cfg(feature = "asyncapi")]
pub use ruststream_core::schemars;
pub use ruststream_core::{
    AckError, AddressedCopies, ApiKeyLocation, AppId, AppIdError, BatchSubscriber, Broker,
    BrokerMoves, Buffered, BufferedSubscriber, BuildBatchContext, BuildContext, Bytes, BytesMut,
    CallerName, Carries, CarriesBatch, Connected, ConnectedBroker, Contact, ContextField, CopyPath,
    DeclareRetryError, DefaultPublish, DescribeServer, DeserializeHeadersError, DestinationForm,
    ExternalDocs, Field, FieldMut, FixedName, FromName, HeaderMap, HeadersContract,
    HttpApiKeyLocation, IncomingMessage, Lend, License, MessageHeaders, MessageInfo, Name,
    NameTemplate, NamedCopies, NoHeaders, OutgoingDestination, OutgoingFor, OutgoingMessage,
    OwnedTransactions, PairError, Partitioned, PayloadForm, Positioned, PublishPolicy, Publisher,
    RawMessage, RedeliveryAddress, RedeliveryAddressed, RequestReply, RetryDeclaration,
    SecurityScheme, Seekable, Seeker, SerializeHeadersError, ServerSpec, StartAt, Str, Subscribe,
    Subscriber, SubscriptionSource, Tag, Take, Transaction, TransactionalPublisher, Unnamed,
    WithHeaders, codec, nonzero,
};
#[cfg(feature = "macros")]
pub use ruststream_macros::{
    Deserialized, FromRef, InMessages, MessageInfo, OutMessages, OutSlot, Outgoing, Serialized,
    app, subscriber,
};
pub use ruststream_runtime::{OutSlot, RustStream};

#[cfg(feature = "conformance")]
pub mod conformance;

/// The `AsyncAPI` document of a service, and the bindings that a broker crate fills it with.
#[cfg(feature = "asyncapi")]
pub mod asyncapi {
    pub use ruststream_asyncapi::*;
}

/// The runtime: what a service is made of and what runs it.
pub mod runtime {
    pub use ruststream_core::{
        Bindable, Bound, BrokerRegistration, ConnectedSlot, IntoSource, RETRY_COUNT_HEADER,
    };
    pub use ruststream_runtime::*;

    /// The entry point of a service's binary.
    pub mod cli {
        pub use ruststream_cli::{AppRuntime, CliError, run_main, run_main_on};
    }
}

/// The in-process broker: for tests, examples and services of one process.
#[cfg(feature = "memory")]
pub mod memory {
    pub use ruststream_memory::*;

    /// Everything a service on the in-process broker imports: the core prelude, the broker and its
    /// policies.
    pub mod prelude {
        pub use crate::prelude::*;
        pub use ruststream_memory::prelude::*;
    }
}

#[cfg(feature = "logging")]
pub use ruststream_telemetry::logging;
#[cfg(feature = "metrics")]
pub use ruststream_telemetry::metrics;
#[cfg(feature = "otel")]
pub use ruststream_telemetry::otel;

pub mod prelude;
pub mod testing;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

/// The README's code blocks compile.
#[cfg(all(doctest, feature = "macros", feature = "memory", feature = "json"))]
#[doc = include_str!("../../../README.md")]
pub struct ReadmeDoctests;
