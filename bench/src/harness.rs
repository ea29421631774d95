//! A started service, a way to fill its queues, and a way to see them drained.

use std::any::Any;
use std::convert::Infallible;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ruststream::OutgoingMessage;
use ruststream::memory::MemoryPublisher;
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Identity};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;

/// Counts handled deliveries down; whoever drives is woken once, at the last one.
#[derive(Clone, Default)]
pub struct Gate(Arc<(AtomicUsize, Notify, AtomicUsize)>);

impl Gate {
    pub fn arm(&self, deliveries: usize) {
        self.0.0.store(deliveries, Ordering::Release);
    }

    #[inline]
    pub fn hit(&self) {
        if self.0.0.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.1.notify_one();
        }
    }

    /// Counts each message twice, for handlers that have it delivered once more.
    pub fn arm_twice(&self, messages: usize) {
        self.0.2.store(messages, Ordering::Relaxed);
        self.arm(2 * messages);
    }

    /// As [`hit`](Self::hit); whether it is one of the first half.
    #[inline]
    pub fn hit_first_half(&self) -> bool {
        self.hit();
        let left = self.0.2.load(Ordering::Relaxed);
        self.0.2.store(left.saturating_sub(1), Ordering::Relaxed);
        left > 0
    }

    pub async fn done(&self) {
        while self.0.0.load(Ordering::Acquire) > 0 {
            self.0.1.notified().await;
        }
    }
}

type Step = Box<dyn FnMut(&Runtime, usize)>;

/// What a scenario hands over. `fill` prepares messages and is not counted, `drive` is.
pub struct Live {
    pub fill: Step,
    pub drive: Step,
    /// Whatever lives as long as the service.
    pub _keep: Box<dyn Any>,
}

pub type Scope = BrokerScope<MemoryBroker, Identity, (), Gate>;

/// A service on the memory broker, whose state is the gate.
pub struct Service {
    pub gate: Gate,
    pub broker: MemoryBroker,
    pub running: Box<dyn Any>,
}

impl Service {
    pub fn start(runtime: &Runtime, mount: impl FnOnce(&mut Scope)) -> Self {
        let gate = Gate::default();
        let broker = MemoryBroker::new();
        let state = gate.clone();
        let app = RustStream::new(AppInfo::new("bench", "0.0.0"))
            .on_startup(async move |()| Ok::<_, Infallible>(state))
            .with_broker(broker.clone(), mount);
        let running = Box::new(runtime.block_on(app.start()).expect("starts"));
        Self {
            gate,
            broker,
            running,
        }
    }

    /// Two brokers in one application, which `mount` serves alike.
    pub fn start_two(runtime: &Runtime, mount: impl Fn(&mut Scope)) -> (Self, MemoryPublisher) {
        let gate = Gate::default();
        let (broker, other) = (MemoryBroker::new(), MemoryBroker::new());
        let (state, to_other) = (gate.clone(), other.publisher());
        let app = RustStream::new(AppInfo::new("bench", "0.0.0"))
            .on_startup(async move |()| Ok::<_, Infallible>(state))
            .with_broker(broker.clone(), &mount)
            .with_broker(other, &mount);
        let running = Box::new(runtime.block_on(app.start()).expect("starts"));
        let service = Self {
            gate,
            broker,
            running,
        };
        (service, to_other)
    }

    /// Draining the queues is counted, filling them is not.
    pub fn consuming(self, fill: impl Fn(&MemoryPublisher, usize) + 'static) -> Live {
        let (publisher, armed, gate) = (self.broker.publisher(), self.gate.clone(), self.gate);
        Live {
            fill: Box::new(move |_, messages| {
                armed.arm(messages);
                fill(&publisher, messages);
            }),
            drive: Box::new(move |runtime, _| runtime.block_on(gate.done())),
            _keep: self.running,
        }
    }

    /// Filling the queues is counted as well.
    pub fn publishing(self, fill: impl Fn(&MemoryPublisher, usize) + 'static) -> Live {
        let (publisher, gate) = (self.broker.publisher(), self.gate);
        Live {
            fill: Box::new(|_, _| {}),
            drive: Box::new(move |runtime, messages| {
                gate.arm(messages);
                fill(&publisher, messages);
                runtime.block_on(gate.done());
            }),
            _keep: self.running,
        }
    }
}

/// Publishes one message; the memory broker has done it when it is first polled.
pub fn publish(to: &MemoryPublisher, name: &str, payload: &[u8], headers: HeaderMap) {
    let message = OutgoingMessage::new(name, payload).with_headers(headers);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let published = std::pin::pin!(to.publish(message, None)).poll(&mut context);
    assert!(published.is_ready(), "the memory broker does not wait");
}

/// The one frame that callgrind's toggle names.
#[inline(never)]
pub fn measured_region(run: &mut dyn FnMut()) {
    run();
    // Keeps this frame from becoming a tail call.
    black_box(1_u32);
}

pub fn runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}
