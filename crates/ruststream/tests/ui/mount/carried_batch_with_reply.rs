// RUN-434, RUN-200, CORE-183, MAC 5.2: a batch of carried values takes neither a reply nor slots
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;
use serde::Serialize;
use support::{Camera, Frame};

#[path = "../support.rs"]
mod support;

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber(Camera::new("frames"), reply("labels"))]
async fn label(frames: &[Frame]) -> Vec<Label> {
    frames.iter().map(|_| Label).collect()
}

#[subscriber(Camera::new("frames"))]
async fn forward(_frames: &[Frame], Out(_out): Out<impl Publisher>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label.batch(nonzero!(8)));
    b.include(forward.batch(nonzero!(8)))
        .out(DefaultSlot, Publish)
        .build();
}

fn main() {}
