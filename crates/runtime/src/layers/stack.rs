//! Two layers as one.

use super::layer::{BlanketLayer, Layer};
use crate::handler::Handler;

/// Applies `Inner`, then `Outer` around it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stack<Inner, Outer> {
    inner: Inner,
    outer: Outer,
}

impl<Inner, Outer> Stack<Inner, Outer> {
    /// Stacks `outer` around `inner`.
    #[must_use]
    pub fn new(inner: Inner, outer: Outer) -> Self {
        Self { inner, outer }
    }
}

impl<H, Inner, Outer> Layer<H> for Stack<Inner, Outer>
where
    Inner: Layer<H>,
    Outer: Layer<Inner::Handler>,
{
    type Handler = Outer::Handler;

    fn layer(&self, inner: H) -> Self::Handler {
        self.outer.layer(self.inner.layer(inner))
    }
}

impl<Inner, Outer> BlanketLayer for Stack<Inner, Outer>
where
    Inner: BlanketLayer,
    Outer: BlanketLayer,
{
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        self.outer.apply(self.inner.apply(handler))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::deliver::headers::DeliveryHeaders;
    use crate::extract::Context;
    use crate::extract::site::fixture::parcels;
    use crate::layers::ext::HandlerExt;
    use crate::layers::identity::Identity;
    use crate::outcome::HandlerOutcome;

    type Seen = Arc<Mutex<Vec<&'static str>>>;

    /// How many parcels a delivery lists.
    struct Parcels(u8);

    /// Notes when a delivery passes.
    struct Mark(&'static str, Seen);

    struct Marked<H>(H, &'static str, Seen);

    impl<M: Sync, C: Send, S: Send + Sync, H: Handler<M, C, S>> Handler<M, C, S> for Marked<H> {
        async fn handle(&self, msg: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
            self.2.lock().unwrap().push(self.1);
            self.0.handle(msg, ctx).await
        }
    }

    impl<H> Layer<H> for Mark {
        type Handler = Marked<H>;

        fn layer(&self, inner: H) -> Marked<H> {
            Marked(inner, self.0, Arc::clone(&self.1))
        }
    }

    impl BlanketLayer for Mark {
        fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
        where
            M: Send + Sync + 'static,
            C: Send + 'static,
            S: Send + Sync + 'static,
            H: Handler<M, C, S> + 'static,
        {
            self.layer(handler)
        }
    }

    fn body(_: &Parcels, _: &mut Context<'_>) -> std::future::Ready<()> {
        std::future::ready(())
    }

    async fn outcome(handler: impl Handler<Parcels>) -> HandlerOutcome {
        let (site, headers) = (parcels(()), DeliveryHeaders::none());
        handler
            .handle(&Parcels(1), &mut Context::new(&site, (), &headers))
            .await
    }

    // RUN-441
    #[tokio::test]
    async fn the_outer_layer_of_a_stack_sees_a_delivery_first() {
        let seen = Seen::default();
        let mark = |name| Mark(name, Arc::clone(&seen));

        assert!(
            outcome(body.with(Stack::new(mark("inner"), mark("outer"))))
                .await
                .is_ack()
        );
        assert_eq!(
            std::mem::take(&mut *seen.lock().unwrap()),
            ["outer", "inner"]
        );

        let blanket = Stack::new(mark("inner"), mark("outer"));
        assert!(outcome(blanket.apply(body)).await.is_ack());
        assert_eq!(*seen.lock().unwrap(), ["outer", "inner"]);
    }

    // RUN-012, RUN-132, trap 1: the app stacks each further layer inside those before it.
    #[tokio::test]
    async fn of_an_apps_layers_the_first_one_is_outermost() {
        let seen = Seen::default();
        let mark = |name| Mark(name, Arc::clone(&seen));
        let layers = Stack::new(mark("second"), Stack::new(mark("first"), Identity));

        assert!(outcome(layers.apply(body)).await.is_ack());

        assert_eq!(*seen.lock().unwrap(), ["first", "second"]);
    }

    // RUN-441
    #[tokio::test]
    async fn identity_changes_nothing() {
        let drops = |_: &Parcels, _: &mut Context<'_>| async { HandlerOutcome::drop() };

        assert!(outcome(drops.with(Identity)).await.is_drop());
        assert!(outcome(Identity.apply(drops)).await.is_drop());
    }

    // RUN-442
    #[tokio::test]
    async fn a_layer_may_call_again_replace_the_outcome_or_skip_the_handler() {
        struct Twice<H>(H);

        impl<H: Handler<Parcels>> Handler<Parcels> for Twice<H> {
            async fn handle(&self, msg: &Parcels, ctx: &mut Context<'_>) -> HandlerOutcome {
                if msg.0 == 0 {
                    return HandlerOutcome::drop();
                }
                let _ = self.0.handle(msg, ctx).await;
                let _ = self.0.handle(msg, ctx).await;
                HandlerOutcome::retry()
            }
        }

        let seen = Seen::default();
        let handler = Twice(body.with(Mark("body", Arc::clone(&seen))));
        let (site, headers) = (parcels(()), DeliveryHeaders::none());
        let mut ctx = Context::new(&site, (), &headers);

        assert!(handler.handle(&Parcels(0), &mut ctx).await.is_drop());
        assert!(seen.lock().unwrap().is_empty());
        assert!(handler.handle(&Parcels(1), &mut ctx).await.is_retry());
        assert_eq!(*seen.lock().unwrap(), ["body", "body"]);
    }
}
