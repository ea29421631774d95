//! The core's publishing traits on an entry, for as far as its live value has them.
//!
//! A publish passes the slot's pipeline; everything else goes to the live value, and only its
//! error takes the pipeline's shape.

use std::time::Duration;

use ruststream_core::{
    HeaderMap, OutgoingFor, OwnedTransactions, Publisher, RequestReply, TransactionalPublisher,
};

use super::entry::Slot;
use super::marker::OutSlot;
use crate::publish::OutPipeline;

impl<M: OutSlot, W: Publisher, E: Send + Sync, Pipe: OutPipeline<W>, Body> Publisher
    for Slot<M, W, E, Pipe, Body>
{
    type Payload = W::Payload;
    type Error = Pipe::Error<W::Error>;
    type Options = W::Options;

    #[inline]
    fn publish(
        &self,
        msg: OutgoingFor<'_, W::Payload>,
        options: Option<&W::Options>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.pipeline.send(&self.wired, msg, options)
    }

    #[inline]
    fn base_headers(&self) -> Option<&HeaderMap> {
        self.wired.base_headers()
    }
}

impl<M: OutSlot, W: TransactionalPublisher, E: Send + Sync, Pipe: OutPipeline<W>, Body>
    TransactionalPublisher for Slot<M, W, E, Pipe, Body>
{
    async fn begin_transaction(&self) -> Result<(), Self::Error> {
        self.wired
            .begin_transaction()
            .await
            .map_err(Pipe::from_publish_error)
    }

    async fn commit(&self) -> Result<(), Self::Error> {
        self.wired.commit().await.map_err(Pipe::from_publish_error)
    }

    async fn abort(&self) -> Result<(), Self::Error> {
        self.wired.abort().await.map_err(Pipe::from_publish_error)
    }
}

impl<M: OutSlot, W: OwnedTransactions, E: Send + Sync, Pipe: OutPipeline<W>, Body> OwnedTransactions
    for Slot<M, W, E, Pipe, Body>
{
    type Transaction = W::Transaction;

    async fn transaction(&self) -> Result<W::Transaction, Self::Error> {
        self.wired
            .transaction()
            .await
            .map_err(Pipe::from_publish_error)
    }
}

impl<M: OutSlot, W: RequestReply, E: Send + Sync, Pipe: OutPipeline<W>, Body> RequestReply
    for Slot<M, W, E, Pipe, Body>
{
    type Reply = W::Reply;

    async fn request(
        &self,
        msg: OutgoingFor<'_, W::Payload>,
        timeout: Duration,
    ) -> Result<W::Reply, Self::Error> {
        self.wired
            .request(msg, timeout)
            .await
            .map_err(Pipe::from_publish_error)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use ruststream_core::OutgoingMessage;

    use super::*;
    use crate::publish::testkit::{Recorder, Refused};
    use crate::publish::{
        ContextKind, LowerOutTransforms, Outgoing, PipelinePublishError, PublishDynStack,
        PublishError, PublishIdentity, PublishStack, PublishTransform, PublishTransformIdentity,
        PublishTransformStack, Reads,
    };
    use crate::slot::testkit::{Receipts, parcel, slot};

    /// Counts its runs and marks what leaves.
    #[derive(Default)]
    struct Mark(AtomicUsize);

    impl<K: ContextKind, Options> PublishTransform<K, Options> for &Mark {
        type Destination = Reads;

        fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {
            self.0.fetch_add(1, Ordering::Relaxed);
            out.headers_mut().insert("mark", "1");
        }
    }

    // PUB-507: transforms run on `message` and on the slot used as a publisher, and nowhere else.
    #[tokio::test]
    async fn transforms_run_on_publishes_through_the_entry_only() {
        let mark = Mark::default();
        let transforms = PublishTransformStack::new(PublishTransformIdentity, &mark);
        let slot = slot(
            Recorder::new(),
            transforms.lower(Receipts::NAME, PublishIdentity),
        );
        let value = parcel();

        slot.message(&value)
            .to("a")
            .publish()
            .await
            .expect("publishes");
        let message = OutgoingMessage::new("b", b"parcel");
        Publisher::publish(&slot, message, None)
            .await
            .expect("publishes");
        assert_eq!(mark.0.load(Ordering::Relaxed), 2);

        let scope = slot.begin().await.expect("begins");
        scope
            .message(&value)
            .to("c")
            .publish()
            .await
            .expect("publishes");
        scope.commit().await.expect("commits");
        let mut owned = slot.transaction().await.expect("opens");
        owned
            .message(&value)
            .to("d")
            .publish()
            .await
            .expect("publishes");
        owned.commit().await.expect("commits");
        let soon = Duration::from_secs(1);
        slot.message(&value)
            .to("e")
            .request(soon)
            .await
            .expect("answers");
        let message = OutgoingMessage::new("f", b"parcel");
        Recorder::publish(&slot, message, None)
            .await
            .expect("publishes past the slot");
        assert_eq!(mark.0.load(Ordering::Relaxed), 2);

        let marked: Vec<_> = slot
            .sent()
            .into_iter()
            .map(|sent| (sent.name, sent.headers.contains("mark")))
            .collect();
        let expected = [
            ("a", true),
            ("b", true),
            ("c", false),
            ("d", false),
            ("e", false),
            ("f", false),
        ];
        assert_eq!(
            marked,
            expected.map(|(name, marked)| (name.to_owned(), marked))
        );
    }

    // PUB-507: a transaction driven by hand through the entry still transforms its publishes.
    #[tokio::test]
    async fn a_transaction_driven_by_hand_keeps_the_transforms() {
        let mark = Mark::default();
        let transforms = PublishTransformStack::new(PublishTransformIdentity, &mark);
        let slot = slot(
            Recorder::new(),
            transforms.lower(Receipts::NAME, PublishIdentity),
        );

        TransactionalPublisher::begin_transaction(&slot)
            .await
            .expect("begins");
        slot.message(&parcel())
            .to("a")
            .publish()
            .await
            .expect("publishes");
        TransactionalPublisher::commit(&slot)
            .await
            .expect("commits");

        assert_eq!(mark.0.load(Ordering::Relaxed), 1);
        assert_eq!(slot.calls(), ["begin", "commit"]);
    }

    // PUB-508, PUB-507
    #[tokio::test]
    async fn each_way_out_reports_the_error_of_its_pipeline() {
        let layers = PublishStack::new(PublishDynStack::new([]), PublishIdentity);
        let layered = slot(Recorder::new().refusing(), layers);
        let bare = slot(Recorder::new().refusing(), PublishIdentity);

        let value = parcel();
        let through: PublishError<PipelinePublishError> = layered
            .message(&value)
            .to("a")
            .publish()
            .await
            .expect_err("refused");
        let driven: PipelinePublishError = TransactionalPublisher::commit(&layered)
            .await
            .expect_err("refused");
        let opened = OwnedTransactions::transaction(&layered)
            .await
            .err()
            .expect("refused");
        let direct: PublishError<Refused> = bare
            .message(&value)
            .to("a")
            .publish()
            .await
            .expect_err("refused");

        assert!(matches!(through, PublishError::Publish(_)));
        assert_eq!(driven.into_source().to_string(), "refused");
        assert_eq!(opened.into_source().to_string(), "refused");
        assert!(matches!(direct, PublishError::Publish(Refused)));
        assert_eq!(
            layered.begin().await.err(),
            Some(Refused),
            "a scope has the leaf's own error"
        );
    }
}
