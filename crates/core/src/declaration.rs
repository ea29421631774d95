use std::marker::PhantomData;

use crate::sealed;

/// What a message type is called, and what it is, for documents and metadata.
///
/// Derived with `#[derive(MessageInfo)]` or `#[derive(Outgoing)]`.
pub trait MessageInfo {
    /// The name of the message.
    const NAME: &'static str;

    /// The description, from the type's doc comment.
    const DESCRIPTION: Option<&'static str> = None;
}

/// Which headers a message type has to be published with.
///
/// Derived with `#[derive(MessageInfo)]` or `#[derive(Outgoing)]`, from `#[message(headers(..))]`
/// and `#[outgoing(headers(..))]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not declare its headers: derive `Outgoing`, or `MessageInfo`",
    label = "not a declared message",
    note = "derive `Outgoing` (or `MessageInfo`) on `{Self}`; wrap a foreign type in a newtype of your own"
)]
pub trait MessageHeaders {
    /// [`NoHeaders`], or [`WithHeaders<H>`] for exactly an `H`.
    type Contract: HeadersContract;
}

/// The header contract of a message: [`NoHeaders`] or [`WithHeaders`].
pub trait HeadersContract: sealed::HeadersContract {}

/// The message needs no headers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct NoHeaders;

/// The message is published with the headers `H`, and does not compile without them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct WithHeaders<H>(PhantomData<fn() -> H>);

/// Where a message type is published.
///
/// Derived with `#[derive(Outgoing)]`.
///
/// | [`Form`](Self::Form) | [`DESTINATION`](Self::DESTINATION) | [`PARAMETERS`](Self::PARAMETERS) | At the call site |
/// |---|---|---|---|
/// | [`FixedName`] | the name | empty | no `to(..)` |
/// | [`NameTemplate`] | text with `{segment}`s | the segments in order | `to()` opens a setter per segment |
/// | [`CallerName`] | empty | empty | `to("..")` is required |
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not declare its destination: derive `Outgoing`",
    label = "not a declared message",
    note = "derive `Outgoing` on `{Self}`; wrap a foreign type in a newtype of your own"
)]
pub trait OutgoingDestination {
    /// Who says the destination.
    type Form: DestinationForm;

    /// The name or the template.
    const DESTINATION: &'static str = "";

    /// The segments of the template, in order of appearance.
    const PARAMETERS: &'static [&'static str] = &[];
}

/// Who says the destination of a message: [`FixedName`], [`NameTemplate`] or [`CallerName`].
pub trait DestinationForm: sealed::DestinationForm + Default {}

/// The message type says the whole name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct FixedName;

/// The message type says a template, the call site its segments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct NameTemplate;

/// The call site says the name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CallerName;

impl sealed::HeadersContract for NoHeaders {}
impl HeadersContract for NoHeaders {}

impl<H> sealed::HeadersContract for WithHeaders<H> {}
impl<H> HeadersContract for WithHeaders<H> {}

impl sealed::DestinationForm for FixedName {}
impl DestinationForm for FixedName {}

impl sealed::DestinationForm for NameTemplate {}
impl DestinationForm for NameTemplate {}

impl sealed::DestinationForm for CallerName {}
impl DestinationForm for CallerName {}

// The orphan rule keeps users from declaring these two, so they come declared.
impl<T> MessageHeaders for Vec<T> {
    type Contract = NoHeaders;
}

impl MessageHeaders for String {
    type Contract = NoHeaders;
}

impl<T> OutgoingDestination for Vec<T> {
    type Form = CallerName;
}

impl OutgoingDestination for String {
    type Form = CallerName;
}
