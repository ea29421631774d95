//! What a reply is made of: its body, its headers and the wire it leaves by.

use ruststream_core::{HeaderMap, SerializeHeadersError};
use serde::Serialize;

use crate::definition::DocState;
use crate::input::Message;
use crate::mount::forms;
use crate::verdict::{Batched, OneByOne};

/// A value that a body may return to be published as its reply (PUB-303).
///
/// Every `Serialize` type is one, encoded by the reply codec; [`Message`] adds typed headers to
/// it; the derive `Serialized` puts a type's own bytes on the wire.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reply value: derive `serde::Serialize`, or `Serialized` for its own bytes",
    label = "this cannot be published as a reply",
    note = "encode it with a codec: `#[derive(serde::Serialize)]`",
    note = "send its own bytes: `#[derive(Serialized)]`"
)]
pub trait ReplyShape: Send + Sync {
    /// What is encoded, or leaves as it is.
    #[doc(hidden)]
    type Body: Send + Sync;
    /// The typed headers beside it; `()` for none.
    #[doc(hidden)]
    type Headers;
    /// [`EncodedReply`] or [`SerializedReply`].
    type Wire;
}

#[diagnostic::do_not_recommend]
impl<R: Serialize + Send + Sync> ReplyShape for R {
    type Body = R;
    type Headers = ();
    type Wire = EncodedReply;
}

/// Splits an encoded reply into the headers it writes and the value it encodes.
#[doc(hidden)]
pub trait WriteReplyHeaders: ReplyShape {
    /// The value that the codec encodes.
    fn body(&self) -> &Self::Body;
    /// Writes the typed headers, if the shape has any.
    ///
    /// # Errors
    ///
    /// The headers type is not a flat contract.
    fn write_headers(&self, headers: &mut HeaderMap) -> Result<(), SerializeHeadersError>;
}

#[diagnostic::do_not_recommend]
impl<R: Serialize + Send + Sync> WriteReplyHeaders for R {
    #[inline]
    fn body(&self) -> &R {
        self
    }
    #[inline]
    fn write_headers(&self, _headers: &mut HeaderMap) -> Result<(), SerializeHeadersError> {
        Ok(())
    }
}

impl<H, P> WriteReplyHeaders for Message<H, P>
where
    H: Serialize + Send + Sync,
    P: Serialize + Send + Sync,
{
    fn body(&self) -> &P {
        &self.body
    }
    fn write_headers(&self, headers: &mut HeaderMap) -> Result<(), SerializeHeadersError> {
        headers.insert_typed(&self.headers)
    }
}

/// The reply is encoded by a codec.
#[derive(Debug, Clone, Copy)]
pub struct EncodedReply;

/// The reply leaves as the bytes its type produces.
#[derive(Debug, Clone, Copy)]
pub struct SerializedReply;

/// The schema of the headers a reply writes.
#[doc(hidden)]
pub trait ReplyHeadersSchema<Doc>: ReplyShape {
    /// JSON Schema, where the document wants one.
    fn headers_schema() -> Option<String>;
}

#[diagnostic::do_not_recommend]
impl<R: Serialize + Send + Sync, Doc> ReplyHeadersSchema<Doc> for R {
    fn headers_schema() -> Option<String> {
        None
    }
}

impl<H, P, Doc> ReplyHeadersSchema<Doc> for Message<H, P>
where
    H: Serialize + Send + Sync,
    P: Serialize + Send + Sync,
    Doc: DocState<H>,
{
    fn headers_schema() -> Option<String> {
        Doc::schema()
    }
}

/// What the document says of a reply on this wire.
#[doc(hidden)]
pub trait WireDocs<R: ReplyShape + ?Sized, Doc> {
    /// The type produces its own bytes.
    const SERIALIZED: bool;
    /// JSON Schema of the payload.
    fn payload_schema() -> Option<String>;
    /// JSON Schema of the headers.
    fn headers_schema() -> Option<String>;
}

impl<R, Doc> WireDocs<R, Doc> for EncodedReply
where
    R: ReplyShape + ReplyHeadersSchema<Doc>,
    Doc: DocState<R::Body>,
{
    const SERIALIZED: bool = false;
    fn payload_schema() -> Option<String> {
        <Doc as DocState<R::Body>>::schema()
    }
    fn headers_schema() -> Option<String> {
        <R as ReplyHeadersSchema<Doc>>::headers_schema()
    }
}

impl<R: ReplyShape + ?Sized, Doc> WireDocs<R, Doc> for SerializedReply {
    const SERIALIZED: bool = true;
    fn payload_schema() -> Option<String> {
        None
    }
    fn headers_schema() -> Option<String> {
        None
    }
}

/// The registration form of a reply wire in one input family.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this reply's wire does not mount on this input family: a batch replies with `serde::Serialize` values",
    label = "`{Self}` has no form for `{Fam}` inputs",
    note = "a batch body replies with `Vec<R>` where `R: serde::Serialize`; a reply that produces \
            its own bytes answers single messages only"
)]
pub trait ReplyFormFor<Fam> {
    /// The form without slots.
    type Form;
    /// The form with slots.
    type SlotForm;
}

impl ReplyFormFor<OneByOne> for EncodedReply {
    type Form = forms::Publishing;
    type SlotForm = forms::PublishingOut;
}

impl ReplyFormFor<Batched> for EncodedReply {
    type Form = forms::BatchPublishing;
    type SlotForm = forms::BatchPublishingOut;
}

impl ReplyFormFor<OneByOne> for SerializedReply {
    type Form = forms::RawReply;
    type SlotForm = forms::RawReplyOut;
}

/// The registration form of a body's whole return value.
#[doc(hidden)]
pub trait ReplyRoute<Fam> {
    /// The wire of one reply.
    type Wire: ReplyFormFor<Fam>;
    /// The form without slots.
    type Form;
    /// The form with slots.
    type SlotForm;
}

impl<R> ReplyRoute<OneByOne> for R
where
    R: ReplyShape,
    R::Wire: ReplyFormFor<OneByOne>,
{
    type Wire = R::Wire;
    type Form = <R::Wire as ReplyFormFor<OneByOne>>::Form;
    type SlotForm = <R::Wire as ReplyFormFor<OneByOne>>::SlotForm;
}

impl<R> ReplyRoute<Batched> for Vec<R>
where
    R: ReplyShape,
    R::Wire: ReplyFormFor<Batched>,
{
    type Wire = R::Wire;
    type Form = <R::Wire as ReplyFormFor<Batched>>::Form;
    type SlotForm = <R::Wire as ReplyFormFor<Batched>>::SlotForm;
}

/// One reply of a body's return value.
#[doc(hidden)]
pub trait ReplyItem<Fam> {
    /// The reply.
    type One: ReplyShape;
}

impl<R: ReplyShape> ReplyItem<OneByOne> for R {
    type One = R;
}

impl<R: ReplyShape> ReplyItem<Batched> for Vec<R> {
    type One = R;
}
