//! What the expansions of the macros call and no one else does.
//!
//! A [`Probe`] answers a question about a type without demanding that the type can answer: where the
//! bound holds the inherent method is found, otherwise the method of a fallback trait, which the
//! expansion imports without a name. This works on concrete types only; in generic code the
//! fallback wins unless the bound is in scope.

use std::fmt;
use std::marker::PhantomData;

use ruststream_core::{HeadersContract, MessageHeaders, MessageInfo, NoHeaders, WithHeaders};
use ruststream_runtime::{Documentable, Serialized};

/// Errors that the decode of a message set ends with.
pub mod in_messages {
    pub use ruststream_runtime::{
        every_variant_failed, header_missing, header_unknown, no_variant_chosen,
    };
}

/// Asks what `T` has to say about itself.
pub struct Probe<T>(pub PhantomData<T>);

impl<T> Probe<T> {
    /// A probe of `T`.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T> Default for Probe<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for Probe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe").finish_non_exhaustive()
    }
}

impl<T: Documentable> Probe<T> {
    /// The JSON Schema of `T`.
    #[must_use]
    pub fn schema_json(&self) -> Option<String> {
        T::schema_json()
    }
}

impl<T: MessageInfo> Probe<T> {
    /// The name `T` declares.
    #[must_use]
    pub const fn message_name(&self) -> Option<&'static str> {
        Some(T::NAME)
    }

    /// The description `T` declares.
    #[must_use]
    pub const fn message_description(&self) -> Option<&'static str> {
        T::DESCRIPTION
    }
}

impl<T> Probe<T>
where
    T: MessageHeaders,
    T::Contract: ContractSchema,
{
    /// The JSON Schema of the headers `T` declares.
    #[must_use]
    pub fn headers_schema_json(&self) -> Option<String> {
        <T::Contract as ContractSchema>::schema_json()
    }
}

impl<T: Serialized> Probe<T> {
    /// Whether `T` is its own bytes, rather than encoded.
    #[must_use]
    pub const fn serialized_wire(&self) -> bool {
        true
    }
}

/// A headers contract whose type has a JSON Schema.
pub trait ContractSchema: HeadersContract {
    /// The schema; `None` for a contract without headers.
    fn schema_json() -> Option<String>;
}

impl ContractSchema for NoHeaders {
    fn schema_json() -> Option<String> {
        None
    }
}

impl<H: Documentable> ContractSchema for WithHeaders<H> {
    fn schema_json() -> Option<String> {
        H::schema_json()
    }
}

/// The answer of a type without a JSON Schema.
pub trait NoSchemaProbe {
    /// None.
    fn schema_json(&self) -> Option<String> {
        None
    }
}

/// The answer of a type that is no declared message.
pub trait NoMessageProbe {
    /// None.
    fn message_name(&self) -> Option<&'static str> {
        None
    }

    /// None.
    fn message_description(&self) -> Option<&'static str> {
        None
    }
}

/// The answer of a type without a headers contract, or whose headers have no JSON Schema.
pub trait NoHeadersSchemaProbe {
    /// None.
    fn headers_schema_json(&self) -> Option<String> {
        None
    }
}

/// The answer of a type that a codec encodes.
pub trait NoSerializedProbe {
    /// No.
    fn serialized_wire(&self) -> bool {
        false
    }
}

impl<T> NoSchemaProbe for Probe<T> {}
impl<T> NoMessageProbe for Probe<T> {}
impl<T> NoHeadersSchemaProbe for Probe<T> {}
impl<T> NoSerializedProbe for Probe<T> {}

#[cfg(test)]
mod tests {
    #[cfg(feature = "asyncapi")]
    use super::NoSchemaProbe as _;
    use super::{NoHeadersSchemaProbe as _, NoMessageProbe as _, NoSerializedProbe as _, Probe};
    use ruststream_core::{MessageHeaders, MessageInfo, NoHeaders, WithHeaders};

    struct Silent;

    struct Parcel;

    impl MessageInfo for Parcel {
        const NAME: &'static str = "Parcel";
        const DESCRIPTION: Option<&'static str> = Some("One parcel.");
    }

    impl MessageHeaders for Parcel {
        type Contract = WithHeaders<Silent>;
    }

    struct Plain;

    impl MessageHeaders for Plain {
        type Contract = NoHeaders;
    }

    // MAC-38
    #[test]
    fn a_type_that_declares_itself_is_asked() {
        let probe = Probe::<Parcel>::new();
        assert_eq!(probe.message_name(), Some("Parcel"));
        assert_eq!(probe.message_description(), Some("One parcel."));
        assert_eq!(probe.headers_schema_json(), None);
        assert_eq!(Probe::<Plain>::new().headers_schema_json(), None);
    }

    // MAC-38
    #[test]
    fn a_type_that_says_nothing_is_no_error() {
        let probe = Probe::<Silent>::new();
        assert_eq!(probe.schema_json(), None);
        assert_eq!(probe.message_name(), None);
        assert_eq!(probe.message_description(), None);
        assert_eq!(probe.headers_schema_json(), None);
        assert!(!probe.serialized_wire());
    }
}
