//! Layers that are put together at run time.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::layer::Layer;
use crate::extract::Context;
use crate::handler::Handler;
use crate::outcome::HandlerOutcome;

type Handling<'a> = Pin<Box<dyn Future<Output = HandlerOutcome> + Send + 'a>>;

/// One link of a [`DynStack`], around handlers of `I`.
///
/// For handlers without a typed context or state; each link costs an allocation per delivery.
///
/// ```
/// use std::pin::Pin;
/// use ruststream_runtime::{Context, DynMiddleware, HandlerOutcome, Next};
///
/// struct OnlyHeavy;
///
/// impl DynMiddleware<u32> for OnlyHeavy {
///     fn handle<'a>(
///         &'a self,
///         weight: &'a u32,
///         ctx: &'a mut Context<'_>,
///         next: Next<'a, u32>,
///     ) -> Pin<Box<dyn Future<Output = HandlerOutcome> + Send + 'a>> {
///         if *weight < 30_000 {
///             return Box::pin(async { HandlerOutcome::ack() });
///         }
///         next.run(weight, ctx)
///     }
/// }
/// ```
pub trait DynMiddleware<I>: Send + Sync {
    /// Handles `input`, with `next` for the rest of the stack; not running it answers in its place.
    fn handle<'a>(
        &'a self,
        input: &'a I,
        ctx: &'a mut Context<'_>,
        next: Next<'a, I>,
    ) -> Handling<'a>;
}

/// The rest of a stack behind one of its links, down to the handler itself.
pub struct Next<'a, I> {
    links: &'a [Arc<dyn DynMiddleware<I>>],
    handler: &'a dyn Innermost<I>,
}

impl<'a, I> Next<'a, I> {
    /// Runs the next link, or the handler behind the last one.
    pub fn run(self, input: &'a I, ctx: &'a mut Context<'_>) -> Handling<'a> {
        match self.links.split_first() {
            Some((link, links)) => link.handle(
                input,
                ctx,
                Next {
                    links,
                    handler: self.handler,
                },
            ),
            None => self.handler.handle_boxed(input, ctx),
        }
    }
}

impl<I> fmt::Debug for Next<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next")
            .field("links", &self.links.len())
            .finish_non_exhaustive()
    }
}

/// The handler at the end of a stack, without its type.
trait Innermost<I>: Send + Sync {
    fn handle_boxed<'a>(&'a self, input: &'a I, ctx: &'a mut Context<'_>) -> Handling<'a>;
}

impl<I: Sync, H: Handler<I>> Innermost<I> for H {
    fn handle_boxed<'a>(&'a self, input: &'a I, ctx: &'a mut Context<'_>) -> Handling<'a> {
        Box::pin(self.handle(input, ctx))
    }
}

/// A layer made of any number of links, put together at run time; the first one is outermost.
///
/// ```
/// use std::sync::Arc;
/// use ruststream_runtime::{DynMiddleware, DynStack, Handler, HandlerExt};
///
/// fn guarded(
///     handler: impl Handler<u32>,
///     links: Vec<Arc<dyn DynMiddleware<u32>>>,
/// ) -> impl Handler<u32> {
///     handler.with(DynStack::new(links))
/// }
/// ```
pub struct DynStack<I>(Arc<[Arc<dyn DynMiddleware<I>>]>);

impl<I> DynStack<I> {
    /// A stack of those links; an empty one changes nothing.
    #[must_use]
    pub fn new(middleware: impl IntoIterator<Item = Arc<dyn DynMiddleware<I>>>) -> Self {
        Self(middleware.into_iter().collect())
    }
}

impl<I> Clone for DynStack<I> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<I> fmt::Debug for DynStack<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynStack")
            .field("links", &self.0.len())
            .finish()
    }
}

impl<I, H> Layer<H> for DynStack<I>
where
    I: Sync,
    H: Handler<I>,
{
    type Handler = DynStackHandler<I, H>;

    fn layer(&self, inner: H) -> DynStackHandler<I, H> {
        DynStackHandler {
            stack: self.clone(),
            inner,
        }
    }
}

/// A handler inside a [`DynStack`].
pub struct DynStackHandler<I, H> {
    stack: DynStack<I>,
    inner: H,
}

impl<I, H> fmt::Debug for DynStackHandler<I, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynStackHandler")
            .field("stack", &self.stack)
            .finish_non_exhaustive()
    }
}

impl<I, H> Handler<I> for DynStackHandler<I, H>
where
    I: Sync,
    H: Handler<I>,
{
    async fn handle(&self, msg: &I, ctx: &mut Context<'_>) -> HandlerOutcome {
        Next {
            links: &self.stack.0,
            handler: &self.inner,
        }
        .run(msg, ctx)
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::deliver::headers::DeliveryHeaders;
    use crate::extract::site::fixture::parcels;
    use crate::layers::ext::HandlerExt;

    type Seen = Arc<Mutex<Vec<usize>>>;

    /// Names the link that goes no further.
    struct StopAt(usize);

    /// Notes when a delivery passes, and answers in its place where the number says so.
    struct Link {
        number: usize,
        seen: Seen,
    }

    impl DynMiddleware<StopAt> for Link {
        fn handle<'a>(
            &'a self,
            stop_at: &'a StopAt,
            ctx: &'a mut Context<'_>,
            next: Next<'a, StopAt>,
        ) -> Handling<'a> {
            Box::pin(async move {
                self.seen.lock().unwrap().push(self.number);
                if self.number == stop_at.0 {
                    return HandlerOutcome::drop();
                }
                ctx.headers_mut().insert("passed", "yes");
                next.run(stop_at, ctx).await
            })
        }
    }

    fn stack(seen: &Seen, links: usize) -> DynStack<StopAt> {
        DynStack::new((0..links).map(|number| {
            Arc::new(Link {
                number,
                seen: Arc::clone(seen),
            }) as Arc<dyn DynMiddleware<StopAt>>
        }))
    }

    fn body(_: &StopAt, ctx: &mut Context<'_>) -> std::future::Ready<HandlerOutcome> {
        std::future::ready(match ctx.headers().get_str("passed") {
            Some(_) => HandlerOutcome::retry(),
            None => HandlerOutcome::ack(),
        })
    }

    async fn outcome(handler: impl Handler<StopAt>, stop_at: usize) -> HandlerOutcome {
        let (site, headers) = (parcels(()), DeliveryHeaders::none());
        handler
            .handle(&StopAt(stop_at), &mut Context::new(&site, (), &headers))
            .await
    }

    // RUN-444
    #[tokio::test]
    async fn links_see_a_delivery_in_order_however_many_there_are() {
        let seen = Seen::default();

        let outcome = outcome(body.with(stack(&seen, 100)), usize::MAX).await;

        // The body saw what the links wrote into the context.
        assert!(outcome.is_retry());
        assert!(seen.lock().unwrap().iter().copied().eq(0..100));
    }

    // RUN-444
    #[tokio::test]
    async fn a_link_that_does_not_go_on_answers_in_place_of_the_rest() {
        let seen = Seen::default();

        assert!(outcome(body.with(stack(&seen, 5)), 2).await.is_drop());

        assert_eq!(*seen.lock().unwrap(), [0, 1, 2]);
    }

    // RUN-444
    #[tokio::test]
    async fn an_empty_stack_changes_nothing() {
        assert!(
            outcome(body.with(stack(&Seen::default(), 0)), 0)
                .await
                .is_ack()
        );
    }

    // RUN-444
    #[test]
    fn a_stack_is_cloned_without_its_links_and_shown_by_their_number() {
        let stack = stack(&Seen::default(), 3);

        assert_eq!(format!("{:?}", stack.clone()), "DynStack { links: 3 }");
        assert_eq!(
            format!("{:?}", body.with(stack)),
            "DynStackHandler { stack: DynStack { links: 3 }, .. }"
        );
    }
}
