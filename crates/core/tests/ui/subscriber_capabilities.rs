// CORE-184, CORE-290
use ruststream_core::{BatchSubscriber, Carries, CarriesBatch};

struct Single;

fn batches<S: BatchSubscriber>() {}
fn carries<M: Carries<f64>>() {}
fn carries_batch<B: CarriesBatch<f64>>() {}

fn main() {
    batches::<Single>();
    carries::<Single>();
    carries_batch::<Single>();
}
