//! Transforms: what a position changes on each message, before layers and the send.

use super::context::ContextKind;
use super::naming::{DestinationUse, Either, Reads};
use super::outgoing::Outgoing;

/// A synchronous change to every message of one position: name, payload, headers, options.
///
/// `K` is the kind of position: generic over `K: ContextKind` it mounts anywhere,
/// [`ForReply<C>`](super::ForReply) on a reply or retry position,
/// [`ForSlot`](super::ForSlot) on a slot. `Options` are the settings of the position's publisher;
/// a transform that leaves them alone stays generic over them.
///
/// Transforms run in the order in which the mount writes them, before any publish layer.
///
/// ```
/// use ruststream_runtime::{ContextKind, Outgoing, PublishTransform, Reads};
///
/// /// Stamps the sender on whatever leaves.
/// struct Stamp;
///
/// impl<K: ContextKind, Options> PublishTransform<K, Options> for Stamp {
///     type Destination = Reads;
///
///     fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {
///         out.headers_mut().insert("x-sender", "scanner");
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a publish transform for this position: implement `PublishTransform<{K}, {Options}>` for it",
    label = "this position is of the kind `{K}` and its publisher's options are `{Options}`",
    note = "a reply or retry position takes `PublishTransform<ForReply<C>, Options>` with the \
            handler's context `C`, a slot takes `PublishTransform<ForSlot, Options>`",
    note = "a transform that fits anywhere is generic over `K: ContextKind` and over `Options`"
)]
pub trait PublishTransform<K: ContextKind, Options = ()>: Send + Sync {
    /// [`Names`](super::Names) when the transform names the destination, else [`Reads`].
    type Destination: DestinationUse;

    /// Whether it changes nothing, so that a message need not be opened for it.
    #[doc(hidden)]
    const NOTHING: bool = false;

    /// Changes the message. `options` starts from what the call set, `None` where there is no
    /// call; a field left unset keeps what the policy fixed.
    fn apply(&self, out: &mut Outgoing<'_>, options: &mut Option<Options>, cx: &K::View<'_>);
}

/// No transform.
#[derive(Debug, Clone, Copy, Default)]
pub struct PublishTransformIdentity;

impl<K: ContextKind, Options> PublishTransform<K, Options> for PublishTransformIdentity {
    type Destination = Reads;
    const NOTHING: bool = true;

    #[inline]
    fn apply(&self, _out: &mut Outgoing<'_>, _options: &mut Option<Options>, _cx: &K::View<'_>) {}
}

/// Two transforms: `Inner` was written first and runs first.
#[derive(Debug, Clone, Copy, Default)]
pub struct PublishTransformStack<Inner, Outer> {
    inner: Inner,
    outer: Outer,
}

impl<Inner, Outer> PublishTransformStack<Inner, Outer> {
    /// `outer` after everything that `inner` does.
    pub(crate) const fn new(inner: Inner, outer: Outer) -> Self {
        Self { inner, outer }
    }
}

impl<K: ContextKind, Options, Inner, Outer> PublishTransform<K, Options>
    for PublishTransformStack<Inner, Outer>
where
    Inner:
        PublishTransform<K, Options, Destination: Either<Outer::Destination, Out: DestinationUse>>,
    Outer: PublishTransform<K, Options>,
{
    type Destination = <Inner::Destination as Either<Outer::Destination>>::Out;

    #[inline]
    fn apply(&self, out: &mut Outgoing<'_>, options: &mut Option<Options>, cx: &K::View<'_>) {
        self.inner.apply(out, options, cx);
        self.outer.apply(out, options, cx);
    }
}

#[cfg(test)]
mod tests {
    use ruststream_core::HeaderMap;

    use super::*;
    use crate::publish::{ForReply, Names, NamesDestination, PublishContext};

    struct Append(&'static str);

    impl<K: ContextKind, Options> PublishTransform<K, Options> for Append {
        type Destination = Reads;

        fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {
            out.payload_mut().extend_from_slice(self.0.as_bytes());
        }
    }

    struct ToInbox;

    impl<C, Options> PublishTransform<ForReply<C>, Options> for ToInbox {
        type Destination = Names;

        fn apply(
            &self,
            out: &mut Outgoing<'_>,
            _: &mut Option<Options>,
            cx: &PublishContext<'_, C>,
        ) {
            if let Some(inbox) = cx.headers().reply_to() {
                out.set_name(inbox.to_owned());
            }
        }
    }

    type Written = PublishTransformStack<
        PublishTransformStack<PublishTransformStack<PublishTransformIdentity, Append>, ToInbox>,
        Append,
    >;

    fn written() -> Written {
        let first = PublishTransformStack::new(PublishTransformIdentity, Append("1"));
        PublishTransformStack::new(PublishTransformStack::new(first, ToInbox), Append("2"))
    }

    fn applied(headers: &HeaderMap) -> Outgoing<'static> {
        let mut out = Outgoing::new("declared", &b""[..]);
        let view = PublishContext::from_map("parcels", headers, &());
        PublishTransform::<ForReply, ()>::apply(&written(), &mut out, &mut None, &view);
        out
    }

    // PUB-402, PUB-604
    #[test]
    fn transforms_run_in_written_order_and_one_of_them_names() {
        let headers = HeaderMap::from_iter([("reply-to", "inbox")]);

        let out = applied(&headers);

        assert_eq!((out.name(), out.payload()), ("inbox", &b"12"[..]));
        const { assert!(<Written as PublishTransform<ForReply, ()>>::Destination::NAMES) };
    }

    // PUB-605
    #[test]
    fn a_naming_transform_that_sets_nothing_leaves_the_declared_name() {
        assert_eq!(applied(&HeaderMap::new()).name(), "declared");
    }
}
