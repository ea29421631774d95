// CORE-273, RUN-163, MAC-39: a broker's own words over the builder, for its source and `StartAt` around it
use std::borrow::Cow;

use ruststream::memory::prelude::*;
use ruststream::memory::{ConnectedMemoryBroker, MemorySubscriber};
use ruststream::runtime::{Declared, Fixed, SubscriberBuilder, SubscriberSettings};
use ruststream::{AddressedCopies, FromName, StartAt, Subscribe, SubscriptionSource};
use ruststream::{RedeliveryAddress, RedeliveryAddressed};

#[derive(Clone)]
struct Stream {
    name: String,
    durable: Option<String>,
}

impl Stream {
    fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            durable: None,
        }
    }

    fn durable(mut self, name: impl Into<String>) -> Self {
        self.durable = Some(name.into());
        self
    }
}

impl FromName for Stream {
    fn from_name(name: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name.into())
    }
}

impl SubscriptionSource<ConnectedMemoryBroker<Retaining>> for Stream {
    type Subscriber = MemorySubscriber<Retaining>;
    type Copies = AddressedCopies;

    fn name(&self) -> &str {
        &self.name
    }

    async fn subscribe(
        self,
        connected: &ConnectedMemoryBroker<Retaining>,
    ) -> Result<Self::Subscriber, MemoryError> {
        connected.subscribe(&self.name).await
    }
}

impl RedeliveryAddressed<ConnectedMemoryBroker<Retaining>> for Stream {
    async fn redelivery_address(
        &self,
        _connected: &ConnectedMemoryBroker<Retaining>,
    ) -> Result<RedeliveryAddress, MemoryError> {
        Ok(RedeliveryAddress::new(self.name.clone()))
    }
}

trait StreamWords {
    fn durable(self, name: impl Into<String>) -> Self;
}

impl<Def, W, F, P, B, DC> StreamWords for SubscriberBuilder<Def, Stream, (W, F, P, B), DC>
where
    Def: Declared,
{
    fn durable(self, name: impl Into<String>) -> Self {
        self.map_source(|source| source.durable(name))
    }
}

impl<Def, W, F, B, DC, Position> StreamWords
    for SubscriberBuilder<Def, StartAt<Stream, Position>, (W, F, Fixed, B), DC>
where
    Def: Declared,
{
    fn durable(self, name: impl Into<String>) -> Self {
        self.map_source(|source| source.map_inner(|inner| inner.durable(name)))
    }
}

// The other way of the contract: generic over whatever declares.
trait AnyStreamWords: Declared {
    fn quiet(self) -> Self::Settings;
}

impl<D: Declared> AnyStreamWords for D {
    fn quiet(self) -> D::Settings {
        self.declare()
    }
}

#[subscriber(Stream::new("tracks"), workers(2))]
async fn fixed(_id: &u64) {}

#[subscriber(Stream)]
async fn named_later(_id: &u64) {}

struct ByHand;

impl Handle<u64> for ByHand {
    async fn handle(
        &self,
        _id: &u64,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        Ok(())
    }
}

fn main() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(16)));
    let _ = RustStream::new(AppInfo::new("tracks", "1.0.0")).with_broker(broker, |b| {
        b.include(fixed.on_failure(FailurePolicies::default()).durable("desk"));
        b.include(fixed.quiet().durable("desk"));
        b.include(
            named_later
                .name("tracks")
                .workers(nonzero!(2))
                .durable("desk"),
        );
        b.include(
            named_later
                .name("tracks")
                .start_at(MemoryPosition::start())
                .durable("replay"),
        );
        b.include(
            named_later
                .name("tracks")
                .codec(ruststream::codec::JsonCodec)
                .durable("desk"),
        );
        let kind = ruststream::Unnamed::<Stream>::new();
        b.include(
            subscriber(kind, ByHand)
                .name("tracks")
                .durable("desk")
                .build(),
        );
    });
}
