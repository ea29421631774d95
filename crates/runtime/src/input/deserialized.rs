//! Inputs that build themselves from the payload bytes, without a codec.

use std::error::Error;
use std::fmt::Display;

/// A value built straight from a delivery's payload bytes (CORE-223, RUN-192).
///
/// No codec runs and nothing is copied: [`Output`](Deserialized::Output) may borrow the payload.
/// The derive of the same name writes this for a view over `&[u8]` and for types with a decode
/// function of their own.
///
/// ```
/// use std::convert::Infallible;
/// use ruststream_runtime::{Deserialized, Input, SoloDeserialized};
///
/// struct Frame<'a>(&'a [u8]);
///
/// impl Deserialized for Frame<'_> {
///     type Output<'a> = Frame<'a>;
///     type Error = Infallible;
///     fn from_payload(payload: &[u8]) -> Result<Frame<'_>, Infallible> {
///         Ok(Frame(payload))
///     }
/// }
///
/// impl Input for Frame<'_> {
///     type Axis = SoloDeserialized<Frame<'static>>;
/// }
/// ```
pub trait Deserialized: Sized {
    /// The value as the body sees it, for as long as the payload lives.
    type Output<'a>: Send + Sync;
    /// Why a payload makes no value; shown in the decode-failure log.
    type Error: Display;
    /// Builds the value.
    ///
    /// # Errors
    ///
    /// A failure is a decode failure of the delivery: the decode policy settles it and the body
    /// does not run.
    fn from_payload(payload: &[u8]) -> Result<Self::Output<'_>, Self::Error>;
}

/// What a decode function named by `#[wire(decode = ..)]` may return.
#[doc(hidden)]
pub trait DecodeOutcome<T> {
    /// The value, or the function's own error, boxed.
    ///
    /// # Errors
    ///
    /// The decode function's error.
    fn finish(self) -> Result<T, Box<dyn Error + Send + Sync>>;
}

impl<T, E: Error + Send + Sync + 'static> DecodeOutcome<T> for Result<T, E> {
    fn finish(self) -> Result<T, Box<dyn Error + Send + Sync>> {
        self.map_err(Into::into)
    }
}
