//! Does a message cost more where its subscription by pattern reads many subjects? Publishing is
//! counted as well.

use ruststream::memory::MemoryPattern;
use ruststream::memory::prelude::*;
use ruststream::runtime::subscriber;
use tokio::runtime::Runtime;

use super::subscriptions::{Take, names};
use crate::harness::{Live, Service, publish};

fn among(runtime: &Runtime, count: usize) -> Live {
    let service = Service::start(runtime, |scope| {
        scope.include(subscriber(MemoryPattern::new("parcels.*"), Take).build());
    });
    let names = names(count);
    service.publishing(move |publisher, messages| {
        for name in names.iter().cycle().take(messages) {
            publish(publisher, name, br#"{"id":1000000}"#, HeaderMap::new());
        }
    })
}

pub fn one(runtime: &Runtime) -> Live {
    among(runtime, 1)
}

pub fn hundred(runtime: &Runtime) -> Live {
    among(runtime, 100)
}

pub fn ten_thousand(runtime: &Runtime) -> Live {
    among(runtime, 10_000)
}
