//! A connected broker and the subscriber that it opens, for the cases to build on.

use ruststream_core::{AckError, ConnectedBroker, HeaderMap, IncomingMessage, Subscriber};

pub struct Depot;

impl ConnectedBroker for Depot {
    type Error = std::io::Error;
    type Closed = ();

    async fn shutdown(self) -> Result<(), Self::Error> {
        Ok(())
    }
}

pub struct Parcel;

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

pub struct Queue;

impl Subscriber for Queue {
    type Message = Parcel;
    type Error = std::io::Error;

    fn stream(
        &mut self,
    ) -> impl futures_core::Stream<Item = Result<Parcel, std::io::Error>> + Send + '_ {
        futures_util::stream::empty()
    }
}
