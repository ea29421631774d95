//! From a batch to the slice its body sees, lane by lane.

use std::any::{Any, type_name};
use std::future::Future;
use std::mem;

use ruststream_core::codec::Codec;
use ruststream_core::{BuildBatchContext, CarriesBatch, IncomingMessage, SpareBatch};
use serde::de::DeserializeOwned;

use super::axis::{
    Batch, BatchCarried, BatchDeserialized, BatchPair, BatchSet, BatchedAxis, SoloCarried,
    SoloDeserialized,
};
use super::lane::{Refusal, RefusalKind, decode, decode_payload, decode_set, no_value};
use super::{DecodeSet, Deserialized, Input, Message};
use crate::docs::IncomingMessageMetadata;
use crate::extract::Context;
use crate::handle::Handle;
use crate::observe::lent_batch;
use crate::outcome::HandlerOutcome;

/// What a batch body answered.
#[derive(Debug)]
pub(crate) struct Answered<R> {
    /// How many elements it saw.
    pub(crate) accepted: usize,
    /// Its verdict.
    pub(crate) verdict: Result<R, Vec<HandlerOutcome>>,
}

/// How a batch becomes the slice its body sees.
///
/// The driver takes these steps in their order, and settles between them.
#[diagnostic::on_unimplemented(
    message = "this batch body does not mount on batches of `{B}`: carried values take neither a reply nor slots",
    label = "its input, reply, slots, context or state do not fit here",
    note = "a batch of carried values takes neither a reply nor slots"
)]
pub(crate) trait BatchLane<Decoder, B: IntoIterator, Body, R, O, C, S>: BatchedAxis {
    /// Buffers, kept between batches; empty while no batch is handled.
    type Kept: Default + Send + 'static;

    /// The models of a message set.
    fn incoming() -> Vec<IncomingMessageMetadata> {
        Vec::new()
    }

    /// Takes a batch in and makes its context; `None` where there is nothing in it. A buffer that is
    /// empty then goes to `spare`.
    fn admit(batch: B, kept: &mut Self::Kept, spare: &SpareBatch<B>) -> Option<C>;

    /// The deliveries, to carry away those that may not run any more; `None` where the batch is
    /// lent whole.
    fn checked(kept: &mut Self::Kept) -> Option<&mut Vec<B::Item>>;

    /// Makes the elements that need nothing of the batch; deliveries that fail move to `refused`.
    fn decode(decoder: &Decoder, kept: &mut Self::Kept, refused: &mut Vec<(B::Item, Refusal)>);

    /// Calls the body; `None` where no element is left for it.
    fn receive<'a>(
        body: &'a Body,
        kept: &'a mut Self::Kept,
        outs: &'a O,
        ctx: &'a mut Context<'_, C, S>,
    ) -> impl Future<Output = Option<Answered<R>>> + Send;

    /// The deliveries to settle, in order: those that the body saw, and those that it did not see,
    /// with the reason.
    fn release<'a>(
        kept: &'a mut Self::Kept,
        subscription: &str,
    ) -> impl Iterator<Item = (B::Item, Option<Refusal>)> + Send + 'a;
}

/// Takes the deliveries in and builds the context of the first one (RUN-367).
fn admitted<B, C>(mut batch: B, messages: &mut Vec<B::Item>, spare: &SpareBatch<B>) -> Option<C>
where
    B: IntoIterator<Item: 'static> + 'static,
    C: BuildBatchContext<B::Item>,
{
    let any: &mut dyn Any = &mut batch;
    if let Some(buffer) = any.downcast_mut::<Vec<B::Item>>() {
        // Nothing is moved: the two buffers change places, and the empty one goes back.
        mem::swap(buffer, messages);
        spare.put(batch);
    } else {
        messages.extend(batch);
    }
    messages.first().map(C::build)
}

/// A lane whose elements own what they hold.
pub(crate) trait ElementLane<Decoder, M>: BatchedAxis {
    /// One element of the slice.
    type Element: Send + Sync + 'static;
    /// The models of a message set.
    fn models() -> Vec<IncomingMessageMetadata> {
        Vec::new()
    }
    /// Makes one element.
    ///
    /// # Errors
    ///
    /// The refusal that the decode policy settles.
    fn element(decoder: &Decoder, message: &M) -> Result<Self::Element, Refusal>;
}

impl<T, D, M> ElementLane<D, M> for Batch<T>
where
    T: DeserializeOwned + Send + Sync + 'static,
    D: Codec,
    M: IncomingMessage,
{
    type Element = T;
    #[inline]
    fn element(decoder: &D, message: &M) -> Result<T, Refusal> {
        decode(decoder, message)
    }
}

impl<Hd, P, D, M> ElementLane<D, M> for BatchPair<Hd, P>
where
    Hd: DeserializeOwned + Send + Sync + 'static,
    P: DeserializeOwned + Send + Sync + 'static,
    D: Codec,
    M: IncomingMessage,
{
    type Element = Message<Hd, P>;
    fn element(decoder: &D, message: &M) -> Result<Message<Hd, P>, Refusal> {
        if let Some(error) = message.decode_error() {
            return Err(Refusal::reported::<Message<Hd, P>>(error));
        }
        let headers = message
            .headers()
            .to_typed()
            .map_err(|error| Refusal::new::<Hd>(RefusalKind::Headers, error))?;
        Ok(Message::new(
            headers,
            decode_payload(decoder, message.payload())?,
        ))
    }
}

impl<Set, D, M> ElementLane<D, M> for BatchSet<Set>
where
    Set: DecodeSet<D>,
    D: Codec,
    M: IncomingMessage,
{
    type Element = Set;
    fn models() -> Vec<IncomingMessageMetadata> {
        <Set as DecodeSet<D>>::incoming()
    }
    fn element(decoder: &D, message: &M) -> Result<Set, Refusal> {
        decode_set::<Set, D, M>(decoder, message)
    }
}

/// The buffers of a lane whose elements own what they hold.
#[derive(Debug)]
pub(crate) struct Owned<M, T> {
    /// The deliveries, once they are decoded those alone that made an element.
    messages: Vec<M>,
    elements: Vec<T>,
}

impl<M, T> Default for Owned<M, T> {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            elements: Vec::new(),
        }
    }
}

/// Moves the deliveries that made no element out of the others, whose order stays.
#[cold]
fn set_apart<M>(
    messages: &mut Vec<M>,
    refusals: Vec<(usize, Refusal)>,
    refused: &mut Vec<(M, Refusal)>,
) {
    let mut refusals = refusals.into_iter().peekable();
    for (index, message) in mem::take(messages).into_iter().enumerate() {
        match refusals.next_if(|(at, _)| *at == index) {
            Some((_, refusal)) => refused.push((message, refusal)),
            None => messages.push(message),
        }
    }
}

type ElementOf<Lane, D, B> = <Lane as ElementLane<D, <B as IntoIterator>::Item>>::Element;

/// Writes the steps of lanes whose elements own what they hold.
macro_rules! element_lanes {
    ($($lane:ident <$($p:ident),+>)+) => {$(
        impl<$($p,)+ D, B, H, R, O, C, S> BatchLane<D, B, H, R, O, C, S> for $lane<$($p),+>
        where
            Self: ElementLane<D, B::Item>,
            [ElementOf<Self, D, B>]: Input<Axis = Self>,
            B: IntoIterator<Item: IncomingMessage + 'static> + 'static,
            H: Handle<[ElementOf<Self, D, B>], R, O, C, S>,
            R: Send,
            O: Sync,
            C: BuildBatchContext<B::Item> + Send,
            S: Send + Sync,
        {
            type Kept = Owned<B::Item, ElementOf<Self, D, B>>;

            fn incoming() -> Vec<IncomingMessageMetadata> {
                Self::models()
            }

            fn admit(batch: B, kept: &mut Self::Kept, spare: &SpareBatch<B>) -> Option<C> {
                admitted(batch, &mut kept.messages, spare)
            }

            fn checked(kept: &mut Self::Kept) -> Option<&mut Vec<B::Item>> {
                Some(&mut kept.messages)
            }

            fn decode(decoder: &D, kept: &mut Self::Kept, refused: &mut Vec<(B::Item, Refusal)>) {
                let Owned { messages, elements } = kept;
                elements.reserve(messages.len());
                let mut refusals = Vec::new();
                for (index, message) in messages.iter().enumerate() {
                    match Self::element(decoder, message) {
                        Ok(element) => elements.push(element),
                        Err(refusal) => refusals.push((index, refusal)),
                    }
                }
                if !refusals.is_empty() {
                    set_apart(messages, refusals, refused);
                }
            }

            async fn receive<'a>(
                body: &'a H,
                kept: &'a mut Self::Kept,
                outs: &'a O,
                ctx: &'a mut Context<'_, C, S>,
            ) -> Option<Answered<R>> {
                if kept.elements.is_empty() {
                    return None;
                }
                let accepted = kept.elements.len();
                ctx.hands_over(accepted);
                let verdict = body.handle(kept.elements.as_slice(), outs, ctx).await;
                // RUN-371
                kept.elements.clear();
                Some(Answered { accepted, verdict })
            }

            fn release<'a>(
                kept: &'a mut Self::Kept,
                _subscription: &str,
            ) -> impl Iterator<Item = (B::Item, Option<Refusal>)> + Send + 'a {
                kept.messages.drain(..).map(|message| (message, None))
            }
        }
    )+};
}

element_lanes! { Batch<T> BatchPair<Hd, P> BatchSet<Set> }

/// The buffers of the lane whose elements may borrow the payloads.
#[derive(Debug)]
pub(crate) struct Viewed<M, V> {
    messages: Vec<M>,
    /// No view, only the room for some.
    room: Vec<V>,
    /// Which deliveries made no view.
    refused: Vec<(usize, Refusal)>,
}

impl<M, V> Default for Viewed<M, V> {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            room: Vec::new(),
            refused: Vec::new(),
        }
    }
}

/// An empty list in the room of another one, whose elements differ in a lifetime alone.
fn in_the_room_of<V, W>(mut room: Vec<V>) -> Vec<W> {
    room.clear();
    // Collecting in place keeps the allocation; there is no element that would be mapped.
    room.into_iter().map_while(|_| None).collect()
}

impl<F, D, B, H, R, O, C, S> BatchLane<D, B, H, R, O, C, S> for BatchDeserialized<F>
where
    F: Deserialized + Send + Sync + 'static,
    for<'p> F::Output<'p>: Input<Axis = SoloDeserialized<F>>,
    B: IntoIterator<Item: IncomingMessage + 'static> + 'static,
    H: for<'p> Handle<[F::Output<'p>], R, O, C, S>,
    R: Send,
    O: Sync,
    C: BuildBatchContext<B::Item> + Send,
    S: Send + Sync,
{
    type Kept = Viewed<B::Item, F::Output<'static>>;

    fn admit(batch: B, kept: &mut Self::Kept, spare: &SpareBatch<B>) -> Option<C> {
        admitted(batch, &mut kept.messages, spare)
    }

    fn checked(kept: &mut Self::Kept) -> Option<&mut Vec<B::Item>> {
        Some(&mut kept.messages)
    }

    /// RUN-362: the views borrow the deliveries, so those that make none settle with the rest.
    fn decode(_decoder: &D, _kept: &mut Self::Kept, _refused: &mut Vec<(B::Item, Refusal)>) {}

    async fn receive<'a>(
        body: &'a H,
        kept: &'a mut Self::Kept,
        outs: &'a O,
        ctx: &'a mut Context<'_, C, S>,
    ) -> Option<Answered<R>> {
        let Viewed {
            messages,
            room,
            refused,
        } = kept;
        let mut views: Vec<F::Output<'_>> = in_the_room_of(mem::take(room));
        for (index, message) in messages.iter().enumerate() {
            match view::<F, _>(message) {
                Ok(view) => views.push(view),
                Err(refusal) => refused.push((index, refusal)),
            }
        }
        let answered = if views.is_empty() {
            None
        } else {
            let accepted = views.len();
            ctx.hands_over(accepted);
            let verdict = body.handle(views.as_slice(), outs, ctx).await;
            Some(Answered { accepted, verdict })
        };
        *room = in_the_room_of(views);
        answered
    }

    fn release<'a>(
        kept: &'a mut Self::Kept,
        _subscription: &str,
    ) -> impl Iterator<Item = (B::Item, Option<Refusal>)> + Send + 'a {
        let mut refused = kept.refused.drain(..).peekable();
        kept.messages
            .drain(..)
            .enumerate()
            .map(move |(index, message)| {
                let refusal = refused.next_if(|(at, _)| *at == index);
                (message, refusal.map(|(_, refusal)| refusal))
            })
    }
}

fn view<F: Deserialized, M: IncomingMessage>(message: &M) -> Result<F::Output<'_>, Refusal> {
    if let Some(error) = message.decode_error() {
        return Err(Refusal::reported::<F>(error));
    }
    F::from_payload(message.payload())
        .map_err(|error| Refusal::new::<F>(RefusalKind::Construction, error))
}

/// The batch that lends its values, and what of it is left to settle.
#[derive(Debug)]
pub(crate) struct Lending<B: IntoIterator> {
    batch: Option<B>,
    lent: usize,
    messages: Vec<B::Item>,
}

impl<B: IntoIterator> Default for Lending<B> {
    fn default() -> Self {
        Self {
            batch: None,
            lent: 0,
            messages: Vec::new(),
        }
    }
}

/// A batch of carried values takes neither a reply nor slots (RUN-434).
impl<T, D, B, H, C, S> BatchLane<D, B, H, (), (), C, S> for BatchCarried<T>
where
    T: Input<Axis = SoloCarried<T>> + Clone + Send + Sync + 'static,
    B: IntoIterator<Item: IncomingMessage + 'static> + CarriesBatch<T> + Send + 'static,
    H: Handle<[T], (), (), C, S>,
    C: BuildBatchContext<B> + Send,
    S: Send + Sync,
{
    type Kept = Lending<B>;

    fn admit(batch: B, kept: &mut Self::Kept, _spare: &SpareBatch<B>) -> Option<C> {
        let context = C::build(&batch);
        kept.batch = Some(batch);
        Some(context)
    }

    fn checked(_kept: &mut Self::Kept) -> Option<&mut Vec<B::Item>> {
        None
    }

    fn decode(_decoder: &D, _kept: &mut Self::Kept, _refused: &mut Vec<(B::Item, Refusal)>) {}

    async fn receive<'a>(
        body: &'a H,
        kept: &'a mut Self::Kept,
        _outs: &'a (),
        ctx: &'a mut Context<'_, C, S>,
    ) -> Option<Answered<()>> {
        let values = kept.batch.as_ref().map(CarriesBatch::carried)?;
        kept.lent = values.len();
        if values.is_empty() {
            return None;
        }
        let accepted = values.len();
        ctx.hands_over(accepted);
        lent_batch(values);
        let verdict = body.handle(values, &(), ctx).await;
        Some(Answered { accepted, verdict })
    }

    fn release<'a>(
        kept: &'a mut Self::Kept,
        subscription: &str,
    ) -> impl Iterator<Item = (B::Item, Option<Refusal>)> + Send + 'a {
        let lent = mem::take(&mut kept.lent);
        kept.messages
            .extend(kept.batch.take().into_iter().flatten());
        if lent > kept.messages.len() {
            lent_too_many::<T>(subscription, lent, kept.messages.len());
        }
        kept.messages
            .drain(..)
            .enumerate()
            .map(move |(index, message)| {
                let refusal = (index >= lent).then(|| match message.decode_error() {
                    Some(error) => Refusal::reported::<T>(error),
                    None => no_value::<T>(),
                });
                (message, refusal)
            })
    }
}

/// RUN-433: the values beyond the deliveries have nothing to settle.
#[cold]
fn lent_too_many<T>(subscription: &str, lent: usize, delivered: usize) {
    tracing::error!(
        target: "ruststream::dispatch",
        subscription = %subscription, message_type = type_name::<T>(), lent, delivered,
        "the batch lends more values than it has deliveries"
    );
}
