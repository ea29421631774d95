//! The steps of a builder that are there in every phase: hooks, settings, brokers.

use std::collections::BTreeMap;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use ruststream_core::codec::Codec;
use ruststream_core::{Broker, BrokerRegistration, ConnectedSlot, DescribeServer, ServerSpec};

use super::broker::registered;
use super::builder::{RustStream, Wired};
use super::health::SubscriptionEnd;
use super::hooks::{self, HookError};
use super::info::AppInfo;
use super::scope::BrokerScope;
use crate::docs::HandlerMetadata;

impl<Layers, State, Pipeline, Phase> RustStream<Layers, State, Pipeline, Phase> {
    /// Runs `hook` once every subscription is served. Hooks run one after the other, in order; one
    /// that fails ends the start.
    #[must_use]
    pub fn after_startup<F, Fut, E>(self, hook: F) -> Self
    where
        State: Send + Sync + 'static,
        F: FnOnce(Arc<State>) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send,
        E: HookError,
    {
        self.map_plan(|plan| plan.hooks.after_startup.push(hooks::hook(hook)))
    }

    /// Runs `hook` when a stop begins, while subscriptions are still served and brokers connected.
    /// A failure is logged and changes nothing.
    #[must_use]
    pub fn on_shutdown<F, Fut, E>(self, hook: F) -> Self
    where
        State: Send + Sync + 'static,
        F: FnOnce(Arc<State>) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send,
        E: HookError,
    {
        self.map_plan(|plan| plan.hooks.on_shutdown.push(hooks::hook(hook)))
    }

    /// Runs `hook` at the end of a stop, once every broker is shut down. A failure is logged and
    /// changes nothing.
    #[must_use]
    pub fn after_shutdown<F, Fut, E>(self, hook: F) -> Self
    where
        State: Send + Sync + 'static,
        F: FnOnce(Arc<State>) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send,
        E: HookError,
    {
        self.map_plan(|plan| plan.hooks.after_shutdown.push(hooks::hook(hook)))
    }

    /// Bounds how long a stop waits for deliveries in flight, and then again for what they left
    /// behind (hooks after settling, delayed copies). Without it a stop waits without limit.
    ///
    /// Deliveries that outlast it are aborted unsettled: the broker redelivers them, or not, by its
    /// own rules. The async runtime needs its timers enabled.
    #[must_use]
    pub fn shutdown_timeout(self, timeout: Duration) -> Self {
        self.map_plan(|plan| plan.settings.shutdown_timeout = Some(timeout))
    }

    /// Says what a subscription whose stream ends does to the service.
    #[must_use]
    pub fn on_subscription_end(self, on_end: SubscriptionEnd) -> Self {
        self.map_plan(|plan| plan.settings.on_subscription_end = on_end)
    }

    /// Connects the broker with the service and shuts it down with it, and mounts nothing: for a
    /// broker that is only published to.
    #[must_use]
    pub fn register_broker<R>(self, broker: R) -> Self
    where
        R: BrokerRegistration,
    {
        let (broker, slot) = broker.into_parts();
        self.map_plan(|plan| plan.brokers.push(registered(None, broker, slot)))
    }

    /// Describes a server for the generated document. It takes the place of what a broker
    /// registered under the label `name` says about itself.
    #[must_use]
    pub fn server(self, name: impl Into<String>, spec: ServerSpec) -> Self {
        let name = name.into();
        self.map_plan(|plan| {
            plan.servers.insert(name, spec);
        })
    }

    /// Adds a broker and mounts on it what `build` says, at once.
    #[must_use]
    pub fn with_broker<R, F>(
        self,
        broker: R,
        build: F,
    ) -> RustStream<Layers, State, Pipeline, Wired>
    where
        R: BrokerRegistration,
        Layers: Clone,
        Pipeline: Clone,
        State: Send + Sync + 'static,
        F: FnOnce(&mut BrokerScope<R::Broker, Layers, (), State, Pipeline>),
    {
        self.mount(None, broker.into_parts(), (), build)
    }

    /// As [`with_broker`](Self::with_broker), with the codec of everything mounted there that names
    /// none itself.
    #[must_use]
    pub fn with_broker_codec<R, C, F>(
        self,
        broker: R,
        codec: C,
        build: F,
    ) -> RustStream<Layers, State, Pipeline, Wired>
    where
        R: BrokerRegistration,
        C: Codec + Clone + 'static,
        Layers: Clone,
        Pipeline: Clone,
        State: Send + Sync + 'static,
        F: FnOnce(&mut BrokerScope<R::Broker, Layers, C, State, Pipeline>),
    {
        self.mount(None, broker.into_parts(), codec, build)
    }

    /// As [`with_broker`](Self::with_broker), with a name for the broker: in the logs, and as the
    /// server of everything mounted there in the generated document.
    #[must_use]
    pub fn with_broker_labeled<R, F>(
        self,
        label: impl Into<String>,
        broker: R,
        build: F,
    ) -> RustStream<Layers, State, Pipeline, Wired>
    where
        R: BrokerRegistration,
        R::Broker: DescribeServer,
        Layers: Clone,
        Pipeline: Clone,
        State: Send + Sync + 'static,
        F: FnOnce(&mut BrokerScope<R::Broker, Layers, (), State, Pipeline>),
    {
        self.mount_labeled(label.into(), broker.into_parts(), (), build)
    }

    /// As [`with_broker_labeled`](Self::with_broker_labeled), with a codec as in
    /// [`with_broker_codec`](Self::with_broker_codec).
    #[must_use]
    pub fn with_broker_labeled_codec<R, C, F>(
        self,
        label: impl Into<String>,
        broker: R,
        codec: C,
        build: F,
    ) -> RustStream<Layers, State, Pipeline, Wired>
    where
        R: BrokerRegistration,
        R::Broker: DescribeServer,
        C: Codec + Clone + 'static,
        Layers: Clone,
        Pipeline: Clone,
        State: Send + Sync + 'static,
        F: FnOnce(&mut BrokerScope<R::Broker, Layers, C, State, Pipeline>),
    {
        self.mount_labeled(label.into(), broker.into_parts(), codec, build)
    }

    /// Everything that is mounted, in order.
    #[must_use]
    pub fn handlers(&self) -> &[HandlerMetadata] {
        &self.plan.handlers
    }

    /// What the service says about itself.
    #[must_use]
    pub fn info(&self) -> &AppInfo {
        &self.plan.info
    }

    /// The servers of the generated document, by name.
    #[must_use]
    pub fn servers(&self) -> &BTreeMap<String, ServerSpec> {
        &self.plan.servers
    }

    fn mount_labeled<B, C, F>(
        mut self,
        label: String,
        parts: (B, ConnectedSlot<B>),
        codec: C,
        build: F,
    ) -> RustStream<Layers, State, Pipeline, Wired>
    where
        B: DescribeServer + 'static,
        Layers: Clone,
        Pipeline: Clone,
        State: Send + Sync + 'static,
        F: FnOnce(&mut BrokerScope<B, Layers, C, State, Pipeline>),
    {
        let described = || parts.0.describe_server();
        self.plan
            .servers
            .entry(label.clone())
            .or_insert_with(described);
        self.mount(Some(label), parts, codec, build)
    }

    fn mount<B, C, F>(
        self,
        label: Option<String>,
        (broker, slot): (B, ConnectedSlot<B>),
        codec: C,
        build: F,
    ) -> RustStream<Layers, State, Pipeline, Wired>
    where
        B: Broker + 'static,
        Layers: Clone,
        Pipeline: Clone,
        State: Send + Sync + 'static,
        F: FnOnce(&mut BrokerScope<B, Layers, C, State, Pipeline>),
    {
        let Self {
            layers,
            pipeline,
            mut plan,
            ..
        } = self;
        let mut scope = BrokerScope::new(broker, slot, layers.clone(), codec, pipeline.clone());
        build(&mut scope);
        plan.adopt(label, scope.into_scoped());
        RustStream {
            layers,
            pipeline,
            plan,
            phase: PhantomData,
        }
    }
}

#[cfg(test)]
mod tests {
    use ruststream_core::Bindable;

    use super::*;
    use crate::app::testkit::{Depot, Journal, depots, idle, mount};

    // RUN-015, RUN-017, RUN-018
    #[test]
    fn a_service_can_be_built_and_looked_at_without_a_runtime() {
        let journal = Journal::default();
        let app = depots()
            .server("backup", ServerSpec::new("hub:7000", "depot"))
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", idle);
                mount(scope, "labels", idle);
            })
            .with_broker_labeled("south", Bindable::new(Depot::new("b", &journal)), |scope| {
                mount(scope, "scans", idle);
            });

        let mounted: Vec<_> = app
            .handlers()
            .iter()
            .map(|handler| (handler.name.as_ref(), handler.server.as_deref()))
            .collect();
        assert_eq!(
            mounted,
            [
                ("parcels", None),
                ("labels", None),
                ("scans", Some("south"))
            ]
        );
        assert_eq!(
            app.servers().keys().collect::<Vec<_>>(),
            ["backup", "south"]
        );
        assert_eq!(app.info().version, "1.4.0");
        assert!(journal.take().is_empty());
    }

    // RUN-016
    #[test]
    fn a_described_server_gives_way_to_an_explicit_one_in_either_order() {
        let journal = Journal::default();
        let explicit = || ServerSpec::new("hub:7000", "depot");
        let app = depots()
            .server("north", explicit())
            .with_broker_labeled("north", Depot::new("a", &journal), |_| {})
            .with_broker_labeled("south", Depot::new("b", &journal), |_| {})
            .with_broker_labeled("west", Depot::new("c", &journal), |_| {})
            .server("south", explicit());

        assert_eq!(app.servers()["north"], explicit());
        assert_eq!(app.servers()["south"], explicit());
        assert_eq!(app.servers()["west"], ServerSpec::new("c", "depot"));
    }

    // RUN-014, RUN-018
    #[tokio::test]
    async fn registered_brokers_live_and_end_with_the_service() {
        let journal = Journal::default();
        let depot = Bindable::new(Depot::new("a", &journal));
        let running = depots().register_broker(depot).start().await.unwrap();

        running.shutdown().await.unwrap();

        assert_eq!(journal.take(), ["connect a", "shutdown a"]);
    }
}
