//! The contract's traits, put on the toy; each asks the twist.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{Stream, stream};
use ruststream_core::testing::{Backlog, Coordinator, InProcess, TestableBroker};
use ruststream_core::{
    AckError, AddressedCopies, BatchSubscriber, Broker, Carries, CarriesBatch, ConnectedBroker,
    CopyPath, DeclareRetryError, DefaultPublish, DescribeServer, HeaderMap, IncomingMessage, Lend,
    OutgoingMessage, OwnedTransactions, PairError, Positioned, PublishPolicy, Publisher,
    RawMessage, RedeliveryAddress, RedeliveryAddressed, RequestReply, RetryDeclaration, Seekable,
    Seeker, ServerSpec, Subscribe, Subscriber, SubscriptionSource, Transaction,
    TransactionalPublisher,
};

use super::honest::{Delivery, Link, Reader, SeekHandle, Sender, Side, ToyError};
use super::twist::{Honest, Twist};
use super::world::{Kind, Letter, World};

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

    fn publisher_of(&self, urgency: u8) -> ToyPublisher {
        ToyPublisher {
            sender: Sender::new(&self.link),
            twist: Arc::clone(&self.twist),
            urgency,
        }
    }

    async fn open<Copies>(&self, slot: &Slot<Copies>) -> Result<ToySubscriber, ToyError> {
        let reader = self.twist.subscribe(&self.link, slot).await?;
        Ok(ToySubscriber {
            reader,
            twist: Arc::clone(&self.twist),
        })
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

fn letter_of(message: OutgoingMessage<'_>) -> Letter {
    let (name, payload, headers) = message.into_parts();
    Letter {
        name: name.to_owned(),
        payload: payload.to_vec(),
        headers,
        ..Letter::default()
    }
}

/// A source, of any copy path.
pub(crate) struct Slot<Copies = AddressedCopies> {
    pub(crate) name: String,
    pub(crate) declared: Option<RetryDeclaration>,
    copies: PhantomData<fn() -> Copies>,
}

impl<Copies> Slot<Copies> {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            declared: None,
            copies: PhantomData,
        }
    }
}

impl<Copies> Clone for Slot<Copies> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            declared: self.declared.clone(),
            copies: PhantomData,
        }
    }
}

impl<Copies: CopyPath> SubscriptionSource<ConnectedToy> for Slot<Copies> {
    type Subscriber = ToySubscriber;
    type Copies = Copies;

    fn name(&self) -> &str {
        &self.name
    }

    async fn subscribe(self, connected: &ConnectedToy) -> Result<ToySubscriber, ToyError> {
        connected.open(&self).await
    }

    fn declare_retry(mut self, declaration: &RetryDeclaration) -> Self {
        self.declared = Some(declaration.clone());
        self
    }

    fn declare_retry_on(
        &self,
        connected: &ConnectedToy,
        declaration: &RetryDeclaration,
    ) -> Result<(), DeclareRetryError> {
        connected.twist.declare(declaration)
    }
}

impl RedeliveryAddressed<ConnectedToy> for Slot<AddressedCopies> {
    async fn redelivery_address(
        &self,
        connected: &ConnectedToy,
    ) -> Result<RedeliveryAddress, ToyError> {
        Ok(RedeliveryAddress::new(connected.twist.address(&self.name)))
    }
}

pub(crate) struct ToySubscriber {
    reader: Reader,
    twist: Arc<dyn Twist>,
}

impl Subscriber for ToySubscriber {
    type Message = ToyMessage;
    type Error = ToyError;

    fn stream(&mut self) -> impl Stream<Item = Result<ToyMessage, ToyError>> + Send + '_ {
        stream::unfold(self, |this| async move {
            let next = this.twist.next(&mut this.reader).await?;
            Some((
                next.map(|delivery| ToyMessage::new(&this.twist, delivery)),
                this,
            ))
        })
    }
}

impl BatchSubscriber for ToySubscriber {
    type Batch = ToyBatch;

    fn batches(
        &mut self,
        size: NonZeroUsize,
    ) -> impl Stream<Item = Result<ToyBatch, ToyError>> + Send + '_ {
        stream::unfold(self, move |this| async move {
            let next = this.twist.next_batch(&mut this.reader, size.get()).await?;
            let batch = next.map(|deliveries| {
                let (values, deliveries) = this.twist.carried_batch(deliveries);
                let of = |delivery| ToyMessage::new(&this.twist, delivery);
                ToyBatch {
                    values,
                    messages: deliveries.into_iter().map(of).collect(),
                }
            });
            Some((batch, this))
        })
    }
}

impl Seekable for ToySubscriber {
    type Seeker = ToySeeker;

    fn seeker(&self) -> ToySeeker {
        ToySeeker {
            handle: self.reader.seek_handle(),
            twist: Arc::clone(&self.twist),
        }
    }
}

#[derive(Clone)]
pub(crate) struct ToySeeker {
    handle: SeekHandle,
    twist: Arc<dyn Twist>,
}

impl Seeker for ToySeeker {
    type Position = usize;
    type Error = ToyError;

    async fn seek(&self, to: usize) -> Result<(), ToyError> {
        self.twist.seek(&self.handle, to).await
    }
}

/// The value that the toy's deliveries lend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parcel(pub(crate) u32);

impl Parcel {
    /// Read off the payload or, where that is empty, off a header.
    pub(crate) fn of(letter: &Letter) -> Option<Self> {
        let text = match std::str::from_utf8(&letter.payload).ok()? {
            "" => letter.headers.get_str("parcel")?,
            payload => payload.strip_prefix("parcel ")?,
        };
        text.parse().ok().map(Self)
    }
}

pub(crate) struct ToyBatch {
    values: Vec<Parcel>,
    messages: Vec<ToyMessage>,
}

impl CarriesBatch<Parcel> for ToyBatch {
    fn carried(&self) -> &[Parcel] {
        &self.values
    }
}

impl IntoIterator for ToyBatch {
    type Item = ToyMessage;
    type IntoIter = std::vec::IntoIter<ToyMessage>;

    fn into_iter(self) -> Self::IntoIter {
        self.messages.into_iter()
    }
}

pub(crate) struct ToyMessage {
    delivery: Option<Delivery>,
    twist: Arc<dyn Twist>,
    key: Option<Vec<u8>>,
    count: Option<u64>,
    value: Option<Parcel>,
}

impl ToyMessage {
    fn new(twist: &Arc<dyn Twist>, delivery: Delivery) -> Self {
        Self {
            key: twist.key(&delivery),
            count: twist.count(&delivery),
            value: twist.carried(&delivery),
            delivery: Some(delivery),
            twist: Arc::clone(twist),
        }
    }

    fn letter(&self) -> &Letter {
        self.delivery
            .as_ref()
            .expect("taken by a settlement alone")
            .letter()
    }

    fn take(&mut self) -> Delivery {
        self.delivery.take().expect("taken by a settlement alone")
    }

    pub(crate) fn urgency(&self) -> u8 {
        self.letter().urgency
    }
}

impl IncomingMessage for ToyMessage {
    fn payload(&self) -> &[u8] {
        &self.letter().payload
    }

    fn headers(&self) -> &HeaderMap {
        &self.letter().headers
    }

    fn partition_key(&self) -> Option<&[u8]> {
        self.key.as_deref()
    }

    fn redelivery_count(&self) -> Option<u64> {
        self.count
    }

    async fn ack(mut self) -> Result<(), AckError> {
        let delivery = self.take();
        self.twist.ack(delivery).await
    }

    async fn nack(mut self, requeue: bool) -> Result<(), AckError> {
        let delivery = self.take();
        self.twist.nack(delivery, requeue).await
    }

    fn supports_nack_after(&self) -> bool {
        self.twist.delays()
    }

    async fn nack_after(mut self, delay: Duration) -> Result<(), AckError> {
        let delivery = self.take();
        self.twist.nack_after(delivery, delay).await
    }
}

impl Drop for ToyMessage {
    fn drop(&mut self) {
        if let Some(delivery) = self.delivery.take() {
            self.twist.dropped(delivery);
        }
    }
}

impl Carries<Parcel> for ToyMessage {
    fn carried(&self) -> Option<&Parcel> {
        self.value.as_ref()
    }
}

impl Positioned for ToyMessage {
    type Position = usize;

    fn position(&self) -> usize {
        self.letter().position
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ToyOptions {
    pub(crate) urgency: Option<u8>,
}

/// The policy: how urgent a message is that says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ToyPublish {
    pub(crate) urgency: u8,
}

impl PublishPolicy<ConnectedToy> for ToyPublish {
    type Live = ToyPublisher;

    async fn pair(self, connected: &ConnectedToy) -> Result<ToyPublisher, PairError> {
        Ok(connected.publisher_of(self.urgency))
    }
}

impl DefaultPublish for ConnectedToy {
    type Policy = ToyPublish;
}

pub(crate) struct ToyPublisher {
    sender: Sender,
    twist: Arc<dyn Twist>,
    urgency: u8,
}

impl Publisher for ToyPublisher {
    type Payload = Lend;
    type Error = ToyError;
    type Options = ToyOptions;

    async fn publish(
        &self,
        message: OutgoingMessage<'_>,
        options: Option<&ToyOptions>,
    ) -> Result<(), ToyError> {
        let call = options.and_then(|options| options.urgency);
        let urgency = self.twist.urgency(self.urgency, call)?;
        let letter = Letter {
            urgency,
            ..letter_of(message)
        };
        self.twist.publish(&self.sender, letter).await
    }
}

impl TransactionalPublisher for ToyPublisher {
    async fn begin_transaction(&self) -> Result<(), ToyError> {
        self.twist.begin(&self.sender).await
    }

    async fn commit(&self) -> Result<(), ToyError> {
        self.twist.commit(&self.sender).await
    }

    async fn abort(&self) -> Result<(), ToyError> {
        self.twist.abort(&self.sender).await
    }
}

impl OwnedTransactions for ToyPublisher {
    type Transaction = ToyTransaction;

    async fn transaction(&self) -> Result<ToyTransaction, ToyError> {
        self.twist.open_owned(&self.sender.link).await?;
        Ok(ToyTransaction {
            link: self.sender.link.clone(),
            twist: Arc::clone(&self.twist),
            letters: Vec::new(),
        })
    }
}

pub(crate) struct ToyTransaction {
    link: Link,
    twist: Arc<dyn Twist>,
    letters: Vec<Letter>,
}

impl Transaction for ToyTransaction {
    type Payload = Lend;
    type Error = ToyError;
    type Options = ToyOptions;

    async fn publish(
        &mut self,
        message: OutgoingMessage<'_>,
        _options: Option<&ToyOptions>,
    ) -> Result<(), ToyError> {
        self.letters.push(letter_of(message));
        Ok(())
    }

    async fn commit(self) -> Result<(), ToyError> {
        self.twist.commit_owned(&self.link, self.letters).await
    }

    async fn abort(self) -> Result<(), ToyError> {
        Ok(())
    }
}

impl RequestReply for ToyPublisher {
    type Reply = ToyReply;

    async fn request(
        &self,
        message: OutgoingMessage<'_>,
        timeout: Duration,
    ) -> Result<ToyReply, ToyError> {
        let asking = self
            .twist
            .request(&self.sender, letter_of(message), timeout);
        asking.await.map(ToyReply)
    }
}

/// A reply, behind which no subscription stands.
pub(crate) struct ToyReply(Arc<Letter>);

impl IncomingMessage for ToyReply {
    fn payload(&self) -> &[u8] {
        &self.0.payload
    }

    fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    async fn ack(self) -> Result<(), AckError> {
        Ok(())
    }

    async fn nack(self, _requeue: bool) -> Result<(), AckError> {
        Ok(())
    }
}

impl fmt::Debug for ConnectedToy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectedToy").finish_non_exhaustive()
    }
}
