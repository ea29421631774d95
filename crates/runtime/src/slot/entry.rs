//! The entry of one slot: what a body publishes through.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use ruststream_core::codec::Codec;
use ruststream_core::{OutgoingDestination, OwnedTransactions, Publisher, TransactionalPublisher};

use super::marker::{OutSlot, PublishedThrough};
use super::publisher::SlotPublisher;
use super::set::ContainsMessage;
use crate::observe::Observed;
use crate::publish::{
    Admits, HeadersUnset, MessageBody, OutPipeline, PublishBuilder, PublishIdentity,
    TransactionScope, TypedTransaction, message_of,
};

/// One slot of a handler: a live value, the codec and the pipeline the mount gave it.
///
/// It dereferences to the live value, so a broker's own methods are at hand; publishes that should
/// pass the slot's transforms and the application's layers go through
/// [`message`](Self::message), or through the slot itself used as a [`Publisher`].
///
/// `M` is the marker, `W` the live value, `E` the codec, `Pipe` the way out and `Body` the set of
/// messages the parameter declares.
pub struct Slot<M, W, E, Pipe = PublishIdentity, Body = ()> {
    pub(super) wired: SlotPublisher<W, M>,
    codec: E,
    pub(super) pipeline: Pipe,
    body: PhantomData<fn() -> Body>,
}

impl<M, W, E, Pipe, Body> Slot<M, W, E, Pipe, Body> {
    /// The entry of a slot whose policy has paired.
    pub(crate) fn new(wired: impl Into<Observed<W>>, codec: E, pipeline: Pipe) -> Self {
        Self {
            wired: SlotPublisher::new(wired),
            codec,
            pipeline,
            body: PhantomData,
        }
    }
}

impl<M: OutSlot, W: Publisher, E: Codec + Send + Sync, Pipe: OutPipeline<W>, Body>
    Slot<M, W, E, Pipe, Body>
{
    /// Starts a publish of `value`, which the slot must list and the parameter's set must hold.
    ///
    /// Transforms and publish layers run; the codec is the slot's unless the call names another.
    #[inline]
    pub fn message<'a, T, Index>(
        &'a self,
        value: &'a T,
    ) -> PublishBuilder<&'a Self, MessageBody<'a, T>, &'a E, HeadersUnset, T::Form>
    where
        Body: ContainsMessage<T, Index>,
        T: OutgoingDestination + PublishedThrough<M>,
    {
        message_of(self, value, &self.codec)
    }
}

impl<M: OutSlot, W: TransactionalPublisher, E: Send + Sync, Pipe: Send + Sync, Body>
    Slot<M, W, E, Pipe, Body>
{
    /// Begins a transaction on the slot's publisher and returns the scope that settles it.
    ///
    /// The scope admits what [`message`](Self::message) admits; transforms and layers do not run.
    ///
    /// # Errors
    ///
    /// The publisher's error, for one when a transaction is open on it already.
    pub async fn begin(
        &self,
    ) -> Result<TransactionScope<'_, SlotPublisher<W, M>, &E, Self>, W::Error> {
        self.wired.begin_transaction().await?;
        Ok(TransactionScope::new(&self.wired, &self.codec))
    }
}

impl<M: OutSlot, W: OwnedTransactions, E: Send + Sync, Pipe: Send + Sync, Body>
    Slot<M, W, E, Pipe, Body>
{
    /// Opens a transaction of its own on the slot's publisher.
    ///
    /// It admits what [`message`](Self::message) admits; transforms and layers do not run.
    ///
    /// # Errors
    ///
    /// The publisher's error.
    pub async fn transaction(
        &self,
    ) -> Result<TypedTransaction<W::Transaction, &E, Self>, W::Error> {
        let transaction = self.wired.transaction().await?;
        Ok(TypedTransaction::new(transaction, &self.codec))
    }
}

impl<M, W, E, Pipe, Body> fmt::Debug for Slot<M, W, E, Pipe, Body> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot").finish_non_exhaustive()
    }
}

impl<M, W, E, Pipe, Body> Deref for Slot<M, W, E, Pipe, Body> {
    type Target = W;

    fn deref(&self) -> &W {
        self.wired.inner()
    }
}

impl<M, W, E, Pipe, Body, T, Index> Admits<T, Index> for Slot<M, W, E, Pipe, Body>
where
    T: PublishedThrough<M>,
    Body: ContainsMessage<T, Index>,
{
}

/// An entry marked `M` with the set `Body`, its mount left open.
///
/// A hand-written body takes its slots generic over this trait and bounds only the live value:
/// `L: OutEntry<Receipts, Wire: Publisher>`.
pub trait OutEntry<M, Body = ()>: Send + Sync {
    /// The live value.
    type Wire: Send + Sync;
    /// The codec.
    type Enc: Codec;
    /// The way out.
    type Pipe: OutPipeline<Self::Wire>;

    /// The entry itself.
    #[doc(hidden)]
    fn entry(&self) -> &Slot<M, Self::Wire, Self::Enc, Self::Pipe, Body>;
}

impl<M, W, E, Pipe, Body> OutEntry<M, Body> for Slot<M, W, E, Pipe, Body>
where
    W: Send + Sync,
    E: Codec,
    Pipe: OutPipeline<W>,
{
    type Wire = W;
    type Enc = E;
    type Pipe = Pipe;

    #[inline]
    fn entry(&self) -> &Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ruststream_core::{OutgoingMessage, RequestReply, Take};

    use super::*;
    use crate::publish::testkit::{Held, Recorder, Urgency, headers};
    use crate::publish::{PublishDynStack, PublishStack};
    use crate::slot::testkit::{Receipts, Unused, parcel, slot};

    // PUB-155, PUB-123, PUB-234
    #[tokio::test]
    async fn base_headers_and_options_pass_through_an_entry() {
        let slot = slot(
            Recorder::new().with_base(headers([("tenant", "acme")])),
            PublishIdentity,
        );
        let value = parcel();
        let mut publish = slot.message(&value).to("a");
        *publish.options_mut() = Some(Urgency(Some(2)));

        publish.publish().await.expect("publishes");

        let sent = slot.only();
        assert_eq!(sent.headers, headers([("tenant", "acme")]));
        assert_eq!(sent.options, Some(Urgency(Some(2))));
    }

    // PUB-512
    #[tokio::test]
    async fn an_entry_serves_functions_generic_over_publishers() {
        async fn sent<P: Publisher>(publisher: &P) -> bool {
            publisher
                .publish(OutgoingMessage::new("a", b"parcel"), None)
                .await
                .is_ok()
        }
        let slot = slot(Recorder::new(), PublishIdentity);
        assert!(sent(&slot).await);
        assert_eq!(slot.only().payload, b"parcel");
    }

    // PUB-509: a capability of the broker's own grafts onto the entry from outside, and the live
    // value need not be a publisher.
    #[test]
    fn a_brokers_own_capability_reaches_through_the_entry() {
        trait Lanes {
            fn lane(&self) -> u8;
        }
        struct Router;
        impl Lanes for Router {
            fn lane(&self) -> u8 {
                3
            }
        }
        impl<M, W: Lanes, E, Pipe, Body> Lanes for Slot<M, W, E, Pipe, Body> {
            fn lane(&self) -> u8 {
                (**self).lane()
            }
        }
        fn lane_of<L: Lanes>(lanes: &L) -> u8 {
            lanes.lane()
        }
        let entry: Slot<Receipts, Router, Unused> = Slot::new(Router, Unused, PublishIdentity);
        assert_eq!(lane_of(&entry), 3);
    }

    // PUB-502, PUB-705: what a scope admits is what the entry's set holds.
    #[tokio::test]
    async fn a_restricted_set_admits_its_own_messages() {
        let slot: Slot<Receipts, Recorder<Take>, Unused, PublishIdentity, (u8, Held)> =
            Slot::new(Recorder::new(), Unused, PublishIdentity);
        let value = parcel();

        slot.message(&value)
            .to("a")
            .publish()
            .await
            .expect("publishes");
        let scope = slot.begin().await.expect("begins");
        scope
            .message(&value)
            .to("b")
            .publish()
            .await
            .expect("publishes");
        scope.abort().await.expect("aborts");

        assert_eq!(slot.sent().len(), 2);
    }

    // PUB-200: every future of publishing is `Send`, also where the mount's choices are unknown.
    #[test]
    fn the_futures_of_an_entry_are_send() {
        fn send<T: Send>(future: T) -> T {
            future
        }
        fn body<W, E, Pipe>(slot: &Slot<Receipts, W, E, Pipe>, value: &Held)
        where
            W: RequestReply + TransactionalPublisher + OwnedTransactions,
            E: Codec,
            Pipe: OutPipeline<W>,
        {
            drop(send(
                slot.message(value)
                    .to("a")
                    .with_headers(headers([]))
                    .publish(),
            ));
            drop(send(slot.message(value).to("a").request(Duration::ZERO)));
            drop(send(async {
                let scope = slot.begin().await?;
                let published = scope.message(value).to("a").publish().await;
                assert!(published.is_ok());
                scope.commit().await
            }));
            drop(send(async {
                let mut owned = slot.transaction().await?;
                let published = owned.message(value).to("a").publish().await;
                assert!(published.is_ok());
                Ok::<_, W::Error>(owned.commit().await.is_ok())
            }));
        }
        let layers = PublishStack::new(PublishDynStack::new([]), PublishIdentity);
        body(&slot(Recorder::new(), layers), &parcel());
    }

    #[cfg(feature = "json")]
    mod encoded {
        use super::*;
        use crate::publish::testkit::{Label, Marked};

        impl PublishedThrough<Receipts> for Label {}

        // PUB-204
        #[tokio::test]
        async fn the_call_wins_over_the_slots_codec_and_the_slots_over_the_default() {
            let slot: Slot<Receipts, Recorder<Take>, Marked> =
                Slot::new(Recorder::new(), Marked(1), PublishIdentity);
            let label = Label { parcel: 7 };

            slot.message(&label)
                .to("a")
                .publish()
                .await
                .expect("publishes");
            slot.message(&label)
                .to("a")
                .with_codec(Marked(2))
                .publish()
                .await
                .expect("publishes");
            let scope = slot.begin().await.expect("begins");
            scope
                .message(&label)
                .to("a")
                .publish()
                .await
                .expect("publishes");
            scope.commit().await.expect("commits");

            let codecs: Vec<_> = slot.sent().iter().map(|sent| sent.payload[0]).collect();
            assert_eq!(codecs, [1, 2, 1]);
        }
    }
}
