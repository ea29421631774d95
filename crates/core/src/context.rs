/// A key that reads one value out of the context `Src`, borrowing from it if it likes.
///
/// Keys are zero-sized types, resolved at compile time: a key that does not apply to a context does
/// not compile.
///
/// # Examples
///
/// ```
/// use ruststream_core::{ContextField, Field};
///
/// struct CourierContext {
///     depot: String,
/// }
///
/// #[derive(Default)]
/// struct Depot;
///
/// impl Field<CourierContext> for Depot {
///     type Value<'a> = &'a str;
///
///     fn get(self, src: &CourierContext) -> &str {
///         &src.depot
///     }
/// }
///
/// // The owned half, for the `Ctx<Depot>` extractor.
/// impl ContextField for Depot {
///     type Context = CourierContext;
///     type Value = String;
///
///     fn read(self, src: &CourierContext) -> String {
///         src.depot.clone()
///     }
/// }
///
/// let context = CourierContext { depot: "north".into() };
/// assert_eq!(Depot.get(&context), Depot.read(&context));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key of the context `{Src}`: take one that the crate of this broker documents",
    label = "`{Src}` has nothing under this key",
    note = "a context has the keys that its broker's crate documents for it; that of a batch has those of the subscription alone"
)]
pub trait Field<Src: ?Sized> {
    /// What the key reads.
    type Value<'a>
    where
        Src: 'a;

    /// Reads it.
    fn get(self, src: &Src) -> Self::Value<'_>;
}

/// A key whose value is owned, for an extractor that is bound before the body runs.
///
/// It names its context, so that a handler's context type follows from the keys it reads.
pub trait ContextField: Default {
    /// The context it reads.
    type Context;

    /// What it reads.
    type Value: Send + 'static;

    /// Reads it.
    fn read(self, src: &Self::Context) -> Self::Value;
}

/// A key that can also be written: scratch space of one delivery.
pub trait FieldMut<Src: ?Sized>: Field<Src> {
    /// What is written.
    type Owned;

    /// Writes it.
    fn set(self, src: &mut Src, value: Self::Owned);
}

/// A context built from each delivery.
///
/// It owns what it holds and is built afresh every time, so that nothing written to it reaches the
/// next delivery. `()` is the context of a broker that has nothing to offer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a context of the delivery `{M}`: take `()`, or the one of this broker's crate",
    label = "this subscription builds no `{Self}`",
    note = "take the context type that the broker's crate documents for this subscription, or `()`"
)]
pub trait BuildContext<M: ?Sized> {
    /// The context of `msg`.
    fn build(msg: &M) -> Self;
}

/// A context built once for each batch, from its first delivery (or from the batch itself where the
/// batch carries values).
///
/// It holds only what belongs to the whole subscription, such as a seeker.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a context of batches of `{M}`: take `()`, or the one of this broker's crate",
    label = "this subscription builds no `{Self}`",
    note = "take the batch context type that the broker's crate documents for this subscription, or `()`"
)]
pub trait BuildBatchContext<M: ?Sized> {
    /// The context of the batch that begins with `first`.
    fn build(first: &M) -> Self;
}

impl<M: ?Sized> BuildContext<M> for () {
    fn build(_msg: &M) -> Self {}
}

impl<M: ?Sized> BuildBatchContext<M> for () {
    fn build(_first: &M) -> Self {}
}
