// PUB-503, MAC 5.3: a slot that lists what is no message
use ruststream::memory::prelude::*;

struct Label;

#[derive(OutSlot)]
#[publishes(Label)]
struct Audit;

fn main() {}
