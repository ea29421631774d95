//! A broker that keeps a journal, and registrations by hand.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use futures_util::future::pending;
use ruststream_core::{
    Broker, ConnectedBroker, DescribeServer, PairError, PublishPolicy, ServerSpec,
};

use super::builder::{RustStream, Setup};
use super::info::AppInfo;
use super::registration::{BoxError, DispatchLoop, Opening, Registration};
use super::scope::BrokerScope;
use super::service::Service;
use crate::docs::HandlerMetadata;
use crate::layers::Identity;
use crate::publish::PublishIdentity;

/// What happened, in order.
#[derive(Clone, Default)]
pub(crate) struct Journal(Arc<Mutex<Vec<String>>>);

impl Journal {
    pub(crate) fn note(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    /// The lines since the last look.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    /// A hook that notes `line`.
    pub(crate) fn hook<State>(
        &self,
        line: &'static str,
    ) -> impl FnOnce(Arc<State>) -> std::future::Ready<Result<(), Infallible>> + Send + 'static
    {
        let journal = self.clone();
        move |_state| {
            journal.note(line);
            std::future::ready(Ok(()))
        }
    }

    /// Notes `line` when it is dropped.
    pub(crate) fn at_drop(&self, line: impl Into<String>) -> AtDrop {
        AtDrop(self.clone(), line.into())
    }
}

pub(crate) struct AtDrop(Journal, String);

impl Drop for AtDrop {
    fn drop(&mut self) {
        self.0.note(std::mem::take(&mut self.1));
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the depot refuses to {0}")]
pub(crate) struct Refused(pub(crate) &'static str);

/// A broker of the tests.
pub(crate) struct Depot {
    name: &'static str,
    journal: Journal,
    refused: &'static str,
}

impl Depot {
    pub(crate) fn new(name: &'static str, journal: &Journal) -> Self {
        Self {
            name,
            journal: journal.clone(),
            refused: "",
        }
    }

    /// Fails at `step`: `connect` or `shut down`.
    pub(crate) fn refusing(self, step: &'static str) -> Self {
        Self {
            refused: step,
            ..self
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.name
    }
}

impl Broker for Depot {
    type Error = Refused;
    type Connected = ConnectedDepot;

    async fn connect(self) -> Result<ConnectedDepot, Refused> {
        if self.refused == "connect" {
            return Err(Refused("connect"));
        }
        self.journal.note(format!("connect {}", self.name));
        Ok(ConnectedDepot {
            gone: self.journal.at_drop(format!("drop {}", self.name)),
            depot: self,
        })
    }
}

impl DescribeServer for Depot {
    fn describe_server(&self) -> ServerSpec {
        ServerSpec::new(self.name, "depot")
    }
}

pub(crate) struct ConnectedDepot {
    depot: Depot,
    gone: AtDrop,
}

impl ConnectedBroker for ConnectedDepot {
    type Error = Refused;
    type Closed = ();

    async fn shutdown(mut self) -> Result<(), Refused> {
        self.gone.1 = format!("shutdown {}", self.depot.name);
        if self.depot.refused == "shut down" {
            return Err(Refused("shut down"));
        }
        Ok(())
    }
}

/// A policy whose live form is the name of its broker.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Gate {
    Opens,
    Refuses,
    /// Its pairing never ends.
    Sticks,
}

impl PublishPolicy<ConnectedDepot> for Gate {
    type Live = &'static str;

    async fn pair(self, connected: &ConnectedDepot) -> Result<&'static str, PairError> {
        match self {
            Self::Opens => Ok(connected.depot.name),
            Self::Refuses => Err(PairError::new(Refused("open"))),
            Self::Sticks => pending().await,
        }
    }
}

/// A service that nothing was added to.
pub(crate) fn depots() -> RustStream<Identity, (), PublishIdentity, Setup> {
    RustStream::new(AppInfo::new("depots", "1.4.0"))
}

/// Mounts a registration whose loop `open` makes.
pub(crate) fn mount<Layers, C, State, Pipeline>(
    scope: &mut BrokerScope<Depot, Layers, C, State, Pipeline>,
    name: &'static str,
    open: impl FnOnce(Service) -> Result<DispatchLoop, BoxError> + Send + 'static,
) where
    State: Send + Sync + 'static,
{
    let metadata = HandlerMetadata::raw(name);
    scope.register(Registration::new(
        metadata,
        move |opening: Opening<'_, ConnectedDepot, State>| {
            Box::pin(async move {
                opening.connected.depot.journal.note(format!("open {name}"));
                open(opening.service)
            })
        },
    ));
}

/// Opens nothing.
pub(crate) fn refused(_service: Service) -> Result<DispatchLoop, BoxError> {
    Err(Refused("open").into())
}

/// A loop that waits for the stop.
#[allow(clippy::unnecessary_wraps)] // what `mount` takes
pub(crate) fn idle(service: Service) -> Result<DispatchLoop, BoxError> {
    Ok(Box::pin(async move { service.stop().raised().await }))
}

/// A loop that waits for the stop and notes that it ended.
pub(crate) fn noting(
    journal: &Journal,
    line: &'static str,
) -> impl FnOnce(Service) -> Result<DispatchLoop, BoxError> + Send + use<> {
    let journal = journal.clone();
    move |service| {
        Ok(Box::pin(async move {
            service.stop().raised().await;
            journal.note(line);
        }))
    }
}

/// A loop whose delivery in flight never ends; it notes that it was aborted.
pub(crate) fn stuck(
    journal: &Journal,
    line: &'static str,
) -> impl FnOnce(Service) -> Result<DispatchLoop, BoxError> + Send + use<> {
    let journal = journal.clone();
    move |_service| {
        Ok(Box::pin(async move {
            let _aborted = journal.at_drop(line);
            pending::<()>().await;
        }))
    }
}

/// A loop that panics once the stop is raised.
#[allow(clippy::unnecessary_wraps)] // what `mount` takes
pub(crate) fn breaking(service: Service) -> Result<DispatchLoop, BoxError> {
    Ok(Box::pin(async move {
        service.stop().raised().await;
        std::panic::resume_unwind(Box::new("broken"));
    }))
}
