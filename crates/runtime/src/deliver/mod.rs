//! The path of one delivery, and the drivers that take deliveries from a stream.
//!
//! Read [`delivery`] from top to bottom: attempt check, context, layers, input, body, reply,
//! settlement, continuations; [`batch`] is the same for a batch. [`step`] is the innermost handler
//! that the layers wrap.
//!
//! The drivers differ only in who runs that path: the loop itself ([`sequential`]), or workers that
//! it hands to ([`feed`], over the cell of [`handover`]), on tasks ([`pool`]) or on threads
//! ([`threads`]).

mod batch;
mod crew;
mod delivery;
mod dispatch;
mod feed;
mod handover;
pub(crate) mod headers;
mod intake;
mod keyed;
mod panic;
mod pool;
mod sequential;
mod step;
pub(crate) mod stop;
#[cfg(test)]
mod testkit;
#[cfg(test)]
mod tests;
mod threads;
mod work;

pub(crate) use batch::{BatchSubscription, Common};
pub(crate) use delivery::Subscription;
pub(crate) use dispatch::dispatch;
pub(crate) use intake::{InBatches, Singly};
pub(crate) use step::{Step, refuse_with};
