//! In steady state a delivery costs the framework no allocation on whatever thread it is handled.
//!
//! The counter is that of the whole process, so there is one test, and nothing runs beside it. As in
//! `steady_state`, what a run of n and one of 2n messages allocate is compared.
#![cfg(all(feature = "macros", feature = "json"))]

use std::alloc::System;

use ruststream::prelude::*;
use ruststream::runtime::{App, BlanketLayer, Handler};
use serde::Deserialize;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[path = "support/feed.rs"]
mod feed;

use feed::Feed;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const MESSAGES: usize = 500;

/// Allocations of so many messages more, on all threads.
fn allocations_of<A: App>(build: impl FnOnce(Feed) -> A) -> i64 {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let feed = Feed::default();
    let gauge = feed.0.clone();
    let running = runtime.block_on(build(feed).start()).expect("starts");
    let measured = |messages| {
        let region = Region::new(ALLOCATOR);
        runtime.block_on(gauge.run(messages));
        let change = region.change();
        i64::try_from(change.allocations + change.reallocations).unwrap_or(i64::MAX)
    };
    // Buffers grow once, as soon as the deepest queue was seen.
    measured(4 * MESSAGES);
    let more = (0..4).map(|_| {
        let once = measured(MESSAGES);
        measured(2 * MESSAGES) - once
    });
    // What costs one allocation a message costs it every time.
    let least = more.min().unwrap_or_default().max(0);
    runtime.block_on(running.shutdown()).expect("stops");
    least
}

#[derive(Debug, Deserialize)]
struct Parcel {
    id: u64,
    grams: u32,
}

#[subscriber("parcels")]
async fn handled(parcel: &Parcel) -> HandlerOutcome {
    if parcel.grams == 900 && parcel.id == 41 {
        HandlerOutcome::ack()
    } else {
        HandlerOutcome::drop()
    }
}

#[subscriber("parcels")]
async fn handled_batches(parcels: &[Parcel]) -> HandlerOutcome {
    if parcels.iter().all(|parcel| parcel.grams == 900) {
        HandlerOutcome::ack()
    } else {
        HandlerOutcome::drop()
    }
}

/// A layer that passes everything on.
#[derive(Debug, Clone, Copy)]
struct Through;

struct Passing<H>(H);

impl<M: Sync, C: Send, S: Send + Sync, H: Handler<M, C, S>> Handler<M, C, S> for Passing<H> {
    async fn handle(&self, message: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        self.0.handle(message, ctx).await
    }
}

impl BlanketLayer for Through {
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        Passing(handler)
    }
}

macro_rules! check {
    ($($form:literal: $definition:expr;)+) => {$(
        let service = || RustStream::new(AppInfo::new("steady", "1.0.0"));
        let bare = allocations_of(|feed| {
            service().with_broker(feed, |b| drop(b.include($definition)))
        });
        let layered = allocations_of(|feed| {
            service()
                .layer(Through)
                .layer(Through)
                .layer(Through)
                .layer(Through)
                .with_broker(feed, |b| drop(b.include($definition)))
        });
        assert_eq!((bare, layered), (0, 0), "{}: bare, and with four layers", $form);
    )+};
}

// CORE-260, RUN-263
#[test]
fn a_delivery_more_allocates_nothing_on_any_thread() {
    check! {
        "sequential": handled;
        "workers(4)": handled.workers(nonzero!(4));
        "workers(4, by_key)": handled.workers_by_key(nonzero!(4));
        "threads(2)": handled.threads(nonzero!(2));
        "threads(2, by_key)": handled.threads_by_key(nonzero!(2));
        "batches": handled_batches.batch(nonzero!(50));
        "batches under threads(2)": handled_batches.batch(nonzero!(50)).threads(nonzero!(2));
    }
}
