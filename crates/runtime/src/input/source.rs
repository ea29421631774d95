//! Which subscriptions feed a lane: any, save for the lanes of carried values.

use ruststream_core::{
    BatchSubscriber, Carries, CarriesBatch, ConnectedBroker, Subscriber, SubscriptionSource,
};

use super::axis::{
    Axis, Batch, BatchCarried, BatchDeserialized, BatchPair, BatchSet, Solo, SoloCarried,
    SoloDeserialized, SoloPair, SoloSet,
};

/// A source whose deliveries hold a `T` already (RUN-431).
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the subscription `{Self}` does not carry `{T}`: mount it on a source that does, or derive `serde::Deserialize`",
    label = "the handler reads a carried `{T}`",
    note = "mount it on a source whose deliveries carry this type, or make the type `Deserialize` and \
            read it by a codec"
)]
pub trait SourceCarries<T, Conn> {}

#[diagnostic::do_not_recommend]
impl<Src, T, Conn> SourceCarries<T, Conn> for Src
where
    Conn: ConnectedBroker,
    Src: SubscriptionSource<Conn, Subscriber: Subscriber<Message: Carries<T>>>,
{
}

/// A source whose batches lend a slice of `T` (RUN-431).
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the subscription `{Self}` does not lend batches of `{T}`: mount it on a source that does, or derive `serde::Deserialize`",
    label = "the handler reads a slice of carried `{T}`",
    note = "mount it on a source whose batches carry this type, or make the type `Deserialize` and \
            read it by a codec"
)]
pub trait SourceCarriesBatch<T, Conn> {}

#[diagnostic::do_not_recommend]
impl<Src, T, Conn> SourceCarriesBatch<T, Conn> for Src
where
    Conn: ConnectedBroker,
    Src: SubscriptionSource<Conn, Subscriber: BatchSubscriber<Batch: CarriesBatch<T>>>,
{
}

/// A lane that the source `Src` feeds.
#[doc(hidden)]
pub trait FedBy<Src, Conn>: Axis {}

macro_rules! fed_by_any {
    ($($lane:ident <$($p:ident),+>)+) => {$(
        impl<$($p,)+ Src, Conn> FedBy<Src, Conn> for $lane<$($p),+> where Self: Axis {}
    )+};
}

fed_by_any! {
    Solo<T> SoloPair<H, P> SoloSet<S> SoloDeserialized<F>
    Batch<T> BatchPair<H, P> BatchSet<S> BatchDeserialized<F>
}

impl<T, Src, Conn> FedBy<Src, Conn> for SoloCarried<T>
where
    Self: Axis,
    Src: SourceCarries<T, Conn>,
{
}

impl<T, Src, Conn> FedBy<Src, Conn> for BatchCarried<T>
where
    Self: Axis,
    Src: SourceCarriesBatch<T, Conn>,
{
}
