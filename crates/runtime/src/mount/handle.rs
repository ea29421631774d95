//! Raw handlers over a subscriber that is open already.

use std::fmt;
use std::sync::Arc;

use ruststream_core::{Broker, BuildContext, Connected, RetryDeclaration, Subscriber};

use super::route::MountRoute;
use super::router::{RouteHandlers, RouterSink};
use crate::app::{Opening, Registration};
use crate::deliver::{Singly, Subscription, dispatch};
use crate::docs::HandlerMetadata;
use crate::extract::Site;
use crate::handler::Handler;
use crate::layers::BlanketLayer;
use crate::policy::FailurePolicies;
use crate::poll::Sampler;
use crate::publish::PublishPipeline;
use crate::settle::Settlement;
use crate::workers::Workers;

/// A raw handler on a router.
#[doc(hidden)]
pub struct HandleRoute<S, H> {
    subscriber: S,
    handler: H,
    metadata: HandlerMetadata,
}

impl<S, H> HandleRoute<S, H> {
    pub(crate) const fn new(subscriber: S, handler: H, metadata: HandlerMetadata) -> Self {
        Self {
            subscriber,
            handler,
            metadata,
        }
    }
}

impl<S, H> fmt::Debug for HandleRoute<S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandleRoute")
            .field("name", &self.metadata.name)
            .finish_non_exhaustive()
    }
}

impl<S, H> RouteHandlers for HandleRoute<S, H> {
    fn collect(&self, out: &mut Vec<HandlerMetadata>) {
        out.push(self.metadata.clone());
    }
}

impl<B, State, S, H> MountRoute<B, State> for HandleRoute<S, H>
where
    B: Broker,
    S: Subscriber + 'static,
    S::Message: 'static,
    H: Handler<S::Message, (), State> + 'static,
    State: Send + Sync + 'static,
{
    fn mount<G, PP>(self, outer: &G, _pipeline: &PP, sink: &mut RouterSink<B, State>)
    where
        G: BlanketLayer + Clone + Send + Sync + 'static,
        PP: PublishPipeline + Clone + Send + 'static,
    {
        sink.registrations
            .push(handle_registration::<_, _, (), Connected<B>, _, _>(
                self.subscriber,
                self.handler,
                self.metadata,
                outer,
            ));
    }
}

/// A raw handler, sequential, with the default policies and no copy path (RUN-104).
pub(crate) fn handle_registration<Sub, H, Cx, C, S, L>(
    subscriber: Sub,
    handler: H,
    metadata: HandlerMetadata,
    layers: &L,
) -> Registration<C, S>
where
    Sub: Subscriber + 'static,
    Sub::Message: 'static,
    Cx: BuildContext<Sub::Message> + Send + Sync + 'static,
    S: Send + Sync + 'static,
    H: Handler<Sub::Message, Cx, S> + 'static,
    L: BlanketLayer,
{
    let handler = layers.apply::<Sub::Message, Cx, S, _>(handler);
    let name: Arc<str> = Arc::from(metadata.name.as_ref());
    Registration::new(metadata, move |opening: Opening<'_, C, S>| {
        let Opening { state, service, .. } = opening;
        Box::pin(async move {
            let policies = FailurePolicies::default();
            let main_runtime = service.main_runtime().clone();
            let workers = Workers::default();
            let sampler = Sampler::open(&service, &name, workers);
            let subscription = Subscription {
                handler,
                site: Site::new(Arc::clone(&name), state, main_runtime, policies),
                settlement: Settlement::new(name, &RetryDeclaration::new(), None),
                service,
                sampler,
            };
            dispatch(Singly(subscriber), subscription, workers)
        })
    })
}
