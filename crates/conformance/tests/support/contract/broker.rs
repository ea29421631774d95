use std::fmt;
use std::sync::Arc;

use ruststream_core::testing::{Backlog, Coordinator, InProcess, TestableBroker};
use ruststream_core::{
    AddressedCopies, Broker, ConnectedBroker, DescribeServer, OutgoingMessage, RawMessage,
    ServerSpec, Subscribe,
};

use super::super::honest::{Link, Sender, Side, ToyError};
use super::super::twist::{Honest, Twist};
use super::super::world::{Kind, Letter, World};
use super::{Slot, ToyPublish, ToyPublisher, ToySubscriber};

/// The toy before it is connected. In process it is a world of its own.
#[derive(Clone)]
pub(crate) struct ToyBroker {
    world: Arc<World>,
    twist: Arc<dyn Twist>,
}

impl ToyBroker {
    pub(crate) fn new(world: &Arc<World>, twist: &Arc<dyn Twist>) -> Self {
        Self {
            world: Arc::clone(world),
            twist: Arc::clone(twist),
        }
    }

    pub(crate) fn honest(kind: Kind) -> Self {
        Self::new(&World::new(kind), &(Arc::new(Honest) as Arc<dyn Twist>))
    }
}

/// A factory of brokers that reach one world and are twisted alike.
pub(crate) fn toys(
    kind: Kind,
    twist: impl Twist,
) -> impl Fn() -> ToyBroker + Clone + Send + Sync + 'static {
    let (world, twist) = (World::new(kind), Arc::new(twist) as Arc<dyn Twist>);
    move || ToyBroker::new(&world, &twist)
}

impl Broker for ToyBroker {
    type Error = ToyError;
    type Connected = ConnectedToy;

    async fn connect(self) -> Result<ConnectedToy, ToyError> {
        let link = self.twist.connect(&self.world, Side::Server).await?;
        Ok(ConnectedToy {
            link,
            twist: self.twist,
        })
    }
}

impl InProcess for ToyBroker {
    async fn connect_in_process(self) -> Result<ConnectedToy, ToyError> {
        let world = World::new(self.world.kind);
        let link = self.twist.connect(&world, Side::InProcess).await?;
        Ok(ConnectedToy {
            link,
            twist: self.twist,
        })
    }
}

ruststream_core::register_testable_broker!(ToyBroker);

impl DescribeServer for ToyBroker {
    fn describe_server(&self) -> ServerSpec {
        self.twist.server()
    }
}

#[derive(Clone)]
pub(crate) struct ConnectedToy {
    pub(crate) link: Link,
    pub(crate) twist: Arc<dyn Twist>,
}

impl ConnectedToy {
    pub(crate) fn publisher(&self) -> ToyPublisher {
        self.publisher_of(0)
    }

    pub(super) fn publisher_of(&self, urgency: u8) -> ToyPublisher {
        ToyPublisher {
            sender: Sender::new(&self.link),
            twist: Arc::clone(&self.twist),
            urgency,
        }
    }

    pub(super) async fn open<Copies>(
        &self,
        slot: &Slot<Copies>,
    ) -> Result<ToySubscriber, ToyError> {
        let reader = self.twist.subscribe(&self.link, slot).await?;
        Ok(ToySubscriber::new(reader, &self.twist))
    }
}

impl ConnectedBroker for ConnectedToy {
    type Error = ToyError;
    type Closed = ();

    async fn shutdown(self) -> Result<(), ToyError> {
        self.twist.shutdown(self.link).await
    }
}

impl Subscribe for ConnectedToy {
    type Subscriber = ToySubscriber;
    type Copies = AddressedCopies;

    async fn subscribe(&self, name: &str) -> Result<ToySubscriber, ToyError> {
        self.open(&Slot::<AddressedCopies>::new(name)).await
    }
}

impl TestableBroker for ConnectedToy {
    fn install_coordinator(&self, coordinator: Coordinator) {
        self.twist.install(&self.link, coordinator);
    }

    fn inject(&self, message: OutgoingMessage<'_>) {
        self.twist.inject(&self.link, letter_of(message));
    }

    fn published(&self, name: &str) -> Vec<RawMessage> {
        let logged = self.twist.published(&self.link, name);
        let raw = |letter: &Arc<Letter>| {
            RawMessage::new(letter.name.clone(), letter.payload.clone())
                .with_headers(letter.headers.clone())
        };
        logged.iter().map(raw).collect()
    }

    fn routes(&self, destination: &str, subscriptions: &[&str]) -> Vec<usize> {
        self.twist.routes(&self.link, destination, subscriptions)
    }

    fn backlog(&self) -> Backlog {
        self.twist.backlog(&self.link)
    }
}

pub(super) fn letter_of(message: OutgoingMessage<'_>) -> Letter {
    let (name, payload, headers) = message.into_parts();
    Letter {
        name: name.to_owned(),
        payload: payload.to_vec(),
        headers,
        ..Letter::default()
    }
}

impl fmt::Debug for ConnectedToy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.twist.shown("ConnectedToy"))
    }
}

impl fmt::Debug for ToyBroker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.twist.shown("ToyBroker"))
    }
}
