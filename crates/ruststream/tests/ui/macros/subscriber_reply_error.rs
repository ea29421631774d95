// MAC-25, RUN-202: a reply's error says what becomes of the message
use ruststream::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn read(_id: &u64) -> Result<Label, std::io::Error> {
    Ok(Label)
}

#[subscriber("parcels", reply("labels"))]
async fn read_many(_ids: &[u64]) -> Result<Vec<Label>, Box<dyn std::error::Error>> {
    Ok(Vec::new())
}

fn main() {}
