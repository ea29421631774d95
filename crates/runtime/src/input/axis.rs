//! Which lane an input rides: the type a body names decides it, once, at compile time.

use std::any::type_name;
use std::marker::PhantomData;

use serde::de::DeserializeOwned;

use super::Message;
use crate::mount::forms;
use crate::verdict::{Batched, OneByOne, VerdictFamily};

/// A type that a body may take by reference.
///
/// Every `DeserializeOwned` type is an input, decoded by the codec; so are
/// [`Message`](crate::Message), slices of inputs, and the types that a derive puts on another lane.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler input: derive `serde::Deserialize`, or `Deserialized` for its bytes",
    label = "a body cannot take this",
    note = "decode it with a codec: `#[derive(serde::Deserialize)]` on a type that owns its data",
    note = "build it from the payload bytes: `#[derive(Deserialized)]`"
)]
pub trait Input {
    /// The lane of this input.
    type Axis: Axis;
}

// A trait of its own carries the message, because the compiler shows the last bound of a chain.
/// A type that a codec decodes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler input: derive `serde::Deserialize`, or `Deserialized` for its bytes",
    label = "a body cannot take this",
    note = "decode it with a codec: `#[derive(serde::Deserialize)]` on a type that owns its data",
    note = "build it from the payload bytes: `#[derive(Deserialized)]`"
)]
pub trait DecodedInput: DeserializeOwned + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + Send + Sync + 'static> DecodedInput for T {}

impl<T: DecodedInput> Input for T {
    type Axis = Solo<T>;
}

impl<E> Input for [E]
where
    E: Input,
    E::Axis: BatchedFrom,
{
    type Axis = <E::Axis as BatchedFrom>::Batch;
}

/// A lane: how a delivery becomes what the body sees.
#[doc(hidden)]
pub trait Axis: Send + Sync + 'static {
    /// One message or a batch of them.
    type Family: VerdictFamily;
    /// The form of a registration on this lane with neither reply nor slots.
    type EagerForm;
    /// The form of a registration on this lane with slots and no reply.
    type SlotForm;
}

/// The lanes of one message.
#[doc(hidden)]
pub trait SoloAxis: Axis<Family = OneByOne> {}

/// The lanes of a batch.
#[doc(hidden)]
pub trait BatchedAxis: Axis<Family = Batched> {}

/// The batch lane made of a lane of single messages.
#[doc(hidden)]
pub trait BatchedFrom {
    /// The lane of the slice.
    type Batch: BatchedAxis;
}

/// What the record of a registration says of its input.
#[doc(hidden)]
pub trait LaneInput: Axis {
    /// The type builds itself from the payload bytes.
    const DESERIALIZED: bool;
    /// The input's type name.
    fn input_type() -> &'static str;
}

macro_rules! lane_inputs {
    ($($lane:ident <$($p:ident),+> [$($bounds:tt)*] $deserialized:literal $input:ty;)+) => {$(
        impl<$($p),+> LaneInput for $lane<$($p),+> where $($bounds)* {
            const DESERIALIZED: bool = $deserialized;
            fn input_type() -> &'static str {
                type_name::<$input>()
            }
        }
    )+};
}

lane_inputs! {
    Solo<T> [T: Send + Sync + 'static] false T;
    Batch<T> [T: Send + Sync + 'static] false T;
    SoloDeserialized<F> [F: Send + Sync + 'static] true F;
    BatchDeserialized<F> [F: Send + Sync + 'static] true F;
    SoloPair<H, P> [H: Send + Sync + 'static, P: Send + Sync + 'static] false Message<H, P>;
    BatchPair<H, P> [H: Send + Sync + 'static, P: Send + Sync + 'static] false Message<H, P>;
    SoloCarried<T> [T: Clone + Send + Sync + 'static] false T;
    BatchCarried<T> [T: Clone + Send + Sync + 'static] false T;
    SoloSet<S> [S: Send + Sync + 'static] false S;
    BatchSet<S> [S: Send + Sync + 'static] false S;
}

/// A definition over a batch; what `batch(n)` sizes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this subscriber has no batches to size: take a slice, `&[T]`, or remove `.batch(..)`",
    label = "the body takes one message",
    note = "a batch body takes a slice: `async fn on_parcels(parcels: &[Parcel])`"
)]
pub trait CapsBatches {}

/// Declares the lane markers: one line a lane, its batch lane beside it.
macro_rules! lanes {
    ($($(#[$docs:meta])* $solo:ident <$($p:ident),+> / $batch:ident
        where [$($bounds:tt)*] $eager:ident $batch_eager:ident;)+) => {$(
        $(#[$docs])*
        #[derive(Debug)]
        pub struct $solo<$($p),+>(PhantomData<fn() -> ($($p,)+)>);

        impl<$($p),+> Axis for $solo<$($p),+> where $($bounds)* {
            type Family = OneByOne;
            type EagerForm = forms::$eager;
            type SlotForm = forms::Out;
        }

        impl<$($p),+> SoloAxis for $solo<$($p),+> where $($bounds)* {}

        impl<$($p),+> BatchedFrom for $solo<$($p),+> where $($bounds)* {
            type Batch = $batch<$($p),+>;
        }

        #[doc = concat!("The batch lane of [`", stringify!($solo), "`].")]
        #[doc(hidden)]
        #[derive(Debug)]
        pub struct $batch<$($p),+>(PhantomData<fn() -> ($($p,)+)>);

        impl<$($p),+> Axis for $batch<$($p),+> where $($bounds)* {
            type Family = Batched;
            type EagerForm = forms::$batch_eager;
            type SlotForm = forms::BatchOut;
        }

        impl<$($p),+> BatchedAxis for $batch<$($p),+> where $($bounds)* {}
    )+};
}

lanes! {
    /// Decoded by the codec.
    #[doc(hidden)]
    Solo<T> / Batch where [T: Send + Sync + 'static] Subscribing Batch;
    /// Built from the payload bytes by the type itself; no codec runs.
    SoloDeserialized<F> / BatchDeserialized where [F: Send + Sync + 'static] RawSubscribing RawBatch;
    /// Typed headers and a decoded body.
    #[doc(hidden)]
    SoloPair<H, P> / BatchPair
        where [H: Send + Sync + 'static, P: Send + Sync + 'static] Subscribing Batch;
    /// One variant of a message set.
    SoloSet<S> / BatchSet where [S: Send + Sync + 'static] Subscribing Batch;
    /// Lent by the delivery, which holds the value already.
    #[doc(hidden)]
    SoloCarried<T> / BatchCarried
        where [T: Clone + Send + Sync + 'static] Subscribing CarriedBatch;
}
