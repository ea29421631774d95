//! Who may name a destination: the type-level vocabulary of positions and transforms (PUB-605).

/// Leaves destinations alone; the declared name stands.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reads;

/// Names destinations: a transform that does, or a position that lets one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Names;

/// Whether destinations are named, as a constant.
#[doc(hidden)]
pub trait NamesDestination {
    /// `true` for [`Names`].
    const NAMES: bool;
}

impl NamesDestination for Reads {
    const NAMES: bool = false;
}

impl NamesDestination for Names {
    const NAMES: bool = true;
}

/// What a transform does with destinations, or a position allows: [`Reads`] or [`Names`].
#[doc(hidden)]
pub trait DestinationUse: NamesDestination {}

impl DestinationUse for Reads {}
impl DestinationUse for Names {}

/// A use that fits a position: what it offers, and whether an earlier transform took it.
#[doc(hidden)]
pub trait FitsOffer<Offer, Taken, By> {}

impl<Offer, Taken, By> FitsOffer<Offer, Taken, By> for Reads {}
impl<Offer: NamingOffered<By>, Taken: NamingUntaken, By> FitsOffer<Offer, Taken, By> for Names {}

/// A position that lets a transform name the destination; `By` is what decides it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{By}` does not let a transform name the destination: give the transform `type Destination = Reads`",
    label = "the destination is declared elsewhere",
    note = "a naming transform mounts on a reply whose type leaves its name open, on a slot whose \
            every message does, and on a retry position that names its copies; elsewhere the \
            transform must declare `type Destination = Reads` and leave the name alone"
)]
pub trait NamingOffered<By> {}

impl<By> NamingOffered<By> for Names {}

/// A position on which no transform names the destination yet.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a transform on this position names the destination already: keep one with `type Destination = Names`",
    label = "the right to name the destination is spent",
    note = "compose at most one transform with `type Destination = Names` on a position"
)]
pub trait NamingUntaken {}

impl NamingUntaken for Reads {}

/// A use that fits after what earlier transforms took.
#[doc(hidden)]
pub trait FitsTaken<Taken> {}

impl<Taken> FitsTaken<Taken> for Reads {}
impl<Taken: NamingUntaken> FitsTaken<Taken> for Names {}

/// Names when either side does: what two transforms together do.
#[doc(hidden)]
pub trait Either<Rhs> {
    /// The combined use.
    type Out;
}

impl<Rhs: DestinationUse> Either<Rhs> for Reads {
    type Out = Rhs;
}

impl<Rhs: DestinationUse> Either<Rhs> for Names {
    type Out = Names;
}

/// Names when both sides do: what a set of messages together offers.
#[doc(hidden)]
pub trait Both<Rhs> {
    /// The combined use.
    type Out;
}

impl<Rhs> Both<Rhs> for Reads {
    type Out = Reads;
}

impl Both<Names> for Names {
    type Out = Names;
}

impl Both<Reads> for Names {
    type Out = Reads;
}

/// A copy destination that is known: `Self` is what the position offers, `Stack` what its
/// transforms do.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this registration does not say where its retry copies go: write `.to(\"..\")` after `.out_retry(policy)`",
    label = "its descriptor cannot address copies (`NamedCopies`), and no destination is named",
    note = "name one after `.out_retry(policy)`: `.to(\"parcels.again\")`, or a transform with \
            `type Destination = Names`"
)]
pub trait DestinationSettled<Stack> {}

impl<Stack> DestinationSettled<Stack> for Reads {}
impl DestinationSettled<Names> for Names {}

/// Whether a position and its transforms together know where copies go, as a type.
#[doc(hidden)]
pub trait SettlesDestination<Stack> {
    /// [`DestinationDeclared`] or [`DestinationUndeclared`].
    type Settled;
}

impl<Stack> SettlesDestination<Stack> for Reads {
    type Settled = DestinationDeclared;
}

impl SettlesDestination<Names> for Names {
    type Settled = DestinationDeclared;
}

impl SettlesDestination<Reads> for Names {
    type Settled = DestinationUndeclared;
}

/// The chain says where copies go.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct DestinationDeclared;

/// Nothing in the chain says where copies go.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct DestinationUndeclared;

#[cfg(test)]
mod tests {
    use super::*;

    fn names<Use: DestinationUse>() -> bool {
        Use::NAMES
    }

    // PUB-605
    #[test]
    fn two_transforms_name_when_either_does() {
        assert!(!names::<<Reads as Either<Reads>>::Out>());
        assert!(names::<<Reads as Either<Names>>::Out>());
        assert!(names::<<Names as Either<Reads>>::Out>());
        assert!(names::<<Names as Either<Names>>::Out>());
    }

    // PUB-504
    #[test]
    fn a_set_offers_names_only_when_both_sides_do() {
        assert!(!names::<<Reads as Both<Reads>>::Out>());
        assert!(!names::<<Reads as Both<Names>>::Out>());
        assert!(!names::<<Names as Both<Reads>>::Out>());
        assert!(names::<<Names as Both<Names>>::Out>());
    }

    // PUB-605
    #[test]
    fn a_reading_transform_fits_everywhere_and_a_naming_one_where_it_is_offered_and_free() {
        fn fits<Use: FitsOffer<Offer, Taken, By>, Offer, Taken, By>() {}
        fits::<Reads, Reads, Reads, ()>();
        fits::<Reads, Reads, Names, ()>();
        fits::<Reads, Names, Names, ()>();
        fits::<Names, Names, Reads, ()>();
    }
}
