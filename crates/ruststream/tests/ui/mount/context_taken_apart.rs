// CORE-194: what a broker's context holds may grow, so nobody else takes it apart
use ruststream::memory::prelude::*;

fn batch(context: MemoryBatchContext) {
    let MemoryBatchContext {} = context;
}

fn delivery(context: MemoryContext) {
    let MemoryContext {} = context;
}

fn main() {}
