//! The live publisher of a slot, with the slot's name on everything that leaves through it.

use std::marker::PhantomData;
use std::time::Duration;

use ruststream_core::{
    HeaderMap, OutgoingFor, OwnedTransactions, Publisher, RequestReply, TransactionalPublisher,
};

use super::marker::OutSlot;
use crate::observe::Observed;

/// A slot's live value, as the mount wired it, below transforms and layers.
///
/// What is published or requested through it belongs to the slot `M`. An owned transaction does
/// not: its publishes are the broker's alone.
#[derive(Debug)]
pub struct SlotPublisher<P, M> {
    live: Observed<P>,
    marker: PhantomData<fn() -> M>,
}

impl<P, M> SlotPublisher<P, M> {
    /// The live value under the marker `M`.
    pub(crate) fn new(live: impl Into<Observed<P>>) -> Self {
        Self {
            live: live.into(),
            marker: PhantomData,
        }
    }

    /// The live value itself, past the slot.
    #[must_use]
    pub fn inner(&self) -> &P {
        self.live.get_ref()
    }
}

impl<P: Publisher, M: OutSlot> Publisher for SlotPublisher<P, M> {
    type Payload = P::Payload;
    type Error = P::Error;
    type Options = P::Options;

    #[inline]
    fn publish(
        &self,
        msg: OutgoingFor<'_, P::Payload>,
        options: Option<&P::Options>,
    ) -> impl Future<Output = Result<(), P::Error>> + Send {
        self.live.publish_from(M::NAME, msg, options)
    }

    #[inline]
    fn base_headers(&self) -> Option<&HeaderMap> {
        self.live.base_headers()
    }
}

impl<P: TransactionalPublisher, M: OutSlot> TransactionalPublisher for SlotPublisher<P, M> {
    fn begin_transaction(&self) -> impl Future<Output = Result<(), P::Error>> + Send {
        self.live.begin_transaction()
    }

    fn commit(&self) -> impl Future<Output = Result<(), P::Error>> + Send {
        self.live.commit()
    }

    fn abort(&self) -> impl Future<Output = Result<(), P::Error>> + Send {
        self.live.abort()
    }
}

impl<P: OwnedTransactions, M: OutSlot> OwnedTransactions for SlotPublisher<P, M> {
    type Transaction = P::Transaction;

    fn transaction(&self) -> impl Future<Output = Result<P::Transaction, P::Error>> + Send {
        self.live.get_ref().transaction()
    }
}

impl<P: RequestReply, M: OutSlot> RequestReply for SlotPublisher<P, M> {
    type Reply = P::Reply;

    fn request(
        &self,
        msg: OutgoingFor<'_, P::Payload>,
        timeout: Duration,
    ) -> impl Future<Output = Result<P::Reply, P::Error>> + Send {
        self.live.request_from(M::NAME, msg, timeout)
    }
}

#[cfg(test)]
mod tests {
    use ruststream_core::Take;

    use super::*;
    use crate::publish::PublishExt;
    use crate::publish::testkit::{Held, Recorder, headers};
    use crate::slot::DefaultSlot;

    // PUB-155, RUN-212
    #[tokio::test]
    async fn the_attributed_publisher_forwards_all_it_wraps() {
        let base = headers([("tenant", "acme")]);
        let slot = SlotPublisher::<_, DefaultSlot>::new(Recorder::<Take>::new().with_base(base));
        let value = Held(b"parcel".to_vec());

        slot.message(&value)
            .to("a")
            .publish()
            .await
            .expect("publishes");
        slot.message(&value)
            .to("b")
            .request(Duration::from_secs(1))
            .await
            .expect("answers");
        slot.begin_transaction().await.expect("begins");
        slot.abort().await.expect("aborts");
        OwnedTransactions::transaction(&slot).await.expect("opens");

        let sent = slot.inner().sent();
        assert!(
            sent.iter()
                .all(|sent| sent.headers.get_str("tenant") == Some("acme"))
        );
        assert_eq!(
            slot.inner().calls(),
            ["request", "begin", "abort", "owned begin"]
        );
    }
}
