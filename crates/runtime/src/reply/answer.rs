//! From a body's answer to a verdict: publish the reply, then acknowledge.

use std::any::type_name;
use std::fmt::Display;
use std::future::Future;

use bytes::BytesMut;
use ruststream_core::codec::Codec;
use ruststream_core::{
    ConnectedBroker, DefaultPublish, Filled, OutgoingMessage, PairError, PayloadForm,
    PublishPolicy, Publisher,
};
use serde::Serialize;

use super::destination::ReplyDest;
use super::publisher::{TypedPublisher, base_headers};
use super::shape::{ReplyShape, WriteReplyHeaders};
use super::wiring::{Direct, RawReplyWiring, ReplyWiring};
use crate::app::BoxError;
use crate::docs::OutgoingMessageMetadata;
use crate::extract::Context;
use crate::mount::{DefaultReply, NoReply, ReplyAttachment, WithSource};
use crate::observe::Observed;
use crate::outcome::HandlerOutcome;
use crate::publish::{
    ForReply, NamesDestination, Outgoing, PublishCodec, PublishContext, PublishPipeline,
    PublishTransform, Serialized, WireBytes,
};

/// What becomes of `Ok(reply)` of one message.
#[doc(hidden)]
pub trait Answer<R, C>: Send + Sync {
    /// Publishes the reply, if there is one, and says how the delivery is settled.
    fn answer<S: Sync>(
        &self,
        reply: R,
        ctx: &mut Context<'_, C, S>,
    ) -> impl Future<Output = HandlerOutcome> + Send;
}

/// A reply position, turned into its [`Answer`] at startup.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this registration does not publish the answer `{R}` of its body: does its definition say `reply`?",
    label = "the definition has no reply, or its reply position does not fit",
    note = "a body that answers replies: `reply` in its attribute, or `.reply()` before `.build()` by hand"
)]
pub trait PairAnswer<Mount, Conn, R, Dest, C>: Send + 'static {
    /// The answer, behind the publish layers `PP`.
    type Answer<PP: PublishPipeline + 'static>: Answer<R, C> + 'static;
    /// Adds to the record of the reply what the position publishes it with.
    fn describe(&self, answer: &mut OutgoingMessageMetadata);
    /// Pairs the policy.
    fn pair<PP: PublishPipeline + 'static>(
        self,
        dest: Dest,
        pipeline: PP,
        connected: &Conn,
    ) -> impl Future<Output = Result<Self::Answer<PP>, PairError>> + Send;
}

/// The body replies nothing: `Ok` acknowledges.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct NoAnswer;

impl<C: Send> Answer<(), C> for NoAnswer {
    #[inline]
    async fn answer<S: Sync>(&self, (): (), _ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        HandlerOutcome::ack()
    }
}

impl<Mount, Conn: Sync, C: Send> PairAnswer<Mount, Conn, (), (), C> for NoReply {
    type Answer<PP: PublishPipeline + 'static> = NoAnswer;
    fn describe(&self, _answer: &mut OutgoingMessageMetadata) {}
    async fn pair<PP: PublishPipeline + 'static>(
        self,
        (): (),
        _pipeline: PP,
        _connected: &Conn,
    ) -> Result<NoAnswer, PairError> {
        Ok(NoAnswer)
    }
}

impl<Mount, Conn, R, Dest, C> PairAnswer<Mount, Conn, R, Dest, C> for DefaultReply
where
    Conn: DefaultPublish + Sync,
    Dest: Send,
    Mount: ReplyAttachment<Conn::Policy>,
    WithSource<Mount::Wiring>: PairAnswer<Mount, Conn, R, Dest, C>,
{
    type Answer<PP: PublishPipeline + 'static> =
        <WithSource<Mount::Wiring> as PairAnswer<Mount, Conn, R, Dest, C>>::Answer<PP>;
    fn describe(&self, answer: &mut OutgoingMessageMetadata) {
        WithSource(Mount::wire(Conn::Policy::default())).describe(answer);
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

/// An encoded reply.
#[doc(hidden)]
#[derive(Debug)]
pub struct EncodedAnswer<P, Cd, PL, BL, PP, Dest> {
    publisher: TypedPublisher<P, Cd, PL, BL>,
    pipeline: PP,
    dest: Dest,
}

impl<Mount, Conn, R, Dest, C, Policy, Enc, PL, BL> PairAnswer<Mount, Conn, R, Dest, C>
    for WithSource<ReplyWiring<Policy, Enc, PL, BL, Direct>>
where
    Conn: ConnectedBroker,
    C: Send + Sync,
    R: WriteReplyHeaders<Body: Serialize>,
    Dest: ReplyDest<R> + 'static,
    Policy: PublishPolicy<Conn, Live: Publisher + 'static> + Send + 'static,
    Enc: PublishCodec<Codec: Clone + 'static> + Send + 'static,
    PL: PublishTransform<ForReply<C>, <Policy::Live as Publisher>::Options> + 'static,
    BL: Send + Sync + 'static,
{
    type Answer<PP: PublishPipeline + 'static> =
        EncodedAnswer<Observed<Policy::Live>, Enc::Codec, PL, BL, PP, Dest>;

    fn describe(&self, answer: &mut OutgoingMessageMetadata) {
        answer.encoded_as::<Enc::Codec>();
        answer.published_by::<Conn, Policy>(&self.0.policy);
        if <PL::Destination as NamesDestination>::NAMES {
            answer.addressed_per_delivery::<Conn, Policy>(&self.0.policy);
        }
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
        let publisher = TypedPublisher {
            publisher,
            codec,
            transforms,
            batch_transforms,
        };
        Ok(EncodedAnswer {
            publisher,
            pipeline,
            dest,
        })
    }
}

impl<R, C, P, Cd, PL, BL, PP, Dest> Answer<R, C> for EncodedAnswer<P, Cd, PL, BL, PP, Dest>
where
    C: Send + Sync,
    R: WriteReplyHeaders<Body: Serialize>,
    P: Publisher,
    Cd: Codec,
    PL: PublishTransform<ForReply<C>, P::Options>,
    BL: Send + Sync,
    PP: PublishPipeline,
    Dest: ReplyDest<R>,
{
    async fn answer<S: Sync>(&self, reply: R, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        let mut own = None;
        let lent = ctx.take_encode_buffer();
        let buf = lent.unwrap_or_else(|| own.insert(BytesMut::new()));
        let published = if PL::NOTHING && PP::NOTHING {
            self.publish_as_is(&reply, buf).await
        } else {
            let view = ctx.publish_view();
            self.publish(&reply, &view, buf).await
        };
        match published {
            Ok(()) => HandlerOutcome::ack(),
            Err(error) => publish_failed::<R>(ctx.name(), self.dest.name(), &error),
        }
    }
}

impl<P, Cd, PL, BL, PP, Dest> EncodedAnswer<P, Cd, PL, BL, PP, Dest> {
    /// The reply with nothing between it and the publisher, so that nothing opens it.
    async fn publish_as_is<R>(&self, reply: &R, buf: &mut BytesMut) -> Result<(), BoxError>
    where
        R: WriteReplyHeaders<Body: Serialize>,
        P: Publisher,
        Cd: Codec,
        Dest: ReplyDest<R>,
    {
        let payload = self.publisher.encode(reply.body(), buf)?;
        let mut headers = base_headers(&self.publisher.publisher);
        reply.write_headers(&mut headers)?;
        let message = OutgoingMessage::assembled(self.dest.name(), payload, headers);
        let sent = self.publisher.publisher.publish(message, None);
        sent.await.map_err(Into::into)
    }

    async fn publish<R, C>(
        &self,
        reply: &R,
        view: &PublishContext<'_, C>,
        buf: &mut BytesMut,
    ) -> Result<(), BoxError>
    where
        C: Send + Sync,
        R: WriteReplyHeaders<Body: Serialize>,
        P: Publisher,
        Cd: Codec,
        PL: PublishTransform<ForReply<C>, P::Options>,
        PP: PublishPipeline,
        Dest: ReplyDest<R>,
        BL: Send + Sync,
    {
        let payload = self.publisher.encode(reply.body(), buf)?;
        let mut headers = base_headers(&self.publisher.publisher);
        reply.write_headers(&mut headers)?;
        let mut out = Outgoing::holding::<P::Payload>(self.dest.name(), payload, headers);
        let mut options = None;
        self.publisher
            .transforms
            .apply(&mut out, &mut options, view);
        let publisher = &self.publisher.publisher;
        if PP::NOTHING {
            let sent = out.send_through(publisher, options.as_ref());
            return sent.await.map_err(Into::into);
        }
        self.pipeline
            .run(&mut out, publisher, options.as_ref())
            .await
    }
}

/// A reply that leaves as its own bytes: no codec, no transforms, no layers (PUB-313).
#[doc(hidden)]
#[derive(Debug)]
pub struct RawAnswer<P, Dest> {
    publisher: P,
    dest: Dest,
}

impl<Mount, Conn, R, Dest, C, Policy> PairAnswer<Mount, Conn, R, Dest, C>
    for WithSource<RawReplyWiring<Policy>>
where
    Conn: ConnectedBroker,
    C: Send + Sync,
    R: ReplyShape + Serialized,
    Dest: ReplyDest<R> + 'static,
    Policy: PublishPolicy<Conn, Live: Publisher + 'static> + Send + 'static,
{
    type Answer<PP: PublishPipeline + 'static> = RawAnswer<Observed<Policy::Live>, Dest>;

    fn describe(&self, answer: &mut OutgoingMessageMetadata) {
        answer.published_by::<Conn, Policy>(&self.0.0);
    }

    async fn pair<PP: PublishPipeline + 'static>(
        self,
        dest: Dest,
        _pipeline: PP,
        connected: &Conn,
    ) -> Result<Self::Answer<PP>, PairError> {
        let publisher = Observed::pairing(self.0.0.pair(connected)).await?;
        Ok(RawAnswer { publisher, dest })
    }
}

impl<R, C, P, Dest> Answer<R, C> for RawAnswer<P, Dest>
where
    C: Send + Sync,
    R: ReplyShape + Serialized,
    P: Publisher,
    Dest: ReplyDest<R>,
{
    async fn answer<S: Sync>(&self, reply: R, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        let mut own = None;
        let lent = ctx.take_encode_buffer();
        let buf = lent.unwrap_or_else(|| own.insert(BytesMut::new()));
        match self.publish(&reply, buf).await {
            Ok(()) => HandlerOutcome::ack(),
            Err(error) => publish_failed::<R>(ctx.name(), self.dest.name(), &error),
        }
    }
}

impl<P: Publisher, Dest> RawAnswer<P, Dest> {
    async fn publish<R: Serialized + Sync>(
        &self,
        reply: &R,
        buf: &mut BytesMut,
    ) -> Result<(), BoxError>
    where
        Dest: ReplyDest<R>,
    {
        let payload = P::Payload::fill(buf, |buf| {
            reply.wire_bytes(buf).map(|bytes| match bytes {
                WireBytes::Own(own) => Filled::Own(own),
                WireBytes::InBuffer => Filled::InBuffer,
            })
        })?;
        let headers = base_headers(&self.publisher);
        let message = OutgoingMessage::assembled(self.dest.name(), payload, headers);
        self.publisher
            .publish(message, None)
            .await
            .map_err(Into::into)
    }
}

/// PUB-311: the reply did not leave, so the delivery comes again.
#[cold]
fn publish_failed<R>(subscription: &str, reply: &str, error: &dyn Display) -> HandlerOutcome {
    tracing::warn!(
        target: "ruststream::dispatch",
        subscription = %subscription, reply = %reply, reply_type = type_name::<R>(),
        error = %error, "reply publish failed"
    );
    HandlerOutcome::retry()
}
