//! A broker that is registered by its connected form (TEST-70).

use ruststream::memory::{
    ConnectedMemoryBroker, MemoryBroker, MemoryError, MemoryPublish, MemorySubscriber,
};
use ruststream::prelude::*;
use ruststream::testing::{Coordinator, TestApp, TestError, TestableBroker};
use ruststream::{BrokerMoves, ConnectedBroker, OutgoingMessage, PairError, RawMessage, Subscribe};

use crate::support::{Parcel, info, parcel};

struct Tube(MemoryBroker);

struct ConnectedTube(ConnectedMemoryBroker);

impl Broker for Tube {
    type Error = MemoryError;
    type Connected = ConnectedTube;

    async fn connect(self) -> Result<ConnectedTube, MemoryError> {
        self.0.connect().await.map(ConnectedTube)
    }
}

impl ConnectedBroker for ConnectedTube {
    type Error = MemoryError;
    type Closed = ();

    async fn shutdown(self) -> Result<(), MemoryError> {
        self.0.shutdown().await.map(drop)
    }
}

impl Subscribe for ConnectedTube {
    type Subscriber = MemorySubscriber;
    type Copies = BrokerMoves;

    async fn subscribe(&self, name: &str) -> Result<MemorySubscriber, MemoryError> {
        Subscribe::subscribe(&self.0, name).await
    }
}

impl TestableBroker for ConnectedTube {
    fn install_coordinator(&self, coordinator: Coordinator) {
        self.0.install_coordinator(coordinator);
    }

    fn inject(&self, message: OutgoingMessage<'_>) {
        self.0.inject(message);
    }

    fn published(&self, name: &str) -> Vec<RawMessage> {
        self.0.published(name)
    }
}

ruststream::register_testable_broker!(ConnectedTube);

struct TubePublish;

impl PublishPolicy<ConnectedTube> for TubePublish {
    type Live = ruststream::memory::MemoryPublisher;

    async fn pair(self, connected: &ConnectedTube) -> Result<Self::Live, PairError> {
        MemoryPublish.pair(&connected.0).await
    }
}

#[subscriber("inward")]
async fn relay(parcel: &Parcel, Out(out): Out<impl Publisher>) {
    out.message(parcel).to("onward").publish().await.unwrap();
}

#[subscriber("onward")]
async fn receive(_parcel: &Parcel) {}

fn tubes() -> impl App<State = ()> {
    RustStream::new(info()).with_broker(Tube(MemoryBroker::new()), |b| {
        b.include(relay).out(DefaultSlot, TubePublish).build();
        b.include(receive);
    })
}

// TEST-70
#[tokio::test]
async fn the_transport_is_recovered_from_what_ordinary_connect_yields() {
    let tb = TestApp::start(tubes()).await.unwrap();
    tb.publish("inward", &parcel(7)).await.unwrap();
    tb.out::<DefaultSlot>()
        .assert_called_once()
        .decoded_as::<Parcel>()
        .with(&parcel(7));
    tb.shutdown().await.unwrap();
}

// TEST-70, TEST-21
#[tokio::test]
async fn live_a_form_without_a_default_policy_cannot_be_sent_to() {
    let tb = TestApp::start_live(tubes()).await.unwrap();
    let refused = tb.publish("inward", &parcel(7)).await;
    assert!(matches!(refused, Err(TestError::NoTransport(name)) if name.contains("Tube")));
    tb.shutdown().await.unwrap();
}
