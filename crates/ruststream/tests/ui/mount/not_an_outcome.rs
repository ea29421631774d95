// RUN-202: a return value that says nothing about the delivery
use ruststream::prelude::*;

#[subscriber("parcels")]
async fn weigh(id: &u64) -> String {
    id.to_string()
}

#[subscriber("parcels")]
async fn weigh_all(ids: &[u64]) -> Option<usize> {
    Some(ids.len())
}

fn main() {}
