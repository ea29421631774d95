//! Where each item of the contract is found, by importing it.

#![allow(unused_imports, reason = "an import that resolves is what is tested")]

// CORE-004
mod at_the_root {
    use ruststream::{
        AckError, AddressedCopies, ApiKeyLocation, AppId, AppIdError, BatchSubscriber, Broker,
        BrokerMoves, Buffered, BufferedSubscriber, BuildBatchContext, BuildContext, Bytes,
        BytesMut, CallerName, Carries, CarriesBatch, Connected, ConnectedBroker, Contact,
        ContextField, CopyPath, DeclareRetryError, DefaultPublish, DescribeServer,
        DeserializeHeadersError, DestinationForm, ExternalDocs, Field, FieldMut, FixedName,
        FromName, HeaderMap, HeadersContract, HttpApiKeyLocation, IncomingMessage, Lend, License,
        MessageHeaders, MessageInfo, Name, NameTemplate, NamedCopies, NoHeaders,
        OutgoingDestination, OutgoingFor, OutgoingMessage, OwnedTransactions, PairError,
        Partitioned, PayloadForm, Positioned, PublishPolicy, Publisher, RawMessage,
        RedeliveryAddress, RedeliveryAddressed, RequestReply, RetryDeclaration, SecurityScheme,
        Seekable, Seeker, SerializeHeadersError, ServerSpec, StartAt, Str, Subscribe, Subscriber,
        SubscriptionSource, Tag, Take, Transaction, TransactionalPublisher, Unnamed, WithHeaders,
        nonzero,
    };
}

// CORE-004
mod in_the_runtime {
    use ruststream::runtime::{
        Bindable, Bound, BrokerRegistration, Deserialized, EncodedReply, EncodedWire, Input,
        IntoSource, MessageWire, Outgoing, OutgoingName, RETRY_COUNT_HEADER, ReplyShape,
        Serialized, SerializedReply, SerializedWire, SoloDeserialized, WireBytes,
    };
}

// CORE-004, CORE-005: a feature brings its names, whatever else is on.
mod by_feature {
    #[cfg(feature = "asyncapi")]
    use ruststream::asyncapi::{
        Binding, BindingError, Bindings, PublishBindings, SubscriptionBindings,
    };
    #[cfg(feature = "cbor")]
    use ruststream::codec::CborCodec;
    #[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
    use ruststream::codec::DefaultCodec;
    #[cfg(feature = "json")]
    use ruststream::codec::JsonCodec;
    #[cfg(feature = "msgpack")]
    use ruststream::codec::MsgpackCodec;
    use ruststream::codec::{Codec, CodecError};
    #[cfg(feature = "conformance")]
    use ruststream::conformance::harness::run_suite;
    #[cfg(feature = "logging")]
    use ruststream::logging as _;
    #[cfg(feature = "memory")]
    use ruststream::memory::{MemoryBroker, prelude as _};
    #[cfg(feature = "metrics")]
    use ruststream::metrics as _;
    #[cfg(feature = "otel")]
    use ruststream::otel as _;
    #[cfg(feature = "testing")]
    use ruststream::register_testable_broker;
    #[cfg(feature = "poll-diagnostics")]
    use ruststream::runtime::PollDiagnostics;
    #[cfg(feature = "asyncapi")]
    use ruststream::schemars;
    #[cfg(feature = "testing")]
    use ruststream::testing::{InProcess, TestApp, TestableBroker};
    #[cfg(feature = "macros")]
    use ruststream::{
        Deserialized, FromRef, InMessages, MessageInfo, OutMessages, OutSlot, Outgoing, Serialized,
        app, subscriber,
    };
}
