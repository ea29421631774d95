//! The trait of everything that handles one delivery: bodies, decoding, layers.

use std::future::Future;
use std::sync::Arc;

use crate::extract::Context;
use crate::outcome::{HandlerOutcome, IntoOutcome};

/// Handles one value of type `M` in the context of its delivery.
///
/// This is the trait of middleware and of raw deliveries; a handler of a service implements
/// `Handle` instead. `C` is the delivery context that the broker offers, `S` the state of the app.
///
/// A closure is a handler if the future it returns borrows neither of its arguments:
///
/// ```
/// use ruststream_runtime::{Context, Handler, HandlerOutcome};
///
/// struct Audit<H>(H);
///
/// impl<M: Sync, C: Send, S: Send + Sync, H: Handler<M, C, S>> Handler<M, C, S> for Audit<H> {
///     async fn handle(&self, msg: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
///         let outcome = self.0.handle(msg, ctx).await;
///         println!("{}: {outcome:?}", ctx.name());
///         outcome
///     }
/// }
///
/// fn takes_any<M>(_: impl Handler<M>) {}
/// takes_any(|weight: &u32, _: &mut Context<'_>| {
///     let heavy = *weight > 30_000;
///     async move { if heavy { Err("too heavy") } else { Ok(()) } }
/// });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle `{M}` in the context `{C}` with the app state `{S}`: implement `Handler` for it",
    label = "not a handler of `{M}`",
    note = "implement `Handler<{M}, {C}, {S}>` for it, or pass a closure `Fn(&{M}, &mut Context<'_, {C}, {S}>)` whose future borrows neither argument and yields an outcome"
)]
pub trait Handler<M: ?Sized, C = (), S = ()>: Send + Sync {
    /// Handles `msg` and says what becomes of its delivery.
    ///
    /// The returned future is polled to its end, unless a stop that has a time limit aborts it. A
    /// panic is caught, also when it happens before the future exists.
    fn handle(
        &self,
        msg: &M,
        ctx: &mut Context<'_, C, S>,
    ) -> impl Future<Output = HandlerOutcome> + Send;
}

impl<M, C, S, F, Fut> Handler<M, C, S> for F
where
    M: ?Sized,
    F: Fn(&M, &mut Context<'_, C, S>) -> Fut + Send + Sync,
    Fut: Future + Send,
    Fut::Output: IntoOutcome,
{
    fn handle(
        &self,
        msg: &M,
        ctx: &mut Context<'_, C, S>,
    ) -> impl Future<Output = HandlerOutcome> + Send {
        let answer = self(msg, ctx);
        async move { answer.await.into_outcome() }
    }
}

impl<M, C, S, H> Handler<M, C, S> for Arc<H>
where
    H: Handler<M, C, S>,
{
    fn handle(
        &self,
        msg: &M,
        ctx: &mut Context<'_, C, S>,
    ) -> impl Future<Output = HandlerOutcome> + Send {
        H::handle(self, msg, ctx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deliver::headers::DeliveryHeaders;
    use crate::extract::site::fixture::parcels;

    async fn handled<M>(handler: impl Handler<M>, msg: M) -> HandlerOutcome {
        let (site, headers) = (parcels(()), DeliveryHeaders::none());
        handler
            .handle(&msg, &mut Context::new(&site, (), &headers))
            .await
    }

    // RUN-181, RUN-202
    #[tokio::test]
    async fn closures_of_every_return_shape_are_handlers() {
        assert!(
            handled(|_: &u8, _: &mut Context<'_>| async {}, 1)
                .await
                .is_ack()
        );
        let fallible = |n: &u8, _: &mut Context<'_>| {
            let odd = n % 2 == 1;
            async move { if odd { Err("odd") } else { Ok(()) } }
        };
        assert!(handled(fallible, 1).await.is_drop());
        assert!(handled(fallible, 2).await.is_ack());
        let asks = |_: &u8, _: &mut Context<'_>| async { Ok::<_, ()>(HandlerOutcome::retry()) };
        assert!(handled(asks, 1).await.is_retry());
    }

    // RUN-181
    #[tokio::test]
    async fn a_closure_reads_the_context_before_its_future_exists() {
        let named = |_: &u8, ctx: &mut Context<'_>| {
            let ours = ctx.name() == "parcels";
            async move {
                if ours {
                    HandlerOutcome::ack()
                } else {
                    HandlerOutcome::drop()
                }
            }
        };

        assert!(handled(named, 1).await.is_ack());
    }

    // RUN-181
    #[tokio::test]
    async fn a_shared_handler_is_a_handler() {
        struct Drops;

        impl Handler<String> for Drops {
            async fn handle(&self, _: &String, _: &mut Context<'_>) -> HandlerOutcome {
                HandlerOutcome::drop()
            }
        }

        assert!(handled(Arc::new(Drops), String::new()).await.is_drop());
    }

    // RUN-181
    #[test]
    fn a_handler_of_an_unsized_message_is_a_handler() {
        fn takes<M: ?Sized>(_: impl Handler<M>) {}

        takes::<[u8]>(|_: &[u8], _: &mut Context<'_>| async {});
    }
}
