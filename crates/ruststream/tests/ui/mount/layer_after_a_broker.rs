// RUN-012, MAC 5.2: layers and state are named before the first broker
use ruststream::memory::prelude::*;
use ruststream::runtime::layers::TracingLayer;

fn main() {
    let app =
        RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |_| {});
    let _ = app.layer(TracingLayer::default());
}
