//! Who publishes the copies of a registration, and where they go; resolved once, at startup.

use std::any::type_name;
use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::sync::Arc;

use ruststream_core::{
    AddressedCopies, BrokerMoves, ConnectedBroker, DeclareRetryError, DefaultPublish, HeaderMap,
    NamedCopies, PairError, PublishPolicy, Publisher, RedeliveryAddressed, RetryDeclaration,
    SubscriptionSource,
};

use crate::app::BoxError;
use crate::docs::OutgoingMessageMetadata;
use crate::mount::{FixedDestination, OpenDestination, OutAttachment, Retried, Retry, Unretried};
use crate::observe::Observed;
use crate::publish::{
    DestinationSettled, ForReply, Names, NamesDestination, OutPipeline, Outgoing, PublishContext,
    PublishTransform, PublishTransformIdentity, Reads, RetryStackUse,
};

/// Where a copy goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Destination<'a> {
    /// A retry copy, unless a transform names another place for it (RUN-334).
    Address(&'a str),
    /// A dead letter, whatever a transform names (RUN-346): sent where retry copies go, it would
    /// come back for ever.
    DeadLetter(&'a str),
}

impl<'a> Destination<'a> {
    pub(crate) const fn as_str(self) -> &'a str {
        match self {
            Self::Address(name) | Self::DeadLetter(name) => name,
        }
    }
}

/// One copy on its way out.
pub(crate) struct CopyToSend<'a, C> {
    /// Where it goes.
    pub(crate) destination: Destination<'a>,
    /// The payload, byte for byte.
    pub(crate) payload: &'a [u8],
    /// Its headers.
    pub(crate) headers: HeaderMap,
    /// The subscription, for transforms.
    pub(crate) subscription: &'a str,
    /// The headers as the delivery arrived, for transforms.
    pub(crate) delivered: &'a HeaderMap,
    /// The delivery's context, for transforms.
    pub(crate) context: &'a C,
}

type Sending<'a> = Pin<Box<dyn Future<Output = Result<(), BoxError>> + Send + 'a>>;

/// A paired retry publisher. Copies are rare, so it is reached through a pointer (CORE-266).
pub(crate) trait CopyPublisher<C>: Send + Sync {
    fn send<'a>(&'a self, copy: CopyToSend<'a, C>) -> Sending<'a>;
}

/// The copy path of one registration.
pub(crate) struct CopyPath<C> {
    pub(crate) publisher: Arc<dyn CopyPublisher<C>>,
    /// Where retry copies go. Under a naming transform, the subscription's name to start from.
    pub(crate) address: Arc<str>,
}

impl<C> Clone for CopyPath<C> {
    fn clone(&self) -> Self {
        Self {
            publisher: Arc::clone(&self.publisher),
            address: Arc::clone(&self.address),
        }
    }
}

impl<C> fmt::Debug for CopyPath<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CopyPath")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

struct PairedCopies<P, T, L> {
    publisher: Observed<P>,
    transforms: T,
    pipeline: L,
}

impl<C, P, T, L> CopyPublisher<C> for PairedCopies<P, T, L>
where
    C: Send + Sync,
    P: Publisher,
    T: PublishTransform<ForReply<C>, P::Options>,
    L: OutPipeline<P>,
{
    fn send<'a>(&'a self, copy: CopyToSend<'a, C>) -> Sending<'a> {
        Box::pin(async move {
            // CORE-124: the delivery's own headers lie over the handle's.
            let headers = match self.publisher.base_headers() {
                None => copy.headers,
                Some(base) => {
                    let mut headers = base.clone();
                    headers.overwrite_with(copy.headers);
                    headers
                }
            };
            let payload = copy.payload.into();
            let mut out =
                Outgoing::holding::<P::Payload>(copy.destination.as_str(), payload, headers);
            let mut options = None;
            let view = PublishContext::from_map(copy.subscription, copy.delivered, copy.context);
            self.transforms.apply(&mut out, &mut options, &view);
            if let Destination::DeadLetter(name) = copy.destination {
                out.set_name(name);
            }
            let message = out.leaving::<P::Payload>();
            self.pipeline
                .send(&self.publisher, message, options.as_ref())
                .await
                .map_err(Into::into)
        })
    }
}

/// What a chain says of retries, whichever steps were written.
#[doc(hidden)]
pub trait RetryPlanned {
    /// The declared cap.
    fn max_attempts(&self) -> Option<NonZeroU32>;
    /// The declared dead-letter destination.
    fn dead_letter(&self) -> Option<&Cow<'static, str>>;
    /// The destination named with `.to(..)`.
    fn destination(&self) -> Option<&Cow<'static, str>>;

    /// The declaration, as a descriptor takes it.
    fn declaration(&self) -> RetryDeclaration {
        let mut declaration = RetryDeclaration::new();
        if let Some(attempts) = self.max_attempts() {
            declaration = declaration.with_max_attempts(attempts);
        }
        if let Some(destination) = self.dead_letter() {
            declaration = declaration.with_dead_letter(destination.clone());
        }
        declaration
    }
}

impl<Cap, Dead> RetryPlanned for Unretried<Cap, Dead> {
    fn max_attempts(&self) -> Option<NonZeroU32> {
        self.max_attempts
    }
    fn dead_letter(&self) -> Option<&Cow<'static, str>> {
        self.dead_letter.as_ref()
    }
    fn destination(&self) -> Option<&Cow<'static, str>> {
        None
    }
}

impl<Attachment, Dest> RetryPlanned for Retried<Attachment, Dest> {
    fn max_attempts(&self) -> Option<NonZeroU32> {
        self.max_attempts
    }
    fn dead_letter(&self) -> Option<&Cow<'static, str>> {
        self.dead_letter.as_ref()
    }
    fn destination(&self) -> Option<&Cow<'static, str>> {
        self.destination.as_ref()
    }
}

/// The subscription's copies are published in this process.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "subscription descriptor `{Src}` publishes no retry copy in this process: remove `.out_retry(..)`",
    label = "its broker moves spent deliveries itself, so there is no retry publisher to bind",
    note = "drop `.out_retry(..)`; declare `.max_attempts(..)` and `.dead_letter(..)`, which the \
            descriptor maps onto the broker's own mechanism"
)]
pub trait PublishesCopiesHere<Src> {}

impl<Src> PublishesCopiesHere<Src> for AddressedCopies {}
impl<Src> PublishesCopiesHere<Src> for NamedCopies {}

/// What the transforms of a retry position do with destinations, where something else names them.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`Retry` does not let a transform name the destination: give the transform `type Destination = Reads`",
    label = "the descriptor or `.to(..)` says where these copies go",
    note = "a transform names the copies of a descriptor that cannot address them (`NamedCopies`), \
            where no `.to(..)` does; here it must declare `type Destination = Reads`"
)]
pub trait LeavesCopiesNamed {}

impl LeavesCopiesNamed for Reads {}

/// Pairs the retry publisher of a registration and finds where its copies go (RUN-331, RUN-334).
#[doc(hidden)]
pub trait PairCopies<Src, Conn, Ret, Pipe, C>: Sized {
    /// The copy path; `None` where the broker moves deliveries itself.
    ///
    /// # Errors
    ///
    /// The policy does not pair, the descriptor does not find its address, or nothing names a
    /// destination.
    fn pair(
        source: &Src,
        connected: &Conn,
        retry: Ret,
        pipeline: Pipe,
    ) -> impl Future<Output = Result<Option<Paired<C>>, BoxError>> + Send;

    /// Adds to the record of a copy what it is published with; nothing where the broker moves it.
    fn describe(retry: &Ret, copy: &mut OutgoingMessageMetadata) {
        let _ = (retry, copy);
    }
}

/// A [`CopyPath`], opaque to the bounds that name it.
#[doc(hidden)]
#[derive(Debug)]
pub struct Paired<C>(pub(crate) CopyPath<C>);

impl<C> Paired<C> {
    fn new(publisher: impl CopyPublisher<C> + 'static, address: impl Into<Arc<str>>) -> Self {
        Self(CopyPath {
            publisher: Arc::new(publisher),
            address: address.into(),
        })
    }
}

impl<Src, Conn, Cap, Dead, Pipe, C> PairCopies<Src, Conn, Unretried<Cap, Dead>, Pipe, C>
    for AddressedCopies
where
    Src: RedeliveryAddressed<Conn> + Sync,
    Conn: DefaultPublish + Sync,
    <Conn::Policy as PublishPolicy<Conn>>::Live: Publisher + 'static,
    Pipe: OutPipeline<<Conn::Policy as PublishPolicy<Conn>>::Live> + 'static,
    C: Send + Sync + 'static,
    Cap: 'static,
    Dead: 'static,
{
    async fn pair(
        source: &Src,
        connected: &Conn,
        _retry: Unretried<Cap, Dead>,
        pipeline: Pipe,
    ) -> Result<Option<Paired<C>>, BoxError> {
        let publisher = paired(Conn::Policy::default(), connected, source.name()).await?;
        let address = source.redelivery_address(connected).await?;
        let copies = PairedCopies {
            publisher,
            transforms: PublishTransformIdentity,
            pipeline,
        };
        Ok(Some(Paired::new(copies, address.as_str())))
    }

    fn describe(_retry: &Unretried<Cap, Dead>, copy: &mut OutgoingMessageMetadata) {
        copy.published_by::<Conn, _>(&Conn::Policy::default());
    }
}

impl<Src, Conn, P, T, E, Pipe, C>
    PairCopies<Src, Conn, Retried<OutAttachment<Retry, P, T, E>, OpenDestination>, Pipe, C>
    for AddressedCopies
where
    Src: RedeliveryAddressed<Conn> + Sync,
    Conn: ConnectedBroker,
    P: PublishPolicy<Conn, Live: Publisher + 'static> + Send,
    T: PublishTransform<ForReply<C>, <P::Live as Publisher>::Options>
        + RetryStackUse<P::Live, C, Destination: LeavesCopiesNamed>
        + 'static,
    E: Send,
    Pipe: OutPipeline<P::Live> + 'static,
    C: Send + Sync + 'static,
{
    async fn pair(
        source: &Src,
        connected: &Conn,
        retry: Retried<OutAttachment<Retry, P, T, E>, OpenDestination>,
        pipeline: Pipe,
    ) -> Result<Option<Paired<C>>, BoxError> {
        let OutAttachment {
            policy, transforms, ..
        } = retry.attachment;
        let publisher = paired(policy, connected, source.name()).await?;
        let address = source.redelivery_address(connected).await?;
        Ok(Some(Paired::new(
            PairedCopies {
                publisher,
                transforms,
                pipeline,
            },
            address.as_str(),
        )))
    }

    fn describe(
        retry: &Retried<OutAttachment<Retry, P, T, E>, OpenDestination>,
        copy: &mut OutgoingMessageMetadata,
    ) {
        copy.published_by::<Conn, P>(&retry.attachment.policy);
    }
}

macro_rules! named_destination {
    ($($copies:ty)+) => {$(
        impl<Src, Conn, P, T, E, Pipe, C>
            PairCopies<Src, Conn, Retried<OutAttachment<Retry, P, T, E>, FixedDestination>, Pipe, C>
            for $copies
        where
            Src: SubscriptionSource<Conn, Copies = Self> + Sync,
            Conn: ConnectedBroker,
            P: PublishPolicy<Conn, Live: Publisher + 'static> + Send,
            T: PublishTransform<ForReply<C>, <P::Live as Publisher>::Options>
                + RetryStackUse<P::Live, C, Destination: LeavesCopiesNamed>
                + 'static,
            E: Send,
            Pipe: OutPipeline<P::Live> + 'static,
            C: Send + Sync + 'static,
        {
            async fn pair(
                source: &Src,
                connected: &Conn,
                retry: Retried<OutAttachment<Retry, P, T, E>, FixedDestination>,
                pipeline: Pipe,
            ) -> Result<Option<Paired<C>>, BoxError> {
                let OutAttachment { policy, transforms, .. } = retry.attachment;
                let publisher = paired(policy, connected, source.name()).await?;
                let address = retry.destination.unwrap_or_default();
                Ok(Some(Paired::new(PairedCopies { publisher, transforms, pipeline }, address.as_ref())))
            }

            fn describe(
                retry: &Retried<OutAttachment<Retry, P, T, E>, FixedDestination>,
                copy: &mut OutgoingMessageMetadata,
            ) {
                copy.published_by::<Conn, P>(&retry.attachment.policy);
            }
        }
    )+};
}

named_destination! { AddressedCopies NamedCopies }

impl<Src, Conn, Cap, Dead, Pipe, C> PairCopies<Src, Conn, Unretried<Cap, Dead>, Pipe, C>
    for NamedCopies
where
    Src: SubscriptionSource<Conn, Copies = Self> + Sync,
    Conn: DefaultPublish + Sync,
    Pipe: Send,
    Cap: 'static,
    Dead: 'static,
{
    async fn pair(
        source: &Src,
        _connected: &Conn,
        _retry: Unretried<Cap, Dead>,
        _pipeline: Pipe,
    ) -> Result<Option<Paired<C>>, BoxError> {
        Err(unnamed::<Src>(source.name()))
    }

    fn describe(_retry: &Unretried<Cap, Dead>, copy: &mut OutgoingMessageMetadata) {
        copy.published_by::<Conn, _>(&Conn::Policy::default());
    }
}

impl<Src, Conn, P, T, E, Pipe, C>
    PairCopies<Src, Conn, Retried<OutAttachment<Retry, P, T, E>, OpenDestination>, Pipe, C>
    for NamedCopies
where
    Src: SubscriptionSource<Conn, Copies = Self> + Sync,
    Conn: ConnectedBroker,
    P: PublishPolicy<Conn, Live: Publisher + 'static> + Send,
    T: PublishTransform<ForReply<C>, <P::Live as Publisher>::Options>
        + RetryStackUse<P::Live, C>
        + 'static,
    E: Send,
    Pipe: OutPipeline<P::Live> + 'static,
    C: Send + Sync + 'static,
{
    async fn pair(
        source: &Src,
        connected: &Conn,
        retry: Retried<OutAttachment<Retry, P, T, E>, OpenDestination>,
        pipeline: Pipe,
    ) -> Result<Option<Paired<C>>, BoxError> {
        let OutAttachment {
            policy, transforms, ..
        } = retry.attachment;
        let publisher = paired(policy, connected, source.name()).await?;
        if !<<T as RetryStackUse<P::Live, C>>::Destination as NamesDestination>::NAMES {
            return Err(unnamed::<Src>(source.name()));
        }
        Ok(Some(Paired::new(
            PairedCopies {
                publisher,
                transforms,
                pipeline,
            },
            source.name(),
        )))
    }

    fn describe(
        retry: &Retried<OutAttachment<Retry, P, T, E>, OpenDestination>,
        copy: &mut OutgoingMessageMetadata,
    ) {
        copy.published_by::<Conn, P>(&retry.attachment.policy);
    }
}

impl<Src, Conn, Cap, Dead, Pipe, C> PairCopies<Src, Conn, Unretried<Cap, Dead>, Pipe, C>
    for BrokerMoves
where
    Src: Sync,
    Conn: Sync,
    Pipe: Send,
    Cap: 'static,
    Dead: 'static,
{
    async fn pair(
        _source: &Src,
        _connected: &Conn,
        _retry: Unretried<Cap, Dead>,
        _pipeline: Pipe,
    ) -> Result<Option<Paired<C>>, BoxError> {
        Ok(None)
    }
}

// Never holds: `PublishesCopiesHere` is what says so.
impl<Src, Conn, Attachment, Dest, Pipe, C> PairCopies<Src, Conn, Retried<Attachment, Dest>, Pipe, C>
    for BrokerMoves
where
    BrokerMoves: PublishesCopiesHere<Src>,
    Src: Sync,
    Conn: Sync,
    Attachment: Send,
    Pipe: Send,
    Dest: 'static,
{
    async fn pair(
        _source: &Src,
        _connected: &Conn,
        _retry: Retried<Attachment, Dest>,
        _pipeline: Pipe,
    ) -> Result<Option<Paired<C>>, BoxError> {
        Ok(None)
    }
}

async fn paired<Conn, P>(
    policy: P,
    connected: &Conn,
    subscription: &str,
) -> Result<Observed<P::Live>, BoxError>
where
    Conn: ConnectedBroker,
    P: PublishPolicy<Conn>,
{
    Observed::pairing(policy.pair(connected))
        .await
        .map_err(|source| {
            RetryPairError {
                subscription: subscription.to_owned(),
                source,
            }
            .into()
        })
}

/// The retry position settles its destination; what a router's `.build()` asks (RUN-135).
#[doc(hidden)]
pub trait SettledCopies<Src, Ret, Conn, C> {}

macro_rules! settled_copies {
    ($($copies:ty: [$($dest:ident)?] $state:ty;)+) => {$(
        impl<Src, P, T, E, $($dest,)? Conn, C>
            SettledCopies<Src, Retried<OutAttachment<Retry, P, T, E>, $state>, Conn, C> for $copies
        where
            Conn: ConnectedBroker,
            P: PublishPolicy<Conn, Live: Publisher>,
            T: RetryStackUse<P::Live, C, Destination: LeavesCopiesNamed>,
        {
        }
    )+};
}

settled_copies! {
    AddressedCopies: [Dest] Dest;
    NamedCopies: [] FixedDestination;
}

impl<Src, P, T, E, Conn, C>
    SettledCopies<Src, Retried<OutAttachment<Retry, P, T, E>, OpenDestination>, Conn, C>
    for NamedCopies
where
    Conn: ConnectedBroker,
    P: PublishPolicy<Conn, Live: Publisher>,
    T: RetryStackUse<P::Live, C>,
    Names: DestinationSettled<T::Destination>,
{
}

impl<Src, Attachment, Dest, Conn, C> SettledCopies<Src, Retried<Attachment, Dest>, Conn, C>
    for BrokerMoves
where
    BrokerMoves: PublishesCopiesHere<Src>,
{
}

// A position that nobody bound has nothing to say, and startup finds what is missing (CORE-302).
impl<Src, Cap, Dead, Conn, C> SettledCopies<Src, Unretried<Cap, Dead>, Conn, C>
    for AddressedCopies
{
}
impl<Src, Cap, Dead, Conn, C> SettledCopies<Src, Unretried<Cap, Dead>, Conn, C> for NamedCopies {}
impl<Src, Cap, Dead, Conn, C> SettledCopies<Src, Unretried<Cap, Dead>, Conn, C> for BrokerMoves {}

#[derive(Debug, thiserror::Error)]
#[error(
    "subscription `{subscription}`: the deferred-retry policy bound with `out_retry` failed to \
     pair: {source}"
)]
struct RetryPairError {
    subscription: String,
    source: PairError,
}

fn unnamed<Src>(subscription: &str) -> BoxError {
    UnnamedCopies {
        subscription: subscription.to_owned(),
        descriptor: type_name::<Src>(),
    }
    .into()
}

/// RUN-335.
#[derive(Debug, thiserror::Error)]
#[error(
    "subscription `{subscription}`: `{descriptor}` cannot address its retry copies \
     (`Copies = NamedCopies`), and no destination is named; name one: \
     `.out_retry(policy).to(\"name\")`"
)]
struct UnnamedCopies {
    subscription: String,
    descriptor: &'static str,
}

/// A broker refused what a registration declares about retries (RUN-054).
#[doc(hidden)]
#[derive(Debug)]
pub struct RetryDeclareError {
    subscription: String,
    source: DeclareRetryError,
}

impl RetryDeclareError {
    pub(crate) fn new(subscription: &str, source: DeclareRetryError) -> Self {
        Self {
            subscription: subscription.to_owned(),
            source,
        }
    }
}

impl fmt::Display for RetryDeclareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "subscription `{}`: {}", self.subscription, self.source)
    }
}

impl Error for RetryDeclareError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}
