//! What a definition says of itself for the generated document.

use std::borrow::Cow;

use crate::docs::OutgoingMessageMetadata;
use crate::input::{
    Axis, Batch, BatchCarried, BatchDeserialized, BatchPair, BatchSet, Solo, SoloCarried,
    SoloDeserialized, SoloPair, SoloSet,
};

/// A type with a JSON Schema for the generated document.
///
/// With the feature `asyncapi` every `schemars::JsonSchema` type is one; without it every type is,
/// and answers nothing.
#[cfg_attr(
    feature = "asyncapi",
    diagnostic::on_unimplemented(
        message = "`{Self}` has no JSON Schema for the generated document: derive `schemars::JsonSchema`",
        label = "a documented registration needs a schema of this type",
        note = "derive it: `#[derive(schemars::JsonSchema)]`",
        note = "or leave the registration out of the schemas: `.undocumented()`"
    )
)]
pub trait Documentable {
    /// The schema as a JSON document.
    #[cfg(feature = "asyncapi")]
    #[must_use]
    fn schema_json() -> Option<String>;
    /// The schema as a JSON document.
    #[cfg(not(feature = "asyncapi"))]
    #[must_use]
    fn schema_json() -> Option<String> {
        None
    }
}

#[cfg(feature = "asyncapi")]
#[diagnostic::do_not_recommend]
impl<T: schemars::JsonSchema + ?Sized> Documentable for T {
    fn schema_json() -> Option<String> {
        crate::docs::schema_json::<T>()
    }
}

#[cfg(not(feature = "asyncapi"))]
impl<T: ?Sized> Documentable for T {}

/// How a documentation state answers for one type.
#[doc(hidden)]
pub trait DocState<T: ?Sized> {
    /// The type's schema, where this state has one.
    fn schema() -> Option<String>;
}

/// The state of a hand-written definition: every type of it has a schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Documented;

/// The state after `.undocumented()`: no schema is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Undocumented;

/// The state of a macro definition: its schemas were probed when it was declared.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Probed;

impl<T: ?Sized + Documentable> DocState<T> for Documented {
    fn schema() -> Option<String> {
        T::schema_json()
    }
}

impl<T: ?Sized> DocState<T> for Undocumented {
    fn schema() -> Option<String> {
        None
    }
}

impl<T: ?Sized> DocState<T> for Probed {
    fn schema() -> Option<String> {
        None
    }
}

/// A registration that `.undocumented()` has not been called on.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this registration is already undocumented: remove the second `.undocumented()`",
    label = "`.undocumented()` is called once",
    note = "drop the second one"
)]
pub trait IsDocumented {}

impl IsDocumented for Documented {}

/// The schemas of one lane.
#[doc(hidden)]
pub trait AxisDocs<A: Axis + ?Sized> {
    /// The payload's schema.
    fn payload_schema() -> Option<String>;
    /// The typed headers' schema.
    #[must_use]
    fn headers_schema() -> Option<String> {
        None
    }
}

macro_rules! schema_of_payload {
    ($($lane:ident [$($bounds:tt)*])+) => {$(
        impl<T: $($bounds)*, Doc: DocState<T>> AxisDocs<$lane<T>> for Doc {
            fn payload_schema() -> Option<String> {
                Doc::schema()
            }
        }
    )+};
}

macro_rules! no_schema {
    ($($lane:ident)+) => {$(
        impl<T: Send + Sync + 'static, Doc> AxisDocs<$lane<T>> for Doc {
            fn payload_schema() -> Option<String> {
                None
            }
        }
    )+};
}

macro_rules! schema_of_pair {
    ($($lane:ident)+) => {$(
        impl<H, P, Doc> AxisDocs<$lane<H, P>> for Doc
        where
            H: Send + Sync + 'static,
            P: Send + Sync + 'static,
            Doc: DocState<P> + DocState<H>,
        {
            fn payload_schema() -> Option<String> {
                <Doc as DocState<P>>::schema()
            }
            fn headers_schema() -> Option<String> {
                <Doc as DocState<H>>::schema()
            }
        }
    )+};
}

schema_of_payload! {
    Solo [Send + Sync + 'static]
    Batch [Send + Sync + 'static]
    SoloCarried [Clone + Send + Sync + 'static]
    BatchCarried [Clone + Send + Sync + 'static]
}
no_schema! { SoloSet BatchSet SoloDeserialized BatchDeserialized }
schema_of_pair! { SoloPair BatchPair }

/// What a definition carries for the document, whichever way it was written.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct Docs {
    /// The operation's description.
    pub description: Option<Cow<'static, str>>,
    /// What the attribute macro read off the types.
    pub probed: Option<Box<ProbedDocs>>,
}

/// What the attribute macro reads off the concrete types of a handler.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct ProbedDocs {
    /// The handler's doc comment.
    pub description: Option<&'static str>,
    /// The payload's schema.
    pub input_schema: Option<String>,
    /// The typed headers' schema.
    pub headers_schema: Option<String>,
    /// The message's name.
    pub message_name: Option<&'static str>,
    /// The message's description.
    pub message_description: Option<&'static str>,
    /// What the handler publishes; `None` reports the slots' own lists.
    pub outgoing: Option<Vec<OutgoingMessageMetadata>>,
}
