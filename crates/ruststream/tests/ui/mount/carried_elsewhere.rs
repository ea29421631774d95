// RUN-431, RUN-475, CORE-290, MAC 5.2: a carried type on a subscription that does not carry it
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, SoloCarried};

#[derive(Clone)]
struct Frame;

impl Input for Frame {
    type Axis = SoloCarried<Frame>;
}

#[subscriber("frames")]
async fn on_frame(_frame: &Frame) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_frame);
}

fn main() {}
