//! Publish layers chosen at run time.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use ruststream_core::Publisher;

use super::BoxError;
use super::layer::{PublishLayer, PublishNext, PublishPipeline};
use super::outgoing::Outgoing;

type PublishFuture<'a> = Pin<Box<dyn Future<Output = Result<(), BoxError>> + Send + 'a>>;

/// A publish layer behind a pointer, for a [`PublishDynStack`].
pub trait PublishDynLayer: Send + Sync {
    /// Handles one publish; `next` is the rest of the way and runs at most once.
    fn on_publish<'a>(
        &'a self,
        out: &'a mut Outgoing<'a>,
        next: PublishDynNext<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<(), BoxError>> + Send + 'a>>;
}

/// What follows the last element of a dynamic stack, its types erased.
trait Tail<'a>: Send {
    fn run(self: Box<Self>, out: &'a mut Outgoing<'a>) -> PublishFuture<'a>;
}

impl<'a, N: PublishPipeline, P: Publisher> Tail<'a> for PublishNext<'a, N, P> {
    fn run(self: Box<Self>, out: &'a mut Outgoing<'a>) -> PublishFuture<'a> {
        Box::pin((*self).run(out))
    }
}

/// The rest of a publish, seen from an element of a dynamic stack.
pub struct PublishDynNext<'a> {
    remaining: &'a [Arc<dyn PublishDynLayer>],
    tail: Box<dyn Tail<'a> + 'a>,
}

impl<'a> PublishDynNext<'a> {
    /// Goes on with the message.
    ///
    /// The future fails with the broker's error, or that of a layer ahead that refused.
    pub fn run(
        self,
        out: &'a mut Outgoing<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<(), BoxError>> + Send + 'a>> {
        match self.remaining.split_first() {
            Some((head, remaining)) => head.on_publish(
                out,
                Self {
                    remaining,
                    tail: self.tail,
                },
            ),
            None => self.tail.run(out),
        }
    }
}

impl fmt::Debug for PublishDynNext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublishDynNext")
            .field("remaining", &self.remaining.len())
            .finish_non_exhaustive()
    }
}

/// Layers chosen at run time, run as one publish layer; the first element is outermost.
///
/// Each element costs a boxed future, the stack as a whole two boxes more; an empty stack costs
/// nothing.
#[derive(Clone)]
pub struct PublishDynStack(Arc<[Arc<dyn PublishDynLayer>]>);

impl PublishDynStack {
    /// A stack of these layers, the first outermost.
    #[must_use]
    pub fn new(middleware: impl IntoIterator<Item = Arc<dyn PublishDynLayer>>) -> Self {
        Self(middleware.into_iter().collect())
    }
}

impl fmt::Debug for PublishDynStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublishDynStack")
            .field("middleware", &self.0.len())
            .finish()
    }
}

impl PublishLayer for PublishDynStack {
    async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
        &'a self,
        out: &'a mut Outgoing<'a>,
        next: PublishNext<'a, N, P>,
    ) -> Result<(), BoxError> {
        if self.0.is_empty() {
            return next.run(out).await;
        }
        PublishDynNext {
            remaining: &self.0,
            tail: Box::new(next),
        }
        .run(out)
        .await
    }
}

#[cfg(test)]
mod tests {
    use ruststream_core::Take;

    use super::*;
    use crate::publish::testkit::Recorder;
    use crate::publish::{PublishIdentity, PublishStack};

    struct Append(&'static str);

    impl PublishDynLayer for Append {
        fn on_publish<'a>(
            &'a self,
            out: &'a mut Outgoing<'a>,
            next: PublishDynNext<'a>,
        ) -> PublishFuture<'a> {
            out.payload_mut()
                .extend_from_slice(format!("{}:{next:?};", self.0).as_bytes());
            next.run(out)
        }
    }

    struct Refuse;

    impl PublishDynLayer for Refuse {
        fn on_publish<'a>(
            &'a self,
            _out: &'a mut Outgoing<'a>,
            _next: PublishDynNext<'a>,
        ) -> PublishFuture<'a> {
            Box::pin(async { Err("not today".into()) })
        }
    }

    async fn run(layers: Vec<Arc<dyn PublishDynLayer>>) -> (Result<(), BoxError>, Vec<Vec<u8>>) {
        let pipeline = PublishStack::new(PublishDynStack::new(layers), PublishIdentity);
        let publisher = Recorder::<Take>::new();
        let mut out = Outgoing::new("a", &b""[..]);
        let outcome = pipeline.run(&mut out, &publisher, None).await;
        (
            outcome,
            publisher
                .sent()
                .into_iter()
                .map(|sent| sent.payload)
                .collect(),
        )
    }

    // PUB-653, PUB-654, CORE-211
    #[tokio::test]
    async fn the_first_element_is_outermost_and_sees_how_many_remain() {
        let (outcome, sent) = run(vec![Arc::new(Append("1")), Arc::new(Append("2"))]).await;
        outcome.expect("publishes");
        let expected =
            "1:PublishDynNext { remaining: 1, .. };2:PublishDynNext { remaining: 0, .. };";
        assert_eq!(sent, [expected.as_bytes()]);
    }

    // PUB-653
    #[tokio::test]
    async fn an_empty_stack_passes_through() {
        let (outcome, sent) = run(Vec::new()).await;
        outcome.expect("publishes");
        assert_eq!(sent, [b""]);
    }

    // PUB-651
    #[tokio::test]
    async fn an_element_that_refuses_sends_nothing() {
        let (outcome, sent) = run(vec![Arc::new(Append("1")), Arc::new(Refuse)]).await;
        assert_eq!(outcome.expect_err("refused").to_string(), "not today");
        assert!(sent.is_empty());
    }

    // PUB-654
    #[test]
    fn debug_counts_the_middleware() {
        let stack = PublishDynStack::new([Arc::new(Refuse) as Arc<dyn PublishDynLayer>]);
        assert_eq!(
            format!("{:?}", stack.clone()),
            "PublishDynStack { middleware: 1 }"
        );
    }
}
