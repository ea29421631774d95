// CORE-051, CORE-054, CORE-055, CORE-302, CORE-290
use ruststream_core::{
    AckError, AddressedCopies, ConnectedBroker, HeaderMap, IncomingMessage, Name, RedeliveryAddressed,
    StartAt, Subscriber, SubscriptionSource, Unnamed,
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

struct Unaddressed;

impl SubscriptionSource<Depot> for Unaddressed {
    type Subscriber = Queue;
    type Copies = AddressedCopies;

    fn name(&self) -> &str {
        "parcels"
    }

    async fn subscribe(self, _: &Depot) -> Result<Queue, std::io::Error> {
        Ok(Queue)
    }
}

fn mounts<S: SubscriptionSource<Depot>>() {}
fn retries<S: RedeliveryAddressed<Depot>>() {}

fn main() {
    mounts::<Unnamed<Name>>();
    mounts::<StartAt<Unaddressed, u64>>();
    retries::<Unaddressed>();
}
