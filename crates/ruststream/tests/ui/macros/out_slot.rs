// MAC-58, MAC-60
use ruststream::{OutMessages, OutSlot};

struct Parcel;
struct Label;

#[derive(OutSlot)]
enum NotAStruct {}

#[derive(OutSlot)]
struct WithFields(u8);

#[derive(OutSlot)]
struct Generic<const N: usize>;

#[derive(OutSlot)]
#[publishes(Parcel, Label, Parcel)]
struct Twice;

#[derive(OutMessages)]
struct NotAnEnum;

#[derive(OutMessages)]
enum TwoInOne {
    Both(Parcel, Label),
}

#[derive(OutMessages)]
enum OneInTwo {
    First(Parcel),
    Second(Parcel),
}

fn main() {}
