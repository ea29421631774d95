// PUB-231, PUB-232, CORE-119: a broker's own step on another broker's publisher
use ruststream::memory::prelude::*;
use ruststream::runtime::{PublishBuilder, PublishSink};
use serde::Serialize;

#[derive(Clone, Default)]
struct CourierOptions {
    urgent: bool,
}

trait CourierPublish {
    fn urgent(self) -> Self;
}

impl<Sink, Body, Enc, Hdrs, Dest> CourierPublish for PublishBuilder<Sink, Body, Enc, Hdrs, Dest>
where
    Sink: PublishSink<Options = CourierOptions>,
{
    fn urgent(mut self) -> Self {
        self.options_mut().get_or_insert_default().urgent = true;
        self
    }
}

#[derive(Serialize, Outgoing)]
struct Label;

async fn publish(publisher: &impl Publisher<Options = ()>) {
    let _ = publisher.message(&Label).urgent().to("labels").publish();
}

fn main() {}
