//! How much a service takes from its transport before it settles.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use futures_core::Stream;
use futures_util::stream;
use ruststream::prelude::*;
use ruststream::runtime::{BrokerScope, Identity, IntoSource};
use ruststream::{AckError, BrokerMoves, Subscriber, SubscriptionSource};
use tokio::sync::Semaphore;
use tokio::task::yield_now;

use crate::support::{ConnectedYard, Refused, Transport, Yard, service_with};

type Scope<S> = BrokerScope<Yard, Identity, (), S>;

/// Bodies wait here, one permit for each.
type Gate = Arc<Semaphore>;

fn shut() -> Gate {
    Arc::new(Semaphore::new(0))
}

#[subscriber("parcels")]
async fn gated(_id: &u32, ctx: &mut Context<'_, (), Gate>) {
    ctx.state().acquire().await.expect("never closed").forget();
}

#[subscriber("parcels")]
async fn batches(_ids: &[u32], ctx: &mut Context<'_, (), Gate>) {
    ctx.state().acquire().await.expect("never closed").forget();
}

/// A form, the most that it may hold, and its mount.
type Form<S> = (&'static str, usize, fn(&mut Scope<S>));

const FORMS: [Form<Gate>; 6] = [
    ("sequential", 1, |b| drop(b.include(gated))),
    ("workers(2)", 2, |b| {
        drop(b.include(gated.workers(nonzero!(2))));
    }),
    ("workers(2, by_key)", 5, |b| {
        drop(b.include(gated.workers_by_key(nonzero!(2))));
    }),
    ("threads(2)", 18, |b| {
        drop(b.include(gated.threads(nonzero!(2))));
    }),
    ("threads(2, by_key)", 19, |b| {
        drop(b.include(gated.threads_by_key(nonzero!(2))));
    }),
    ("batches of 3 under workers(2)", 6, |b| {
        drop(b.include(batches.batch(nonzero!(3)).workers(nonzero!(2))));
    }),
];

// RUN-221, RUN-222, RUN-230, trap 12
#[tokio::test]
async fn a_transport_never_sees_more_unsettled_deliveries_than_the_form_allows() {
    for (form, bound, mount) in FORMS {
        let (yard, gate) = (Yard::new(Transport::PLAIN), shut());
        yard.send_all("parcels", 0..120);
        let app = service_with(Arc::clone(&gate)).with_broker(yard.clone(), mount);
        let running = app.start().await.expect("starts");

        // While every body waits it takes what it may, and stays there.
        while yard.out() < bound {
            yield_now().await;
        }
        for _ in 0..1_000 {
            yield_now().await;
        }
        assert_eq!(yard.out(), bound, "{form}");

        gate.add_permits(120);
        yard.journal().until_count(120, "ack ").await;
        assert_eq!(yard.most_out(), bound, "{form}");
        running.shutdown().await.expect("stops");
    }
}

#[subscriber("labels")]
async fn free(_id: &u32) {}

// RUN-222
#[tokio::test]
async fn a_body_that_stands_still_stops_its_own_subscription_alone() {
    let (yard, gate) = (Yard::new(Transport::PLAIN), shut());
    yard.send_all("parcels", 0..20);
    yard.send_all("labels", 100..600);
    let app = service_with(Arc::clone(&gate)).with_broker(yard.clone(), |b| {
        b.include(gated);
        b.include(free);
    });
    let running = app.start().await.expect("starts");

    yard.journal().until_count(500, "ack ").await;

    assert_eq!((yard.out(), yard.waiting("parcels").len()), (1, 19));
    gate.add_permits(20);
    running.shutdown().await.expect("stops");
}

/// Large, and there as soon as somebody asks for one.
struct Boulder {
    payload: Vec<u8>,
    quarry: Quarry,
}

const LARGE: usize = 64 * 1024;
const BOULDERS: usize = 2_000;

#[derive(Debug, Clone, Default)]
struct Quarry(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    made: AtomicUsize,
    alive: AtomicUsize,
    most: AtomicUsize,
    gone: tokio::sync::Notify,
}

impl Quarry {
    fn next(&self) -> Option<Boulder> {
        let made = self.0.made.fetch_add(1, Ordering::SeqCst);
        (made < BOULDERS).then(|| {
            let alive = self.0.alive.fetch_add(1, Ordering::SeqCst) + 1;
            self.0.most.fetch_max(alive, Ordering::SeqCst);
            Boulder {
                payload: vec![b' '; LARGE],
                quarry: self.clone(),
            }
        })
    }
}

impl Drop for Boulder {
    fn drop(&mut self) {
        let alive = self.quarry.0.alive.fetch_sub(1, Ordering::SeqCst) - 1;
        if alive == 0 && self.quarry.0.made.load(Ordering::SeqCst) >= BOULDERS {
            self.quarry.0.gone.notify_one();
        }
    }
}

impl IncomingMessage for Boulder {
    fn payload(&self) -> &[u8] {
        &self.payload
    }

    fn headers(&self) -> &HeaderMap {
        static NONE: HeaderMap = HeaderMap::new();
        &NONE
    }

    async fn ack(self) -> Result<(), AckError> {
        Ok(())
    }

    async fn nack(self, _requeue: bool) -> Result<(), AckError> {
        Ok(())
    }
}

struct Blasting(Quarry);

impl Subscriber for Blasting {
    type Message = Boulder;
    type Error = Infallible;

    fn stream(&mut self) -> impl Stream<Item = Result<Boulder, Infallible>> + Send + '_ {
        stream::poll_fn(|_| {
            self.0
                .next()
                .map_or(Poll::Pending, |boulder| Poll::Ready(Some(Ok(boulder))))
        })
    }
}

impl IntoSource for Quarry {
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}

impl SubscriptionSource<ConnectedYard> for Quarry {
    type Subscriber = Blasting;
    type Copies = BrokerMoves;

    fn name(&self) -> &'static str {
        "quarry"
    }

    async fn subscribe(self, _connected: &ConnectedYard) -> Result<Blasting, Refused> {
        Ok(Blasting(self))
    }
}

#[derive(Deserialized)]
struct Bytes<'a>(&'a [u8]);

/// Slower than its stream: others get many turns while it runs.
struct Slow;

impl Handle<Bytes<'_>> for Slow {
    async fn handle(
        &self,
        bytes: &Bytes<'_>,
        (): &(),
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        assert_eq!(bytes.0.len(), LARGE);
        for _ in 0..10 {
            yield_now().await;
        }
        Ok(())
    }
}

type Mount = fn(&mut BrokerScope<Yard>, Quarry);

/// Handles every boulder under a form, and answers how many there were at one time.
async fn most_alive(mount: Mount) -> usize {
    let quarry = Quarry::default();
    let app = crate::support::service()
        .with_broker(Yard::new(Transport::PLAIN), |b| mount(b, quarry.clone()));
    let running = app.start().await.expect("starts");
    quarry.0.gone.notified().await;
    running.shutdown().await.expect("stops");
    quarry.0.most.load(Ordering::SeqCst)
}

// RUN-221, RUN-222
#[test]
fn a_slow_handler_grows_no_memory() {
    let forms: [(&str, usize, Mount); 3] = [
        ("sequential", 1, |b, quarry| {
            drop(b.include(subscriber(quarry, Slow).build()));
        }),
        ("workers(2)", 2, |b, quarry| {
            drop(b.include(subscriber(quarry, Slow).workers(nonzero!(2)).build()));
        }),
        ("workers(2, by_key)", 5, |b, quarry| {
            drop(b.include(subscriber(quarry, Slow).workers_by_key(nonzero!(2)).build()));
        }),
    ];
    for (form, bound, mount) in forms {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let mut most = 0;
        let used = allocation_counter::measure(|| most = runtime.block_on(most_alive(mount)));

        assert!(most <= bound, "{form}: {most} at one time");
        // Room for the service itself beside what it holds.
        let allowed = (bound + 4) * LARGE;
        assert!(used.bytes_max < allowed as u64, "{form}: {used:?}");
    }
}

// RUN-221, RUN-222
#[tokio::test]
async fn a_slow_handler_on_threads_holds_nine_deliveries_for_each() {
    let keyless = most_alive(|b, quarry| {
        drop(b.include(subscriber(quarry, Slow).threads(nonzero!(2)).build()));
    });
    let keyed = most_alive(|b, quarry| {
        drop(b.include(subscriber(quarry, Slow).threads_by_key(nonzero!(2)).build()));
    });

    assert!(keyless.await <= 18);
    assert!(keyed.await <= 19);
}
