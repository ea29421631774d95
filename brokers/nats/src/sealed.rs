/// Keeps a trait to the types of this crate.
pub trait Sealed {}
