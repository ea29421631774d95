/// A delivery that holds a value already read, which a handler over `&T` sees in place.
#[diagnostic::on_unimplemented(
    message = "the delivery `{Self}` does not carry `{T}`: mount it on a source that does, or derive `serde::Deserialize`",
    label = "the handler reads a carried `{T}`",
    note = "mount it on a source whose deliveries carry this type, or make the type `Deserialize` and read it by a codec"
)]
pub trait Carries<T> {
    /// The value; `None` when it is gone, which settles the delivery as a decode failure.
    fn carried(&self) -> Option<&T>;
}

/// A batch that holds the values of its deliveries as one slice.
#[diagnostic::on_unimplemented(
    message = "the batch `{Self}` does not lend batches of `{T}`: mount it on a source that does, or derive `serde::Deserialize`",
    label = "the handler reads a slice of carried `{T}`",
    note = "mount it on a source whose batches carry this type, or make the type `Deserialize` and read it by a codec"
)]
pub trait CarriesBatch<T> {
    /// The values: the `i`-th belongs to the `i`-th delivery.
    ///
    /// Deliveries without a value come last in the batch, past the end of this slice.
    fn carried(&self) -> &[T];
}
