//! What is measured; each case in its three forms.

mod core_consume;
mod core_publish;
mod request;
mod stream_consume;
mod stream_publish;

use std::pin::Pin;

use ruststream::runtime::BrokerScope;
use ruststream_nats::prelude::*;

use crate::clock::Took;
use crate::message::options;

/// Who does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contestant {
    /// A loop over the client.
    Raw,
    /// A loop over the crate's subscriptions and publishers.
    Crate,
    /// A service.
    Service,
}

impl Contestant {
    pub const ALL: [Self; 3] = [Self::Raw, Self::Crate, Self::Service];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Crate => "crate",
            Self::Service => "service",
        }
    }

    pub fn named(name: &str) -> Self {
        let found = Self::ALL.into_iter().find(|one| one.name() == name);
        found.expect("raw, crate or service")
    }
}

/// One run.
pub struct Run {
    pub url: String,
    pub messages: u64,
    pub contestant: Contestant,
}

type Running = Pin<Box<dyn Future<Output = Took>>>;

pub struct Case {
    pub name: &'static str,
    pub messages: u64,
    pub run: fn(Run) -> Running,
}

/// Those of the table, in its order.
pub const ALL: [Case; 10] = [
    Case {
        name: "core-consume",
        messages: 200_000,
        run: |run| Box::pin(core_consume::run(run, 32)),
    },
    Case {
        name: "core-consume-1k",
        messages: 100_000,
        run: |run| Box::pin(core_consume::run(run, 1024)),
    },
    Case {
        name: "stream-consume",
        messages: 50_000,
        run: |run| Box::pin(stream_consume::run(run, 32)),
    },
    Case {
        name: "stream-consume-1k",
        messages: 50_000,
        run: |run| Box::pin(stream_consume::run(run, 1024)),
    },
    Case {
        name: "stream-batches",
        messages: 50_000,
        run: |run| Box::pin(stream_consume::batches(run)),
    },
    Case {
        name: "core-publish",
        messages: 200_000,
        run: |run| Box::pin(core_publish::run(run)),
    },
    Case {
        name: "stream-publish",
        messages: 5_000,
        run: |run| Box::pin(stream_publish::run(run, 1)),
    },
    Case {
        name: "stream-publish-64",
        messages: 50_000,
        run: |run| Box::pin(stream_publish::run(run, 64)),
    },
    Case {
        name: "request",
        messages: 10_000,
        run: |run| Box::pin(request::run(run, 1)),
    },
    Case {
        name: "request-32",
        messages: 50_000,
        run: |run| Box::pin(request::run(run, 32)),
    },
];

pub fn named(name: &str) -> &'static Case {
    let found = ALL.iter().find(|case| case.name == name);
    found.unwrap_or_else(|| panic!("no case is named {name}"))
}

/// The client, by itself.
async fn client(url: &str) -> async_nats::Client {
    Box::pin(options().connect(url)).await.expect("connects")
}

fn broker(url: &str) -> NatsBroker {
    NatsBroker::new(url).with_options(options())
}

async fn connected(url: &str) -> ruststream_nats::ConnectedNatsBroker {
    ruststream::Broker::connect(broker(url))
        .await
        .expect("connects")
}

async fn serve(url: &str, mount: impl FnOnce(&mut BrokerScope<NatsBroker>)) -> impl Sized {
    RustStream::new(AppInfo::new("bench", "0.0.0"))
        .with_broker(broker(url), mount)
        .start()
        .await
        .expect("starts")
}
