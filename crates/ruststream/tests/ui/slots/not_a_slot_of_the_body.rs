// RUN-211: a body asks for a slot that it does not declare
use ruststream::memory::prelude::*;

#[derive(OutSlot)]
struct Archive;

#[derive(OutSlot)]
struct Audit;

fn body<A, B>(outs: &Outs<(A, B)>)
where
    A: OutEntry<DefaultSlot>,
    B: OutEntry<Archive>,
{
    let _ = outs.get(Audit);
}

fn main() {}
