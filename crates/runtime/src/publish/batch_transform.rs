//! Transforms of a batch reply, apart from the per-message ones.

use super::context::{ForReply, PublishContext};
use super::outgoing::Outgoing;
use super::transform::PublishTransform;

/// A change to every reply of a batch.
///
/// Every reply of one batch sees the same view: the subscription's name, empty headers, the
/// broker's batch context. A destination cannot be named here.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a batch transform for this reply: lift a transform of replies with `for_batch(..)`",
    label = "the batch context here is `{C}` and the publisher's options are `{Options}`",
    note = "implement `BatchPublishTransform<{C}, {Options}>`, or lift a reply transform with \
            `for_batch(..)`"
)]
pub trait BatchPublishTransform<C = (), Options = ()>: Send + Sync {
    /// Changes one reply of the batch; `options` starts as `None`.
    fn apply(
        &self,
        out: &mut Outgoing<'_>,
        options: &mut Option<Options>,
        cx: &PublishContext<'_, C>,
    );
}

/// No batch transform.
#[derive(Debug, Clone, Copy, Default)]
pub struct BatchTransformIdentity;

impl<C, Options> BatchPublishTransform<C, Options> for BatchTransformIdentity {
    #[inline]
    fn apply(
        &self,
        _out: &mut Outgoing<'_>,
        _options: &mut Option<Options>,
        _cx: &PublishContext<'_, C>,
    ) {
    }
}

/// Two batch transforms: `Inner` was written first and runs first.
#[derive(Debug, Clone, Copy, Default)]
pub struct BatchPublishTransformStack<Inner, Outer> {
    inner: Inner,
    outer: Outer,
}

impl<Inner, Outer> BatchPublishTransformStack<Inner, Outer> {
    /// `outer` after everything that `inner` does.
    pub(crate) const fn new(inner: Inner, outer: Outer) -> Self {
        Self { inner, outer }
    }
}

impl<C, Options, Inner, Outer> BatchPublishTransform<C, Options>
    for BatchPublishTransformStack<Inner, Outer>
where
    Inner: BatchPublishTransform<C, Options>,
    Outer: BatchPublishTransform<C, Options>,
{
    #[inline]
    fn apply(
        &self,
        out: &mut Outgoing<'_>,
        options: &mut Option<Options>,
        cx: &PublishContext<'_, C>,
    ) {
        self.inner.apply(out, options, cx);
        self.outer.apply(out, options, cx);
    }
}

/// A reply transform lifted onto the batch path.
#[derive(Debug, Clone, Copy, Default)]
pub struct ForBatch<L>(L);

/// Lifts a [`ForReply`] transform onto a batch reply; it must leave the destination alone.
#[must_use]
pub fn for_batch<L>(transform: L) -> ForBatch<L> {
    ForBatch(transform)
}

impl<C, Options, L: PublishTransform<ForReply<C>, Options>> BatchPublishTransform<C, Options>
    for ForBatch<L>
{
    #[inline]
    fn apply(
        &self,
        out: &mut Outgoing<'_>,
        options: &mut Option<Options>,
        cx: &PublishContext<'_, C>,
    ) {
        self.0.apply(out, options, cx);
    }
}

#[cfg(test)]
mod tests {
    use ruststream_core::HeaderMap;

    use super::*;
    use crate::publish::{ContextKind, Reads};

    #[derive(Default)]
    struct Append(&'static str);

    impl<K: ContextKind, Options> PublishTransform<K, Options> for Append {
        type Destination = Reads;

        fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {
            out.payload_mut().extend_from_slice(self.0.as_bytes());
        }
    }

    // PUB-402, PUB-608
    #[test]
    fn lifted_transforms_run_in_written_order() {
        let stack = BatchPublishTransformStack::new(
            BatchPublishTransformStack::new(BatchTransformIdentity, for_batch(Append("1"))),
            for_batch(Append("2")),
        );
        let mut out = Outgoing::new("a", &b""[..]);
        let headers = HeaderMap::new();
        let view = PublishContext::from_map("parcels", &headers, &());

        BatchPublishTransform::<(), ()>::apply(&stack, &mut out, &mut None, &view);

        assert_eq!(out.payload(), b"12");
    }
}
