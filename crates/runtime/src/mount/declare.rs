//! Declaring the retry cap and the dead-letter destination, each once, before `out_retry`.

use std::borrow::Cow;
use std::num::NonZeroU32;

use super::last::{StepOpen, StepTaken};
use super::positions::{Absent, Positions, Present, Retried, Unretried};

/// `max_attempts(..)` may still be written.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`max_attempts(..)` has nothing to declare here: write it once, before `.out_retry(..)`",
    label = "the cap is declared already, or `.out_retry(..)` stands before it",
    note = "write it once, before `.out_retry(policy)`"
)]
pub trait CapOpen {}

/// `dead_letter(..)` may still be written.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`dead_letter(..)` has nothing to declare here: write it once, before `.out_retry(..)`",
    label = "the destination is declared already, or `.out_retry(..)` stands before it",
    note = "write it once, before `.out_retry(policy)`"
)]
pub trait DeadLetterOpen {}

impl CapOpen for StepOpen {}
impl DeadLetterOpen for StepOpen {}

/// Declares the cap.
#[doc(hidden)]
pub trait DeclareCap {
    /// [`StepOpen`] where the step means something.
    type Step;
    /// The positions after the step.
    type Out;
    /// Declares it.
    fn declare_cap(self, attempts: NonZeroU32) -> Self::Out;
}

/// Declares the dead-letter destination.
#[doc(hidden)]
pub trait DeclareDeadLetter {
    /// [`StepOpen`] where the step means something.
    type Step;
    /// The positions after the step.
    type Out;
    /// Declares it.
    fn declare_dead_letter(self, destination: Cow<'static, str>) -> Self::Out;
}

impl<Rep, Slots, Dead, Wrap> DeclareCap for Positions<Rep, Slots, Unretried<Absent, Dead>, Wrap> {
    type Step = StepOpen;
    type Out = Positions<Rep, Slots, Unretried<Present, Dead>, Wrap>;
    fn declare_cap(self, attempts: NonZeroU32) -> Self::Out {
        self.map_retry(|declared| declared.capped(attempts))
    }
}

impl<Rep, Slots, Cap, Wrap> DeclareDeadLetter
    for Positions<Rep, Slots, Unretried<Cap, Absent>, Wrap>
{
    type Step = StepOpen;
    type Out = Positions<Rep, Slots, Unretried<Cap, Present>, Wrap>;
    fn declare_dead_letter(self, destination: Cow<'static, str>) -> Self::Out {
        self.map_retry(|declared| declared.dead_lettered(destination))
    }
}

macro_rules! taken {
    ($([$($g:ident),*] $ret:ty: $trait:ident, $method:ident($ty:ty);)+) => {$(
        impl<Rep, Slots, Wrap, $($g),*> $trait for Positions<Rep, Slots, $ret, Wrap> {
            type Step = StepTaken;
            type Out = Self;
            fn $method(self, _value: $ty) -> Self {
                self
            }
        }
    )+};
}

taken! {
    [Dead] Unretried<Present, Dead>: DeclareCap, declare_cap(NonZeroU32);
    [Cap] Unretried<Cap, Present>: DeclareDeadLetter, declare_dead_letter(Cow<'static, str>);
    [Attachment, Dest] Retried<Attachment, Dest>: DeclareCap, declare_cap(NonZeroU32);
    [Attachment, Dest] Retried<Attachment, Dest>: DeclareDeadLetter, declare_dead_letter(Cow<'static, str>);
}
