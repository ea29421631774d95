//! What an application under a harness tells it.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_core::future::BoxFuture;
use ruststream_core::RawMessage;
use ruststream_core::pairing::Origin;
use ruststream_core::testing::Coordinator;

use crate::outcome::HandlerResult;

/// What is to run because of an event, before its cause goes on; `None` where nothing is.
pub type Reaction = Option<BoxFuture<'static, ()>>;

/// Sees one application run.
///
/// Brokers are told apart by the order in which they were registered, the scope; subscriptions by
/// the number that [`mounted`](Self::mounted) gave them.
pub trait Observer: Send + Sync + 'static {
    /// Counts what is under way.
    fn coordinator(&self) -> &Coordinator;

    /// A broker connected.
    fn connected(&self, scope: usize, origin: Origin, connected: &(dyn Any + Send + Sync));

    /// The scope of a connection; `None` if it is of another application.
    fn scope_of(&self, origin: Origin) -> Option<usize>;

    /// A subscription is being opened; answers the number it goes by from now on.
    fn mounted(&self, scope: usize, name: &str) -> usize;

    /// A dispatch of `mount` begins; [`ended`](Self::ended) follows, however it ends.
    fn began(&self, mount: usize);

    /// A dispatch of `mount` is over, or was dropped where it waited.
    fn ended(&self, mount: usize);

    /// A handler finished, and its deliveries are about to be settled (a batch's: were).
    fn called(&self, call: Call) -> Reaction;

    /// A dispatch of `mount` ended that took so many deliveries.
    fn handled(&self, mount: usize, deliveries: usize);

    /// The broker took a delivery of `mount` back and brings it again.
    fn returned(&self, mount: usize, returned: Returned);

    /// The next moment of a clock that orders hand-overs.
    fn moment(&self) -> u64;

    /// A message is being published through the slot `slot` from inside its handler's dispatch.
    fn attempted(&self, slot: &'static str, message: &RawMessage, options: &Options) -> Reaction;

    /// The broker `scope` accepted a message.
    fn published(&self, scope: usize, published: Published) -> Reaction;
}

/// One run of a handler.
#[derive(Debug)]
pub struct Call {
    /// The subscription.
    pub mount: usize,
    /// What it was handed: one delivery, or those of a batch.
    pub deliveries: Vec<Delivered>,
    /// It panicked.
    pub panicked: bool,
    /// Its delivery did not decode, and the body did not run.
    pub decode_failed: bool,
}

/// One delivery of a call.
#[derive(Debug)]
pub struct Delivered {
    /// The payload as the broker delivered it.
    pub payload: Bytes,
    /// The value it lent on the carried lane.
    pub lent: Option<Lent>,
    /// How it is settled; `None` where it is not.
    pub settled: Option<HandlerResult>,
}

/// A copy of a carried value.
pub struct Lent {
    value: Box<dyn Any + Send + Sync>,
    type_name: &'static str,
}

impl Lent {
    pub(super) fn copy_of<T: Clone + Send + Sync + 'static>(value: &T) -> Self {
        Self {
            value: Box::new(value.clone()),
            type_name: type_name::<T>(),
        }
    }

    /// The value, if it is a `T`.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.value.downcast_ref()
    }

    /// The name of the value's type.
    pub const fn type_name(&self) -> &'static str {
        self.type_name
    }
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lent").field(&self.type_name).finish()
    }
}

/// A message that a broker accepted.
#[derive(Debug)]
pub struct Published {
    /// The message as it was handed over.
    pub message: RawMessage,
    /// The settings of this one message.
    pub options: Options,
    /// The moment just before the hand-over.
    pub from: u64,
    /// The moment just after it.
    pub until: u64,
}

/// The settings of one message, and the type they are of also where none are set.
#[derive(Clone)]
pub struct Options {
    set: Option<Arc<dyn Any + Send + Sync>>,
    of: TypeId,
    type_name: &'static str,
}

impl Options {
    pub(super) fn copy_of<O: Clone + Send + Sync + 'static>(options: Option<&O>) -> Self {
        Self {
            set: options.map(|options| Arc::new(options.clone()) as Arc<dyn Any + Send + Sync>),
            of: TypeId::of::<O>(),
            type_name: type_name::<O>(),
        }
    }

    /// Whether they are of the type `O`.
    pub fn are<O: 'static>(&self) -> bool {
        self.of == TypeId::of::<O>()
    }

    /// Whether both are of one type.
    pub fn alike(&self, other: &Self) -> bool {
        self.of == other.of
    }

    /// Whether any are set.
    pub const fn are_set(&self) -> bool {
        self.set.is_some()
    }

    /// Those that are set, if they are of the type `O`.
    pub fn get<O: 'static>(&self) -> Option<&O> {
        self.set.as_ref()?.downcast_ref()
    }

    /// The name of their type.
    pub const fn type_name(&self) -> &'static str {
        self.type_name
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("type_name", &self.type_name)
            .field("set", &self.are_set())
            .finish_non_exhaustive()
    }
}

/// When a delivery comes again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returned {
    /// At once.
    Now,
    /// After a delay that the broker holds.
    After(Duration),
}
