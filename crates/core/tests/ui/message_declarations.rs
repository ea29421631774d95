// CORE-200, CORE-290
use ruststream_core::{IntoSource, MessageHeaders, OutgoingDestination};

struct Undeclared;

fn headers<T: MessageHeaders>() {}
fn destination<T: OutgoingDestination>() {}
fn source(_: impl IntoSource) {}

fn main() {
    headers::<Undeclared>();
    destination::<Undeclared>();
    source(Undeclared);
}
