//! Does a delivery cost more where a broker has many subscriptions?

use std::hint::black_box;

use ruststream::memory::prelude::*;
use ruststream::runtime::{Handle, subscriber};
use serde::Deserialize;
use tokio::runtime::Runtime;

use crate::harness::{Gate, Live, Service, publish};

#[derive(Debug, Deserialize)]
pub struct Parcel {
    id: u64,
}

/// A body that can be mounted under any number of names.
#[derive(Clone, Copy)]
pub struct Take;

impl Handle<Parcel, (), (), (), Gate> for Take {
    async fn handle(
        &self,
        parcel: &Parcel,
        _: &(),
        ctx: &mut Context<'_, (), Gate>,
    ) -> Result<(), HandlerOutcome> {
        black_box(parcel.id);
        ctx.state().hit();
        Ok(())
    }
}

pub fn names(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("parcels.{n:05}")).collect()
}

pub fn service(runtime: &Runtime, names: &[String]) -> Service {
    Service::start(runtime, |scope| {
        for name in names {
            scope.include(subscriber(name.clone(), Take).build());
        }
    })
}

fn among(runtime: &Runtime, count: usize) -> Live {
    let names = names(count);
    let service = service(runtime, &names);
    service.consuming(move |publisher, messages| {
        for name in names.iter().cycle().take(messages) {
            publish(publisher, name, br#"{"id":1000000}"#, HeaderMap::new());
        }
    })
}

pub fn one(runtime: &Runtime) -> Live {
    among(runtime, 1)
}

pub fn ten(runtime: &Runtime) -> Live {
    among(runtime, 10)
}

pub fn hundred(runtime: &Runtime) -> Live {
    among(runtime, 100)
}

pub fn thousand(runtime: &Runtime) -> Live {
    among(runtime, 1000)
}

/// Two brokers, a subscription each, messages to both in turn.
pub fn two_brokers(runtime: &Runtime) -> Live {
    let (service, to_other) = Service::start_two(runtime, |scope| {
        scope.include(subscriber("parcels", Take).build());
    });
    service.consuming(move |publisher, messages| {
        for message in 0..messages {
            let to = if message % 2 == 0 {
                publisher
            } else {
                &to_other
            };
            publish(to, "parcels", br#"{"id":1000000}"#, HeaderMap::new());
        }
    })
}
