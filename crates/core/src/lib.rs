//! The contract between services and brokers: what a broker, a subscription, a delivery and a
//! message are.
//!
//! A broker crate implements the traits of this crate, a service is written against them, and the
//! runtime drives both. Nothing here starts a task or opens a connection of its own.
//!
//! Applications and broker crates reach every item through the facade crate `ruststream`; this
//! crate exists so that the contract can be read, and compiled, by itself.
//!
//! | You want to | Read |
//! |---|---|
//! | connect to a server | [`Broker`], [`ConnectedBroker`] |
//! | open subscriptions | [`Subscribe`], [`SubscriptionSource`], [`Subscriber`] |
//! | hand over and settle deliveries | [`IncomingMessage`], [`HeaderMap`] |
//! | publish | [`Publisher`], [`PublishPolicy`], [`OutgoingMessage`] |
//! | offer more than that | [`BatchSubscriber`], [`RequestReply`], [`TransactionalPublisher`], [`Seekable`], .. |

mod batch;
mod bindable;
#[cfg(feature = "asyncapi")]
pub mod bindings;
mod broker;
mod carried;
pub mod codec;
mod context;
mod declaration;
mod describe;
mod header;
mod into_source;
mod message;
mod nonzero;
mod outgoing;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod pairing;
mod partitioned;
mod payload;
mod publish;
mod raw_message;
mod request;
mod retry;
mod sealed;
mod seek;
mod server;
mod settle;
mod source;
mod subscribe;
mod subscriber;
#[cfg(feature = "testing")]
pub mod testing;
mod transaction;

#[doc(hidden)]
pub use batch::SpareBatch;
pub use batch::{BatchSubscriber, BufferedSubscriber};
#[doc(hidden)]
pub use bindable::ConnectedSlot;
pub use bindable::{Bindable, Bound, BrokerRegistration};
pub use broker::{Broker, Connected, ConnectedBroker};
pub use bytes::{Bytes, BytesMut};
pub use bytes_utils::Str;
pub use carried::{Carries, CarriesBatch};
pub use context::{BuildBatchContext, BuildContext, ContextField, Field, FieldMut};
pub use declaration::{
    CallerName, DestinationForm, FixedName, HeadersContract, MessageHeaders, MessageInfo,
    NameTemplate, NoHeaders, OutgoingDestination, WithHeaders,
};
pub use describe::{AppId, AppIdError, Contact, ExternalDocs, License, Tag};
pub use header::{
    DeserializeHeadersError, HeaderIntoIter, HeaderIter, HeaderMap, SerializeHeadersError,
};
pub use into_source::IntoSource;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub use inventory;
pub use message::IncomingMessage;
pub use outgoing::{OutgoingFor, OutgoingMessage};
pub use partitioned::Partitioned;
#[doc(hidden)]
pub use payload::{Filled, HeldPayload};
pub use payload::{Lend, PayloadForm, Take};
pub use publish::{DefaultPublish, PairError, PublishPolicy, Publisher};
pub use raw_message::RawMessage;
pub use request::RequestReply;
pub use retry::{
    AddressedCopies, BrokerMoves, CopyPath, DeclareRetryError, NamedCopies, RETRY_COUNT_HEADER,
    RedeliveryAddress, RedeliveryAddressed, RetryDeclaration,
};
#[cfg(feature = "asyncapi")]
pub use schemars;
pub use seek::{Positioned, Seekable, Seeker};
pub use server::{ApiKeyLocation, DescribeServer, HttpApiKeyLocation, SecurityScheme, ServerSpec};
pub use settle::AckError;
#[doc(hidden)]
pub use settle::Settling;
pub use source::{Buffered, FromName, Name, StartAt, SubscriptionSource, Unnamed};
pub use subscribe::Subscribe;
pub use subscriber::Subscriber;
pub use transaction::{OwnedTransactions, Transaction, TransactionalPublisher};
