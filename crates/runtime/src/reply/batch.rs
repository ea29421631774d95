//! From a batch body's replies to a verdict: publish all of them, then acknowledge.

use std::any::type_name;
use std::fmt::Display;
use std::future::Future;
use std::panic::resume_unwind;

use bytes::BytesMut;
use ruststream_core::codec::Codec;
use ruststream_core::{
    ConnectedBroker, DefaultPublish, HeaderMap, PairError, PublishPolicy, Publisher,
    TransactionalPublisher,
};
use serde::Serialize;
use tokio::sync::Mutex;

use super::answer::NoAnswer;
use super::destination::{DestNotice, ReplyDest};
use super::publisher::{Transactional, TypedPublisher, base_headers};
use super::shape::ReplyShape;
use super::wiring::{Direct, InTransaction, ReplyWiring};
use crate::app::BoxError;
use crate::docs::OutgoingMessageMetadata;
use crate::extract::Context;
use crate::mount::{DefaultReply, NoReply, ReplyAttachment, WithSource};
use crate::observe::Observed;
use crate::outcome::HandlerResult;
use crate::publish::{
    BatchPublishTransform, Outgoing, PublishCodec, PublishContext, PublishPipeline,
};
use crate::unwind::caught;

/// One reply of a batch (PUB-335).
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a reply of a batch: a batch replies with `serde::Serialize` values without headers",
    label = "the replies of a batch are encoded by a codec and carry no headers of their own",
    note = "derive `serde::Serialize` for it; `Message<H, P>` and types that produce their own \
            bytes answer single messages only"
)]
pub trait BatchReply: ReplyShape + Serialize {}

#[diagnostic::do_not_recommend]
impl<R: Serialize + Send + Sync> BatchReply for R {}

/// What becomes of `Ok(replies)` of a batch body.
#[doc(hidden)]
pub trait BatchAnswer<R, C>: Send + Sync {
    /// Publishes the replies, if there are any, and says how every element is settled.
    ///
    /// # Panics
    ///
    /// Another number of replies than `accepted`, the number of elements the body saw (PUB-331).
    fn answer<S: Sync>(
        &self,
        replies: R,
        accepted: usize,
        ctx: &mut Context<'_, C, S>,
    ) -> impl Future<Output = HandlerResult> + Send;
}

/// A reply position, turned into its [`BatchAnswer`] at startup.
#[doc(hidden)]
pub trait PairBatchAnswer<Mount, Conn, R, Dest, C>: Send + 'static {
    /// The answer, behind the publish layers `PP`.
    type Answer<PP: PublishPipeline + 'static>: BatchAnswer<R, C> + 'static;
    /// Adds to the record of the replies what the position publishes them with.
    fn describe(&self, answer: &mut OutgoingMessageMetadata);
    /// Tells of a mount-site name that the reply type overruled (PUB-306).
    fn warn_ignored(dest: &Dest, subscription: &str);
    /// Pairs the policy.
    fn pair<PP: PublishPipeline + 'static>(
        self,
        dest: Dest,
        pipeline: PP,
        connected: &Conn,
    ) -> impl Future<Output = Result<Self::Answer<PP>, PairError>> + Send;
}

impl<C: Send> BatchAnswer<(), C> for NoAnswer {
    #[inline]
    async fn answer<S: Sync>(
        &self,
        (): (),
        _accepted: usize,
        _ctx: &mut Context<'_, C, S>,
    ) -> HandlerResult {
        HandlerResult::Ack
    }
}

impl<Mount, Conn: Sync, C: Send> PairBatchAnswer<Mount, Conn, (), (), C> for NoReply {
    type Answer<PP: PublishPipeline + 'static> = NoAnswer;
    fn describe(&self, _answer: &mut OutgoingMessageMetadata) {}
    fn warn_ignored((): &(), _subscription: &str) {}
    async fn pair<PP: PublishPipeline + 'static>(
        self,
        (): (),
        _pipeline: PP,
        _connected: &Conn,
    ) -> Result<NoAnswer, PairError> {
        Ok(NoAnswer)
    }
}

impl<Mount, Conn, R, Dest, C> PairBatchAnswer<Mount, Conn, R, Dest, C> for DefaultReply
where
    Conn: DefaultPublish + Sync,
    Dest: Send,
    Mount: ReplyAttachment<Conn::Policy>,
    WithSource<Mount::Wiring>: PairBatchAnswer<Mount, Conn, R, Dest, C>,
{
    type Answer<PP: PublishPipeline + 'static> =
        <WithSource<Mount::Wiring> as PairBatchAnswer<Mount, Conn, R, Dest, C>>::Answer<PP>;
    fn describe(&self, answer: &mut OutgoingMessageMetadata) {
        WithSource(Mount::wire(Conn::Policy::default())).describe(answer);
    }
    fn warn_ignored(dest: &Dest, subscription: &str) {
        WithSource::<Mount::Wiring>::warn_ignored(dest, subscription);
    }
    fn pair<PP: PublishPipeline + 'static>(
        self,
        dest: Dest,
        pipeline: PP,
        connected: &Conn,
    ) -> impl Future<Output = Result<Self::Answer<PP>, PairError>> + Send {
        WithSource(Mount::wire(Conn::Policy::default())).pair(dest, pipeline, connected)
    }
}

/// Encoded replies of a batch; `Replies` says whether they leave one by one or in a transaction.
#[doc(hidden)]
#[derive(Debug)]
pub struct EncodedReplies<Replies, PP, Dest> {
    replies: Replies,
    pipeline: PP,
    dest: Dest,
}

/// Writes the pairing of one transaction state.
macro_rules! encoded_replies {
    ($transaction:ty: $live:path as $form:ident, $replies:ident => $finish:expr;) => {
        impl<Mount, Conn, One, Dest, C, Policy, Enc, PL, BL>
            PairBatchAnswer<Mount, Conn, Vec<One>, Dest, C>
            for WithSource<ReplyWiring<Policy, Enc, PL, BL, $transaction>>
        where
            Conn: ConnectedBroker,
            C: Send + Sync,
            One: BatchReply + 'static,
            Dest: ReplyDest<One> + DestNotice<One> + 'static,
            Policy: PublishPolicy<Conn, Live: $live + 'static> + Send + 'static,
            Enc: PublishCodec<Codec: Clone + 'static> + Send + 'static,
            PL: Send + Sync + 'static,
            BL: BatchPublishTransform<C, <Policy::Live as Publisher>::Options> + 'static,
        {
            type Answer<PP: PublishPipeline + 'static> =
                EncodedReplies<$form<Observed<Policy::Live>, Enc::Codec, PL, BL>, PP, Dest>;

            fn describe(&self, answer: &mut OutgoingMessageMetadata) {
                answer.encoded_as::<Enc::Codec>();
                answer.published_by::<Conn, Policy>(&self.0.policy);
            }

            fn warn_ignored(dest: &Dest, subscription: &str) {
                dest.warn_ignored(subscription);
            }

            async fn pair<PP: PublishPipeline + 'static>(
                self,
                dest: Dest,
                pipeline: PP,
                connected: &Conn,
            ) -> Result<Self::Answer<PP>, PairError> {
                let ReplyWiring {
                    policy,
                    codec,
                    transforms,
                    batch_transforms,
                    ..
                } = self.0;
                let codec = codec.codec().clone();
                let publisher = Observed::pairing(policy.pair(connected)).await?;
                let $replies = TypedPublisher {
                    publisher,
                    codec,
                    transforms,
                    batch_transforms,
                };
                Ok(EncodedReplies {
                    replies: $finish,
                    pipeline,
                    dest,
                })
            }
        }
    };
}

encoded_replies! { Direct: Publisher as TypedPublisher, replies => replies; }
encoded_replies! {
    InTransaction: TransactionalPublisher as Transactional,
    replies => Transactional { typed: replies, open: Mutex::new(()) };
}

/// Publishes all replies of a batch.
trait PublishReplies<C>: Send + Sync {
    fn publish_all<One, PP>(
        &self,
        name: &str,
        replies: &[One],
        pipeline: &PP,
        view: &PublishContext<'_, C>,
        buf: &mut BytesMut,
    ) -> impl Future<Output = Result<(), BoxError>> + Send
    where
        One: BatchReply,
        PP: PublishPipeline;
}

/// PUB-332: each by itself, in order; a failure leaves the ones before it visible.
impl<C, P, Cd, PL, BL> PublishReplies<C> for TypedPublisher<P, Cd, PL, BL>
where
    C: Send + Sync,
    P: Publisher,
    Cd: Codec,
    PL: Send + Sync,
    BL: BatchPublishTransform<C, P::Options>,
{
    async fn publish_all<One, PP>(
        &self,
        name: &str,
        replies: &[One],
        pipeline: &PP,
        view: &PublishContext<'_, C>,
        buf: &mut BytesMut,
    ) -> Result<(), BoxError>
    where
        One: BatchReply,
        PP: PublishPipeline,
    {
        for reply in replies {
            let payload = self.encode(reply, buf)?;
            let mut out =
                Outgoing::holding::<P::Payload>(name, payload, base_headers(&self.publisher));
            let mut options = None;
            self.batch_transforms.apply(&mut out, &mut options, view);
            pipeline
                .run(&mut out, &self.publisher, options.as_ref())
                .await?;
        }
        Ok(())
    }
}

/// PUB-333: all of them or none.
impl<C, P, Cd, PL, BL> PublishReplies<C> for Transactional<P, Cd, PL, BL>
where
    C: Send + Sync,
    P: TransactionalPublisher,
    Cd: Codec,
    PL: Send + Sync,
    BL: BatchPublishTransform<C, P::Options>,
{
    async fn publish_all<One, PP>(
        &self,
        name: &str,
        replies: &[One],
        pipeline: &PP,
        view: &PublishContext<'_, C>,
        buf: &mut BytesMut,
    ) -> Result<(), BoxError>
    where
        One: BatchReply,
        PP: PublishPipeline,
    {
        let _open = self.open.lock().await;
        let publisher = &self.typed.publisher;
        publisher.begin_transaction().await?;
        let all = self.typed.publish_all(name, replies, pipeline, view, buf);
        // A transform that panics must not leave the handle with an open transaction.
        match caught(all).await {
            // A failed commit closes the transaction by itself.
            Ok(Ok(())) => Ok(publisher.commit().await?),
            Ok(Err(error)) => {
                abort(publisher).await;
                Err(error)
            }
            Err(panic) => {
                abort(publisher).await;
                resume_unwind(panic)
            }
        }
    }
}

async fn abort<P: TransactionalPublisher>(publisher: &P) {
    if let Err(error) = publisher.abort().await {
        tracing::warn!(
            target: "ruststream::dispatch", error = %error, "transaction abort failed"
        );
    }
}

/// A batch has no headers (RUN-367), so a transform sees none, whatever its body did.
static NO_HEADERS: HeaderMap = HeaderMap::new();

impl<One, C, Replies, PP, Dest> BatchAnswer<Vec<One>, C> for EncodedReplies<Replies, PP, Dest>
where
    One: BatchReply,
    C: Send + Sync,
    Replies: PublishReplies<C>,
    PP: PublishPipeline,
    Dest: ReplyDest<One>,
{
    async fn answer<S: Sync>(
        &self,
        replies: Vec<One>,
        accepted: usize,
        ctx: &mut Context<'_, C, S>,
    ) -> HandlerResult {
        assert!(
            replies.len() == accepted,
            "subscriber '{}' returned {} replies for a batch of {accepted}",
            ctx.name(),
            replies.len()
        );
        let mut own = BytesMut::new();
        let buf = ctx.take_encode_buffer().unwrap_or(&mut own);
        let view = PublishContext::from_map(ctx.name(), &NO_HEADERS, ctx.delivery());
        let name = self.dest.name();
        let sent = self
            .replies
            .publish_all(name, &replies, &self.pipeline, &view, buf)
            .await;
        match sent {
            Ok(()) => HandlerResult::Ack,
            Err(error) => publish_failed::<One>(ctx.name(), name, &error),
        }
    }
}

/// RUN-204: the whole batch comes again.
#[cold]
fn publish_failed<R>(subscription: &str, reply: &str, error: &dyn Display) -> HandlerResult {
    tracing::warn!(
        target: "ruststream::dispatch",
        subscription = %subscription, reply = %reply, reply_type = type_name::<R>(),
        error = %error, "batch reply publish failed"
    );
    HandlerResult::Nack { requeue: true }
}
