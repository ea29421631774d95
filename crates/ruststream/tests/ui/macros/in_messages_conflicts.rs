// MAC-61
use ruststream::{InMessages, MessageInfo};
use serde::Deserialize;

#[derive(Deserialize, MessageInfo)]
struct Parcel;

type Alias = Parcel;

#[derive(InMessages)]
enum ThroughAnAlias {
    First(Parcel),
    Second(Alias),
}

#[derive(InMessages, MessageInfo)]
enum AlsoAMessage {
    Parcel(Parcel),
}

fn main() {}
