// MAC-65
use ruststream::InMessages;
use serde::Deserialize;

#[derive(Deserialize)]
struct Undescribed;

#[derive(InMessages)]
enum Set {
    Model(Undescribed),
}

fn main() {}
