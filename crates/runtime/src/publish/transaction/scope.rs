//! The borrowed kind: the one transaction a publisher's handle may have open.

use std::fmt;
use std::marker::PhantomData;

use ruststream_core::{OutgoingDestination, Publisher, TransactionalPublisher};
use serde::Serialize;

use super::{Admits, TransactionPublishError, encoded};
use crate::publish::builder::{MessageBody, PublishBuilder, message_of};
use crate::publish::codec::PublishCodec;
use crate::publish::headers::HeadersUnset;
use crate::publish::scratch::Scratch;

/// The open transaction of a publisher's handle, borrowed until it is settled.
///
/// A failed publish leaves it open. Dropped without [`commit`](Self::commit) or
/// [`abort`](Self::abort) it logs a warning and the transaction stays open on the handle, where the
/// next `begin` then fails.
///
/// ```
/// # use ruststream_core::{CallerName, MessageHeaders, NoHeaders, OutgoingDestination};
/// use ruststream_core::TransactionalPublisher;
/// use ruststream_runtime::PublishExt;
/// # #[derive(serde::Serialize)]
/// # struct Entry { cents: i64 }
/// # impl OutgoingDestination for Entry { type Form = CallerName; }
/// # impl MessageHeaders for Entry { type Contract = NoHeaders; }
///
/// # #[cfg(feature = "json")]
/// async fn transfer<P: TransactionalPublisher>(ledger: &P, cents: i64) -> Result<(), P::Error> {
///     let scope = ledger.begin().await?;
///     let debit = scope.message(&Entry { cents: -cents }).to("debits").publish().await;
///     let credit = scope.message(&Entry { cents }).to("credits").publish().await;
///     if debit.and(credit).is_ok() { scope.commit().await } else { scope.abort().await }
/// }
/// ```
#[must_use = "a transaction that is not committed publishes nothing"]
pub struct TransactionScope<'a, P, Enc, Admit> {
    publisher: &'a P,
    codec: Enc,
    settled: bool,
    admit: PhantomData<fn() -> Admit>,
}

impl<'a, P, Enc, Admit> TransactionScope<'a, P, Enc, Admit> {
    /// The scope of a transaction that has just begun.
    pub(crate) fn new(publisher: &'a P, codec: Enc) -> Self {
        Self {
            publisher,
            codec,
            settled: false,
            admit: PhantomData,
        }
    }
}

impl<'s, P: Publisher, Enc: Copy, Admit> TransactionScope<'s, P, Enc, Admit> {
    /// Starts a publish inside the transaction. Transforms and layers do not run.
    pub fn message<'a, T, Index>(
        &'a self,
        value: &'a T,
    ) -> PublishBuilder<&'s P, MessageBody<'a, T>, Enc, HeadersUnset, T::Form>
    where
        T: OutgoingDestination,
        Admit: Admits<T, Index>,
    {
        message_of(self.publisher, value, self.codec)
    }
}

impl<P, Enc, Admit> TransactionScope<'_, P, Enc, Admit>
where
    P: TransactionalPublisher,
    Enc: PublishCodec,
{
    /// Publishes a value that declares nothing, to `name`, with the surface's codec and the
    /// publisher's base headers.
    ///
    /// # Errors
    ///
    /// The codec's error or the publisher's; the transaction stays open.
    pub async fn publish<T: Serialize + Sync>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<(), TransactionPublishError<P::Error>> {
        let mut buffer = Scratch::take();
        let codec = self.codec.codec();
        let base = self.publisher.base_headers();
        let message = encoded::<P::Payload, _, _>(name, value, codec, base, &mut buffer)
            .map_err(TransactionPublishError::Encode)?;
        self.publisher
            .publish(message, None)
            .await
            .map_err(TransactionPublishError::Publish)
    }
}

impl<P: TransactionalPublisher, Enc, Admit> TransactionScope<'_, P, Enc, Admit> {
    /// Makes what was published visible, together and in order.
    ///
    /// Settled once the broker has answered, whatever the answer; a future dropped before that
    /// counts as unsettled.
    ///
    /// # Errors
    ///
    /// The broker's error. The transaction is closed then too, its messages are lost.
    pub async fn commit(mut self) -> Result<(), P::Error> {
        let outcome = self.publisher.commit().await;
        self.settled = true;
        outcome
    }

    /// Discards what was published. Settled as for [`commit`](Self::commit).
    ///
    /// # Errors
    ///
    /// The broker's error.
    pub async fn abort(mut self) -> Result<(), P::Error> {
        let outcome = self.publisher.abort().await;
        self.settled = true;
        outcome
    }
}

impl<P, Enc, Admit> Drop for TransactionScope<'_, P, Enc, Admit> {
    fn drop(&mut self) {
        if !self.settled {
            warn_unsettled();
        }
    }
}

#[cold]
fn warn_unsettled() {
    tracing::warn!(
        target: "ruststream::dispatch",
        "transaction scope dropped without commit or abort; the transaction stays open on its \
         publisher"
    );
}

impl<P, Enc, Admit> fmt::Debug for TransactionScope<'_, P, Enc, Admit> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransactionScope").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use ruststream_core::{OutgoingFor, Take};

    use super::*;
    use crate::publish::testkit::{Held, Recorder, Refused, Urgency, headers, warnings};
    use crate::publish::{AnyDeclared, PublishExt, UnnamedCodec};

    type Scope<'a, P> = TransactionScope<'a, P, UnnamedCodec, AnyDeclared>;

    fn open<P>(publisher: &P) -> Scope<'_, P> {
        TransactionScope::new(publisher, UnnamedCodec::new())
    }

    /// Polls once: a value that is ready, or `None` for a future that is then dropped.
    fn poll<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    // PUB-704
    #[test]
    fn a_scope_dropped_unsettled_warns_and_settles_nothing() {
        let publisher = Recorder::<Take>::new();

        let logged = warnings(|| drop(poll(publisher.begin())));

        let [(target, message)] = &logged[..] else {
            panic!("one warning: {logged:?}")
        };
        assert_eq!(target, "ruststream::dispatch");
        assert!(
            message.contains("transaction scope dropped without commit"),
            "{message}"
        );
        assert_eq!(publisher.calls(), ["begin"]);
    }

    // PUB-703, PUB-704
    #[test]
    fn a_settled_scope_is_silent() {
        let publisher = Recorder::<Take>::new();
        let logged = warnings(|| {
            assert_eq!(poll(open(&publisher).commit()), Some(Ok(())));
            assert_eq!(poll(open(&publisher).abort()), Some(Ok(())));
        });
        assert!(logged.is_empty(), "{logged:?}");
        assert_eq!(publisher.calls(), ["commit", "abort"]);
    }

    // PUB-704: settled with an error is settled.
    #[test]
    fn a_failed_commit_is_silent() {
        let publisher = Recorder::<Take>::new().refusing();
        let logged = warnings(|| assert_eq!(poll(open(&publisher).commit()), Some(Err(Refused))));
        assert!(logged.is_empty(), "{logged:?}");
    }

    /// A publisher that never answers.
    struct Stuck;

    impl Publisher for Stuck {
        type Payload = Take;
        type Error = Refused;
        type Options = ();

        async fn publish(
            &self,
            _msg: OutgoingFor<'_, Take>,
            _options: Option<&()>,
        ) -> Result<(), Refused> {
            pending().await
        }
    }

    impl TransactionalPublisher for Stuck {
        async fn begin_transaction(&self) -> Result<(), Refused> {
            pending().await
        }

        async fn commit(&self) -> Result<(), Refused> {
            pending().await
        }

        async fn abort(&self) -> Result<(), Refused> {
            pending().await
        }
    }

    // PUB-703, PUB-704
    #[test]
    fn a_commit_given_up_midway_warns() {
        let logged = warnings(|| assert_eq!(poll(open(&Stuck).commit()), None));
        assert_eq!(logged.len(), 1, "{logged:?}");
    }

    // PUB-702
    #[tokio::test]
    async fn a_refused_begin_yields_no_scope() {
        let publisher = Recorder::<Take>::new().refusing();
        assert_eq!(publisher.begin().await.err(), Some(Refused));
    }

    // PUB-703, PUB-705, PUB-130
    #[tokio::test]
    async fn a_scope_publishes_with_base_headers_and_options_until_it_is_settled() {
        let publisher = Recorder::<Take>::new().with_base(headers([("tenant", "acme")]));
        let scope = publisher.begin().await.expect("begins");
        let value = Held(b"parcel".to_vec());
        let mut publish = scope.message(&value).to("a");
        *publish.options_mut() = Some(Urgency(Some(1)));

        publish.publish().await.expect("publishes");
        scope.commit().await.expect("commits");

        let sent = publisher.only();
        assert_eq!(sent.headers, headers([("tenant", "acme")]));
        assert_eq!(sent.options, Some(Urgency(Some(1))));
        assert_eq!(publisher.calls(), ["begin", "commit"]);
    }

    #[test]
    fn debug_names_the_type_only() {
        assert_eq!(
            format!("{:?}", open(&Recorder::<Take>::new())),
            "TransactionScope { .. }"
        );
    }

    #[cfg(feature = "json")]
    mod foreign {
        use std::error::Error;

        use super::*;
        use crate::publish::testkit::Unencodable;

        // PUB-706
        #[tokio::test]
        async fn a_foreign_value_goes_to_an_explicit_name_over_the_base_headers() {
            let publisher = Recorder::<Take>::new().with_base(headers([("tenant", "acme")]));
            let mut scope = publisher.begin().await.expect("begins");

            scope.publish("a", &7_u32).await.expect("publishes");
            scope.commit().await.expect("commits");

            let sent = publisher.only();
            assert_eq!((sent.name.as_str(), &sent.payload[..]), ("a", &b"7"[..]));
            assert_eq!(sent.headers, headers([("tenant", "acme")]));
        }

        // PUB-703, PUB-706
        #[tokio::test]
        async fn a_failed_publish_says_why_and_leaves_the_scope_open() {
            let publisher = Recorder::<Take>::new();
            let mut scope = publisher.begin().await.expect("begins");

            let error = scope.publish("a", &Unencodable).await.expect_err("fails");

            let text = "failed to encode the value for a transactional publish";
            assert_eq!(error.to_string(), text);
            assert!(error.source().is_some());
            scope.commit().await.expect("still open");
            let refused = TransactionPublishError::Publish(Refused);
            assert_eq!(
                refused.to_string(),
                "failed to publish inside the transaction"
            );
        }
    }
}
