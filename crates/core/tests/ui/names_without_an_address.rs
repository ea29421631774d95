// CORE-034: a bare name of a broker that moves spent deliveries itself is no address for copies
use ruststream_core::{
    AckError, BrokerMoves, ConnectedBroker, HeaderMap, IncomingMessage, Name, RedeliveryAddressed,
    Subscribe, Subscriber,
};

struct Depot;

impl ConnectedBroker for Depot {
    type Error = std::io::Error;
    type Closed = ();

    async fn shutdown(self) -> Result<(), Self::Error> {
        Ok(())
    }
}

struct Parcel;

impl IncomingMessage for Parcel {
    fn payload(&self) -> &[u8] {
        &[]
    }

    fn headers(&self) -> &HeaderMap {
        unimplemented!()
    }

    async fn ack(self) -> Result<(), AckError> {
        Ok(())
    }

    async fn nack(self, _: bool) -> Result<(), AckError> {
        Ok(())
    }
}

struct Queue;

impl Subscriber for Queue {
    type Message = Parcel;
    type Error = std::io::Error;

    fn stream(
        &mut self,
    ) -> impl futures_core::Stream<Item = Result<Parcel, std::io::Error>> + Send + '_ {
        futures_util::stream::empty()
    }
}

impl Subscribe for Depot {
    type Subscriber = Queue;
    type Copies = BrokerMoves;

    async fn subscribe(&self, _: &str) -> Result<Queue, std::io::Error> {
        Ok(Queue)
    }
}

fn addressed<S: RedeliveryAddressed<Depot>>() {}

fn main() {
    addressed::<Name>();
}
