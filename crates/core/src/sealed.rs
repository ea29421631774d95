//! Closes the vocabularies to this crate. One trait for each, so that the compiler lists the words
//! of the vocabulary at hand.

#[diagnostic::on_unimplemented(
    message = "`{Self}` is no way of retry copies: write `AddressedCopies`, `NamedCopies` or `BrokerMoves`"
)]
pub trait CopyPath {}

#[diagnostic::on_unimplemented(
    message = "`{Self}` is no form of a destination: write `FixedName`, `NameTemplate` or `CallerName`"
)]
pub trait DestinationForm {}

#[diagnostic::on_unimplemented(
    message = "`{Self}` declares no headers: write `WithHeaders<MyHeaders>` or `NoHeaders`"
)]
pub trait HeadersContract {}

#[diagnostic::on_unimplemented(
    message = "`{Self}` is no form of a payload: write `Lend` or `Take`"
)]
pub trait PayloadForm {}
