//! Brokers and descriptors that lack something, for the cases to mount on.

#![allow(dead_code)]

use std::io;

use ruststream::memory::prelude::*;
use ruststream::memory::{ConnectedMemoryBroker, MemoryPublisher, MemorySubscriber};
use ruststream::runtime::IntoSource;
use ruststream::{
    AddressedCopies, BatchSubscriber, BrokerMoves, Carries, CarriesBatch, ConnectedBroker,
    NamedCopies, PairError, Subscribe, Subscriber, SubscriptionSource,
};

macro_rules! source {
    ($($source:ident copies $copies:ident opens $subscriber:ty;)+) => {$(
        #[derive(Clone)]
        pub struct $source(&'static str);

        impl $source {
            pub fn new(name: &'static str) -> Self {
                Self(name)
            }
        }

        impl IntoSource for $source {
            type Source = Self;

            fn into_source(self) -> Self {
                self
            }
        }

        impl SubscriptionSource<ConnectedMemoryBroker> for $source {
            type Subscriber = $subscriber;
            type Copies = $copies;

            fn name(&self) -> &str {
                self.0
            }

            async fn subscribe(
                self,
                _connected: &ConnectedMemoryBroker,
            ) -> Result<$subscriber, MemoryError> {
                unreachable!("compiled, never run")
            }
        }
    )+};
}

source! {
    // Its broker moves spent deliveries itself.
    Queue copies BrokerMoves opens MemorySubscriber;
    // It reads many names, so none of them is where its copies go.
    Filter copies NamedCopies opens MemorySubscriber;
    // It says that it is addressed, and no address.
    Unaddressed copies AddressedCopies opens MemorySubscriber;
    // It yields single deliveries.
    Singly copies BrokerMoves opens Single;
    // Its batches lend frames.
    Camera copies BrokerMoves opens Frames;
}

/// A subscription without batches.
pub struct Single(MemorySubscriber);

impl Subscriber for Single {
    type Message = <MemorySubscriber as Subscriber>::Message;
    type Error = <MemorySubscriber as Subscriber>::Error;

    fn stream(
        &mut self,
    ) -> impl futures_core::Stream<Item = Result<Self::Message, Self::Error>> + Send + '_ {
        self.0.stream()
    }
}

/// A subscription whose batches lend frames.
pub struct Frames(MemorySubscriber);

impl Subscriber for Frames {
    type Message = <MemorySubscriber as Subscriber>::Message;
    type Error = <MemorySubscriber as Subscriber>::Error;

    fn stream(
        &mut self,
    ) -> impl futures_core::Stream<Item = Result<Self::Message, Self::Error>> + Send + '_ {
        self.0.stream()
    }
}

#[derive(Clone)]
pub struct Frame;

impl Input for Frame {
    type Axis = ruststream::runtime::SoloCarried<Frame>;
}

pub struct FrameBatch(Vec<<MemorySubscriber as Subscriber>::Message>);

impl IntoIterator for FrameBatch {
    type Item = <MemorySubscriber as Subscriber>::Message;
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Carries<Frame> for <MemorySubscriber as Subscriber>::Message {
    fn carried(&self) -> Option<&Frame> {
        None
    }
}

impl CarriesBatch<Frame> for FrameBatch {
    fn carried(&self) -> &[Frame] {
        &[]
    }
}

impl BatchSubscriber for Frames {
    type Batch = FrameBatch;

    fn batches(
        &mut self,
        _size: std::num::NonZeroUsize,
    ) -> impl futures_core::Stream<Item = Result<FrameBatch, Self::Error>> + Send + '_ {
        NoBatches
    }
}

struct NoBatches;

impl futures_core::Stream for NoBatches {
    type Item = Result<FrameBatch, std::convert::Infallible>;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        _cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Ready(None)
    }
}

/// A broker without a default publish policy.
pub struct Elsewhere;

/// Its one policy.
pub struct ElsewherePublish;

impl PublishPolicy<ConnectedElsewhere> for ElsewherePublish {
    type Live = MemoryPublisher;

    async fn pair(self, _connected: &ConnectedElsewhere) -> Result<MemoryPublisher, PairError> {
        unreachable!("compiled, never run")
    }
}

pub struct ConnectedElsewhere;

impl Broker for Elsewhere {
    type Error = io::Error;
    type Connected = ConnectedElsewhere;

    async fn connect(self) -> io::Result<ConnectedElsewhere> {
        Ok(ConnectedElsewhere)
    }
}

impl ConnectedBroker for ConnectedElsewhere {
    type Error = io::Error;
    type Closed = ();

    async fn shutdown(self) -> io::Result<()> {
        Ok(())
    }
}

impl SubscriptionSource<ConnectedElsewhere> for Filter {
    type Subscriber = MemorySubscriber;
    type Copies = NamedCopies;

    fn name(&self) -> &str {
        self.0
    }

    async fn subscribe(self, _connected: &ConnectedElsewhere) -> io::Result<MemorySubscriber> {
        unreachable!("compiled, never run")
    }
}

impl Subscribe for ConnectedElsewhere {
    type Subscriber = MemorySubscriber;
    type Copies = AddressedCopies;

    async fn subscribe(&self, _name: &str) -> io::Result<MemorySubscriber> {
        unreachable!("compiled, never run")
    }
}
