//! Typed publishing inside a transaction, of either kind.

mod owned;
mod scope;

use ruststream_core::codec::{Codec, CodecError};
use ruststream_core::{BytesMut, HeaderMap, OutgoingFor, OutgoingMessage, PayloadForm};
use serde::Serialize;
use thiserror::Error;

pub use owned::TypedTransaction;
pub use scope::TransactionScope;

/// What may be published inside a transaction; `Index` says by which rule.
#[doc(hidden)]
pub trait Admits<T, Index> {}

/// Admits every type that declares a destination.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct AnyDeclared;

impl<T> Admits<T, ()> for AnyDeclared {}

/// Why a publish of a foreign value inside a transaction failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TransactionPublishError<E> {
    /// The codec could not encode the value; nothing was sent.
    #[error("failed to encode the value for a transactional publish")]
    Encode(#[source] CodecError),
    /// The broker refused or lost the message.
    #[error("failed to publish inside the transaction")]
    Publish(#[source] E),
}

/// A message of a foreign type: no headers of its own, the base laid under it (PUB-706).
fn encoded<'m, Form, T, C>(
    name: &'m str,
    value: &T,
    codec: &C,
    base: Option<&HeaderMap>,
    buffer: &'m mut BytesMut,
) -> Result<OutgoingFor<'m, Form>, CodecError>
where
    Form: PayloadForm,
    T: Serialize,
    C: Codec,
{
    let payload = Form::encode(codec, value, buffer)?;
    Ok(OutgoingMessage::assembled(
        name,
        payload,
        base.cloned().unwrap_or_default(),
    ))
}
