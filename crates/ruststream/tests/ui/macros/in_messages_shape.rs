// MAC-65
use ruststream::InMessages;

struct Parcel;
struct View<'a>(&'a [u8]);

#[derive(InMessages)]
struct NotAnEnum;

#[derive(InMessages)]
enum Generic<T> {
    Model(T),
}

#[derive(InMessages)]
enum Empty {}

#[derive(InMessages)]
enum UnitVariant {
    Model,
}

#[derive(InMessages)]
enum Borrowed {
    Model(View<'static>),
}

#[derive(InMessages)]
enum Twice {
    First(Parcel),
    Second(Parcel),
}

fn main() {}
