// RUN-431, RUN-475, CORE-290, MAC 5.2: batches of a carried type, where none are lent
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, SoloCarried};

#[derive(Clone)]
struct Frame;

impl Input for Frame {
    type Axis = SoloCarried<Frame>;
}

#[subscriber("frames")]
async fn on_frames(_frames: &[Frame]) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_frames.batch(nonzero!(8)));
}

fn main() {}
