//! Brokers and descriptors that lack something, for the cases to mount on.

#![allow(dead_code)]

use std::io;

use ruststream::memory::prelude::*;
use ruststream::memory::{ConnectedMemoryBroker, MemorySubscriber};
use ruststream::{
    AddressedCopies, BrokerMoves, ConnectedBroker, NamedCopies, Subscribe, Subscriber,
    SubscriptionSource,
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

/// A broker without a default publish policy.
pub struct Elsewhere;

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

impl Subscribe for ConnectedElsewhere {
    type Subscriber = MemorySubscriber;
    type Copies = AddressedCopies;

    async fn subscribe(&self, _name: &str) -> io::Result<MemorySubscriber> {
        unreachable!("compiled, never run")
    }
}
