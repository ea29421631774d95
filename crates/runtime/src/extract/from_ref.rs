//! Parts of the app's state.

/// A value that is part of the app state `S`.
///
/// With it `State<Self>` is a parameter of bodies in an app of that state. The derive of the same
/// name implements it for every field of a state.
///
/// ```
/// use std::sync::Arc;
/// use ruststream_runtime::FromRef;
///
/// struct Depot { ledger: Arc<Ledger> }
/// struct Ledger;
///
/// impl FromRef<Depot> for Arc<Ledger> {
///     fn from_ref(depot: &Depot) -> Self { Arc::clone(&depot.ledger) }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not part of the app state `{S}`: make the state in `on_startup` and derive `FromRef` on it",
    label = "cannot be taken from `{S}`",
    note = "implement `FromRef<{S}>` for it, or derive `FromRef` on `{S}`, which implements it for the type of every field"
)]
pub trait FromRef<S>: Sized {
    /// Takes the part out of the state, as a rule by cloning a handle.
    fn from_ref(state: &S) -> Self;
}
