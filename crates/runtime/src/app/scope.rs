//! The place where a broker's handlers are mounted.

use std::fmt;
use std::future::Future;

use ruststream_core::{Broker, BuildContext, Connected, ConnectedSlot, PublishPolicy, Subscriber};

use super::broker::connection;
use super::hooks::{Hook, HookError};
use super::registration::Registration;
use crate::docs::HandlerMetadata;
use crate::handler::Handler;
use crate::layers::{BlanketLayer, Identity};
use crate::mount::forms::IncludeMount;
use crate::mount::{Declared, Router, RouterDef, RouterSink, handle_registration};
use crate::publish::{PublishIdentity, PublishPipeline};

/// A broker of the service, while what it serves is mounted.
///
/// It exists inside the closure of [`with_broker`](crate::RustStream::with_broker) and its
/// siblings. Nothing is connected there: everything that is mounted waits for the start.
///
/// `C` is the codec of the scope, `()` where none was named.
pub struct BrokerScope<B: Broker, Layers = Identity, C = (), State = (), Pipeline = PublishIdentity>
{
    broker: B,
    slot: ConnectedSlot<B>,
    layers: Layers,
    codec: C,
    pipeline: Pipeline,
    sink: RouterSink<B, State>,
    after_startup: Vec<Hook<State>>,
}

/// What a scope leaves behind.
pub(crate) struct Scoped<B: Broker, State> {
    pub(crate) broker: B,
    pub(crate) slot: ConnectedSlot<B>,
    pub(crate) registrations: Vec<Registration<Connected<B>, State>>,
    pub(crate) after_startup: Vec<Hook<State>>,
}

impl<B: Broker, Layers, C, State, Pipeline> BrokerScope<B, Layers, C, State, Pipeline> {
    pub(crate) const fn new(
        broker: B,
        slot: ConnectedSlot<B>,
        layers: Layers,
        codec: C,
        pipeline: Pipeline,
    ) -> Self {
        Self {
            broker,
            slot,
            layers,
            codec,
            pipeline,
            sink: RouterSink::new(),
            after_startup: Vec::new(),
        }
    }

    pub(crate) fn into_scoped(self) -> Scoped<B, State> {
        Scoped {
            broker: self.broker,
            slot: self.slot,
            registrations: self.sink.registrations,
            after_startup: self.after_startup,
        }
    }

    pub(crate) fn register(&mut self, registration: Registration<Connected<B>, State>) {
        self.sink.registrations.push(registration);
    }
}

impl<B: Broker + 'static, Layers, C, State, Pipeline> BrokerScope<B, Layers, C, State, Pipeline> {
    /// Mounts a definition: a function under `#[subscriber(..)]`, or one put together by hand.
    ///
    /// What is returned guards the mount: further steps hang on it, and it mounts where its
    /// statement ends, or at `.build()` for a definition with slots. It borrows the scope, so it is
    /// a statement of its own.
    #[track_caller]
    pub fn include<'s, D>(
        &'s mut self,
        def: D,
    ) -> <D::Form as IncludeMount<'s, B, Layers, C, State, Pipeline, D::Settings>>::Out
    where
        D: Declared,
        D::Form: IncludeMount<'s, B, Layers, C, State, Pipeline, D::Settings>,
    {
        <D::Form as IncludeMount<'s, B, Layers, C, State, Pipeline, D::Settings>>::begin(
            def.declare(),
            self,
        )
    }

    /// An empty router with the codec and the publish layers of this scope.
    pub(crate) fn router(&self) -> Router<B, (), C, Identity, Pipeline>
    where
        C: Clone,
        Pipeline: Clone,
    {
        Router::on_surface(self.codec.clone(), self.pipeline.clone())
    }

    /// Mounts the routes of a router inside the application's layers.
    pub(crate) fn mount_router<R, RetryPipeline>(&mut self, router: R)
    where
        R: RouterDef<B, State, RetryPipeline>,
        Layers: BlanketLayer + Clone + Send + Sync + 'static,
        Pipeline: PublishPipeline + Clone + Send + 'static,
    {
        router.mount(&self.layers, &self.pipeline, &mut self.sink);
    }
}

impl<B: Broker + 'static, Layers, C, State, Pipeline> BrokerScope<B, Layers, C, State, Pipeline> {
    /// The broker, before it is connected.
    #[must_use]
    pub fn broker(&self) -> &B {
        &self.broker
    }

    /// Runs `hook` once every subscription of the service is served, with the live publisher that
    /// `source` makes on this broker.
    ///
    /// What the hook publishes reaches the service's own subscriptions. It takes its turn among the
    /// [`after_startup`](crate::RustStream::after_startup) hooks of the service, where the scope
    /// was opened. A policy that doesn't pair and a hook that fails end the start.
    ///
    /// ```
    /// use std::convert::Infallible;
    ///
    /// use ruststream_core::{Broker, Connected, PublishPolicy, Publisher};
    /// use ruststream_runtime::BrokerScope;
    ///
    /// fn announce<B, P>(scope: &mut BrokerScope<B>, policy: P)
    /// where
    ///     B: Broker + 'static,
    ///     P: PublishPolicy<Connected<B>, Live: Publisher> + Send + 'static,
    /// {
    ///     scope.after_startup(policy, |publisher| async move {
    ///         // publish with `publisher`, or hand it to a task
    ///         drop(publisher);
    ///         Ok::<_, Infallible>(())
    ///     });
    /// }
    /// ```
    pub fn after_startup<Source, Hook, Fut, E>(&mut self, source: Source, hook: Hook)
    where
        Source: PublishPolicy<Connected<B>> + Send + 'static,
        Source::Live: Send,
        Hook: FnOnce(Source::Live) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: HookError,
        B: 'static,
    {
        let slot = self.slot.clone();
        self.after_startup.push(Box::new(|_state| {
            Box::pin(async move {
                let live = {
                    // Released before the hook runs, which may take its time.
                    let connected = connection::<B>(&slot)?;
                    source.pair(&connected).await?
                };
                hook(live).await.map_err(HookError::into_boxed)
            })
        }));
    }

    /// Mounts a subscriber that is open already, with a handler of its raw deliveries.
    ///
    /// Deliveries are handled one at a time under the default failure policies, inside the
    /// application's layers. No copy can bring a delivery back: a retry is what the transport makes
    /// of a negative acknowledgement.
    pub fn handle<S, H, Cx>(&mut self, subscriber: S, handler: H, meta: HandlerMetadata)
    where
        S: Subscriber + Send + 'static,
        S::Message: Send + Sync + 'static,
        State: Send + Sync + 'static,
        Cx: BuildContext<S::Message> + Send + Sync + 'static,
        H: Handler<S::Message, Cx, State> + 'static,
        Layers: BlanketLayer + Clone + Send + Sync + 'static,
    {
        let registration = handle_registration::<S, H, Cx, _, State, Layers>(
            subscriber,
            handler,
            meta,
            &self.layers,
        );
        self.register(registration);
    }

    /// Mounts every route of a router, in the router's order.
    pub fn include_router<R>(&mut self, router: R)
    where
        R: RouterDef<B, State>,
        State: Send + Sync + 'static,
        Layers: BlanketLayer + Clone + Send + Sync + 'static,
        Pipeline: PublishPipeline + Clone + Send + 'static,
    {
        self.mount_router::<R, PublishIdentity>(router);
    }
}

impl<B: Broker, Layers, C, State, Pipeline> fmt::Debug
    for BrokerScope<B, Layers, C, State, Pipeline>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrokerScope")
            .field("registrations", &self.sink.registrations.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_core::Stream;
    use futures_util::{StreamExt, stream};
    use ruststream_core::IncomingMessage;
    use tokio::sync::mpsc;

    use super::*;
    use crate::app::RustStreamError;
    use crate::app::testkit::{ConnectedDepot, Depot, Gate, Journal, Refused, depots, idle, mount};
    use crate::extract::Context;
    use crate::extract::site::fixture::Delivery;
    use crate::layers::TracingLayer;
    use crate::layers::log_capture::LogCapture;

    // RUN-101
    #[test]
    fn a_scope_shows_its_broker_and_keeps_its_innards_to_itself() {
        let app = depots().with_broker(Depot::new("a", &Journal::default()), |scope| {
            mount(scope, "parcels", idle);
            assert_eq!(scope.broker().name(), "a");
            assert_eq!(format!("{scope:?}"), "BrokerScope { registrations: 1, .. }");
        });
        assert_eq!(app.handlers().len(), 1);
    }

    // RUN-103, PUB-753
    #[tokio::test]
    async fn hooks_of_scopes_stand_in_the_list_where_their_scope_was_opened() {
        let journal = Journal::default();
        let noting = |text: &'static str| {
            let journal = journal.clone();
            async move |live: &'static str| {
                journal.note(format!("{text} {live}"));
                Ok::<_, Infallible>(())
            }
        };
        let app = depots()
            .after_startup(journal.hook("first"))
            .with_broker(Depot::new("a", &journal), |scope| {
                scope.after_startup(Gate::Opens, noting("second"));
                scope.after_startup(Gate::Opens, noting("third"));
            })
            .after_startup(journal.hook("fourth"))
            .with_broker(Depot::new("b", &journal), |scope| {
                scope.after_startup(Gate::Opens, noting("fifth"));
            });

        let running = app.start().await.unwrap();

        let ran = ["first", "second a", "third a", "fourth", "fifth b"];
        assert_eq!(journal.take()[2..], ran);
        // RUN-074: no hook holds the connection any more.
        running.shutdown().await.unwrap();
    }

    // RUN-103, PUB-753
    #[tokio::test]
    async fn a_policy_that_does_not_pair_is_a_failed_startup_hook() {
        let journal = Journal::default();
        let app = depots().with_broker(Depot::new("a", &journal), |scope| {
            scope.after_startup(Gate::Refuses, async |_| -> Result<(), Infallible> {
                unreachable!()
            });
        });

        let RustStreamError::Startup(source) = app.start().await.unwrap_err() else {
            panic!("not a startup error");
        };

        assert!(
            source.to_string().contains("the depot refuses to open"),
            "{source}"
        );
        assert_eq!(journal.take(), ["connect a", "shutdown a"]);
    }

    // RUN-103
    #[tokio::test]
    async fn a_scope_hook_that_fails_ends_the_start_with_its_own_error() {
        let journal = Journal::default();
        let app = depots().with_broker(Depot::new("a", &journal), |scope| {
            scope.after_startup(Gate::Opens, async |_| Err(Refused("announce")));
        });

        let RustStreamError::Startup(source) = app.start().await.unwrap_err() else {
            panic!("not a startup error");
        };

        assert_eq!(source.downcast_ref(), Some(&Refused("announce")));
    }

    /// Routes that mount by hand.
    struct Routes(Vec<Registration<ConnectedDepot, ()>>);

    impl<RetryPipeline> RouterDef<Depot, (), RetryPipeline> for Routes {
        fn mount<G, PP>(self, _global: &G, _pipeline: &PP, sink: &mut RouterSink<Depot>)
        where
            G: BlanketLayer + Clone + Send + Sync + 'static,
            PP: PublishPipeline + Clone + Send + 'static,
        {
            sink.registrations.extend(self.0);
        }
    }

    fn route(name: &'static str) -> Registration<ConnectedDepot, ()> {
        Registration::new(HandlerMetadata::raw(name), |opening| {
            Box::pin(async { idle(opening.service) })
        })
    }

    // RUN-105
    #[tokio::test]
    async fn a_router_mounts_its_routes_at_its_place_in_the_scope() {
        let app = depots().with_broker(Depot::new("a", &Journal::default()), |scope| {
            mount(scope, "first", idle);
            scope.include_router(Routes(vec![route("second"), route("third")]));
            mount(scope, "fourth", idle);
        });

        let mounted: Vec<_> = app
            .handlers()
            .iter()
            .map(|handler| &*handler.name)
            .collect();
        assert_eq!(mounted, ["first", "second", "third", "fourth"]);
        app.start().await.unwrap().shutdown().await.unwrap();
    }

    /// A subscription that is open already.
    struct Queue(Vec<Delivery>);

    impl Subscriber for Queue {
        type Message = Delivery;
        type Error = Refused;

        fn stream(&mut self) -> impl Stream<Item = Result<Delivery, Refused>> + Send + '_ {
            stream::iter(self.0.drain(..).map(Ok)).chain(stream::pending())
        }
    }

    // RUN-104
    #[tokio::test]
    async fn an_open_subscriber_is_served_by_a_raw_handler_inside_the_layers() {
        let (tell, mut handled) = mpsc::unbounded_channel();
        let app = depots().layer(TracingLayer::default()).with_broker(
            Depot::new("a", &Journal::default()),
            |scope| {
                let deliveries = ["41", "42"].map(|id| Delivery::with([("parcel", id)]));
                scope.handle(
                    Queue(deliveries.into()),
                    move |delivery: &Delivery, ctx: &mut Context<'_>| {
                        let parcel = delivery.headers().get_str("parcel").unwrap().to_owned();
                        tell.send((ctx.name().to_owned(), parcel)).unwrap();
                        async {}
                    },
                    HandlerMetadata::raw("parcels"),
                );
            },
        );
        assert_eq!(app.handlers()[0].name, "parcels");
        let log = LogCapture::start();

        let running = app.start().await.unwrap();

        for parcel in ["41", "42"] {
            assert_eq!(
                handled.recv().await.unwrap(),
                ("parcels".into(), parcel.into())
            );
        }
        running.shutdown().await.unwrap();
        let acks = |line: &&String| line.starts_with("INFO ruststream::dispatch: handler ack");
        assert_eq!(log.take().iter().filter(acks).count(), 2);
    }
}
