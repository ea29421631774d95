// RUN-114, PUB-405, CORE-273: a broker's own words over a policy, on every position and surface
use ruststream::PairError;
use ruststream::memory::prelude::*;
use ruststream::memory::{ConnectedMemoryBroker, MemoryPublisher};
use serde::Serialize;

#[derive(Clone, Default)]
struct Expect {
    stream: Option<String>,
}

impl Expect {
    fn stream(mut self, name: String) -> Self {
        self.stream = Some(name);
        self
    }
}

impl PublishPolicy<ConnectedMemoryBroker> for Expect {
    type Live = MemoryPublisher;

    async fn pair(self, connected: &ConnectedMemoryBroker) -> Result<MemoryPublisher, PairError> {
        println!("expects {:?}", self.stream);
        Ok(connected.publisher())
    }
}

trait ExpectWords {
    fn stream(self, name: impl Into<String>) -> Self;
}

impl<T: MapPublisher<Policy = Expect>> ExpectWords for T {
    fn stream(self, name: impl Into<String>) -> Self {
        self.map_publisher(|policy| policy.stream(name.into()))
    }
}

#[derive(Serialize, Outgoing)]
struct Label;

#[derive(Serialized, Outgoing)]
#[outgoing(name = "frames")]
struct Frame(Vec<u8>);

#[subscriber("parcels", reply("labels"))]
async fn label(_id: &u64) -> Label {
    Label
}

#[subscriber("parcels", reply)]
async fn frame(_id: &u64) -> Frame {
    Frame(Vec::new())
}

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl Publisher>) {}

fn main() {
    let _ = Router::<MemoryBroker>::new()
        .include(label)
        .out_reply(Expect::default())
        .stream("LABELS")
        .out_retry(Expect::default())
        .stream("AGAIN")
        .stream("LATER")
        .build()
        .include(forward)
        .out(DefaultSlot, Expect::default())
        .stream("AUDIT")
        .build();
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
        b.include(label)
            .out_reply(Expect::default())
            .stream("LABELS");
        b.include(frame)
            .out_reply(Expect::default())
            .stream("FRAMES");
        b.include(label)
            .out_retry(Expect::default())
            .stream("AGAIN")
            .to("parcels.again")
            .stream("LATER");
        b.include(forward)
            .out(DefaultSlot, Expect::default())
            .stream("AUDIT")
            .build();
    });
}
