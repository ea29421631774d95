//! Publish layers: what the whole application wraps around each send.

use std::fmt;

use ruststream_core::Publisher;

use super::BoxError;
use super::outgoing::Outgoing;

/// The send, with every layer around it.
pub trait PublishPipeline: Send + Sync {
    /// Whether it is the send alone, so that a message need not be opened for it.
    #[doc(hidden)]
    const NOTHING: bool = false;

    /// Runs the layers, outermost first, and sends what they leave of `out`.
    ///
    /// The error is the broker's, or that of the layer that refused.
    fn run<'a, P: Publisher>(
        &'a self,
        out: &'a mut Outgoing<'a>,
        send: &'a P,
        options: Option<&'a P::Options>,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a;
}

/// Something around every publish of the application.
///
/// A layer may change the message, wait, look at the outcome of [`PublishNext::run`], or refuse by
/// returning an error without calling it. The layer added last runs outermost.
///
/// ```
/// use std::error::Error;
///
/// use ruststream_core::Publisher;
/// use ruststream_runtime::{Outgoing, PublishLayer, PublishNext, PublishPipeline};
///
/// /// Refuses what no broker of ours takes.
/// #[derive(Clone)]
/// struct AtMost(usize);
///
/// impl PublishLayer for AtMost {
///     async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
///         &'a self,
///         out: &'a mut Outgoing<'a>,
///         next: PublishNext<'a, N, P>,
///     ) -> Result<(), Box<dyn Error + Send + Sync>> {
///         if out.payload().len() > self.0 {
///             return Err("the payload is too large".into());
///         }
///         next.run(out).await
///     }
/// }
/// ```
pub trait PublishLayer: Send + Sync {
    /// Handles one publish; `next` is the rest of the way and runs at most once.
    fn on_publish<'a, N: PublishPipeline, P: Publisher>(
        &'a self,
        out: &'a mut Outgoing<'a>,
        next: PublishNext<'a, N, P>,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a;
}

/// No layer: the send itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct PublishIdentity;

impl PublishPipeline for PublishIdentity {
    const NOTHING: bool = true;

    #[inline]
    async fn run<'a, P: Publisher>(
        &'a self,
        out: &'a mut Outgoing<'a>,
        send: &'a P,
        options: Option<&'a P::Options>,
    ) -> Result<(), BoxError> {
        Ok(out.send_through(send, options).await?)
    }
}

/// A layer around the rest: `Head` was added last and runs first.
#[derive(Debug, Clone, Copy, Default)]
pub struct PublishStack<Head, Tail> {
    head: Head,
    tail: Tail,
}

impl<Head, Tail> PublishStack<Head, Tail> {
    /// `head` around everything in `tail`.
    pub(crate) const fn new(head: Head, tail: Tail) -> Self {
        Self { head, tail }
    }
}

impl<Head: PublishLayer, Tail: PublishPipeline> PublishPipeline for PublishStack<Head, Tail> {
    #[inline]
    fn run<'a, P: Publisher>(
        &'a self,
        out: &'a mut Outgoing<'a>,
        send: &'a P,
        options: Option<&'a P::Options>,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        self.head.on_publish(
            out,
            PublishNext {
                pipeline: &self.tail,
                publisher: send,
                options,
            },
        )
    }
}

/// The rest of a publish, seen from a layer: the layers inside it, then the send.
pub struct PublishNext<'a, N, P: Publisher> {
    pipeline: &'a N,
    publisher: &'a P,
    options: Option<&'a P::Options>,
}

impl<'a, N: PublishPipeline, P: Publisher> PublishNext<'a, N, P> {
    /// Goes on with the message.
    ///
    /// The future fails with the broker's error, or that of an inner layer that refused.
    #[inline]
    pub fn run(
        self,
        out: &'a mut Outgoing<'a>,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        self.pipeline.run(out, self.publisher, self.options)
    }
}

impl<N, P: Publisher> fmt::Debug for PublishNext<'_, N, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublishNext").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use ruststream_core::{Lend, Take};

    use super::*;
    use crate::publish::testkit::{Recorder, Refused, Urgency};

    /// Appends its mark to a header, then notes that the send came back.
    struct Append(&'static str);

    impl PublishLayer for Append {
        async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
            &'a self,
            out: &'a mut Outgoing<'a>,
            next: PublishNext<'a, N, P>,
        ) -> Result<(), BoxError> {
            let marks = out
                .headers()
                .get_str("marks")
                .unwrap_or_default()
                .to_owned()
                + self.0;
            out.headers_mut().insert("marks", marks);
            next.run(out).await
        }
    }

    struct Refuse;

    impl PublishLayer for Refuse {
        async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
            &'a self,
            _out: &'a mut Outgoing<'a>,
            next: PublishNext<'a, N, P>,
        ) -> Result<(), BoxError> {
            assert_eq!(format!("{next:?}"), "PublishNext { .. }", "PUB-654");
            Err("not today".into())
        }
    }

    // PUB-650
    #[tokio::test]
    async fn the_layer_added_last_runs_first() {
        let pipeline =
            PublishStack::new(Append("B"), PublishStack::new(Append("A"), PublishIdentity));
        let publisher = Recorder::<Lend>::new();
        let mut out = Outgoing::new("a", &b"parcel"[..]);

        pipeline
            .run(&mut out, &publisher, Some(&Urgency(Some(1))))
            .await
            .expect("publishes");

        let sent = publisher.only();
        assert_eq!(sent.headers.get_str("marks"), Some("BA"));
        // PUB-235
        assert_eq!(sent.options, Some(Urgency(Some(1))));
    }

    // PUB-651
    #[tokio::test]
    async fn a_layer_that_refuses_sends_nothing() {
        let pipeline = PublishStack::new(Refuse, PublishIdentity);
        let publisher = Recorder::<Take>::new();
        let mut out = Outgoing::new("a", &b"parcel"[..]);

        let error = pipeline
            .run(&mut out, &publisher, None)
            .await
            .expect_err("refused");

        assert_eq!(error.to_string(), "not today");
        assert!(publisher.sent().is_empty());
    }

    // PUB-651
    #[tokio::test]
    async fn a_layer_sees_the_publishers_own_error() {
        let pipeline = PublishStack::new(Append("A"), PublishIdentity);
        let publisher = Recorder::<Take>::new().refusing();
        let mut out = Outgoing::new("a", &b"parcel"[..]);
        let error = pipeline
            .run(&mut out, &publisher, None)
            .await
            .expect_err("refused");
        assert_eq!(error.downcast_ref::<Refused>(), Some(&Refused));
    }
}
