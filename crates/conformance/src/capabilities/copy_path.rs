use ruststream_core::{AddressedCopies, BrokerMoves, CopyPath, NamedCopies};

/// Whether this process publishes copies on a copy path, and so whether a copy is to be checked.
#[doc(hidden)]
pub trait CopyPathCheck: CopyPath {
    fn copy_check<Check>(check: Check) -> Option<Check>;
}

impl CopyPathCheck for AddressedCopies {
    fn copy_check<Check>(check: Check) -> Option<Check> {
        Some(check)
    }
}

impl CopyPathCheck for NamedCopies {
    fn copy_check<Check>(check: Check) -> Option<Check> {
        Some(check)
    }
}

impl CopyPathCheck for BrokerMoves {
    fn copy_check<Check>(_check: Check) -> Option<Check> {
        None
    }
}
