//! The context of one delivery.

use std::fmt;
use std::future::Future;

use ruststream_core::{BytesMut, Field, FieldMut, HeaderMap};

use super::after::After;
use super::main_runtime::MainRuntime;
use super::site::{About, Site};
use crate::deliver::headers::DeliveryHeaders;
use crate::outcome::HandlerOutcome;
use crate::policy::FailurePolicy;
use crate::publish::PublishContext;
use crate::settle::hooks::{HookKind, Hooks};

/// What surrounds one delivery while it is handled: where it came from, its headers, the fields
/// that the broker tells of it (`C`), the app's state (`S`), and the work to run once it is
/// settled.
///
/// Layers, extractors and the body of a delivery share one context; the runtime makes it.
///
/// ```
/// use ruststream_runtime::{Context, HandlerOutcome};
///
/// async fn route(ctx: &mut Context<'_>) -> HandlerOutcome {
///     if ctx.headers().get_str("tenant").is_none() {
///         return HandlerOutcome::drop();
///     }
///     ctx.after_ack(async { println!("routed") });
///     HandlerOutcome::ack()
/// }
/// ```
pub struct Context<'a, C = (), S = ()> {
    about: &'a About,
    state: &'a S,
    delivery: C,
    headers: &'a DeliveryHeaders<'a>,
    /// The headers as layers changed them; `None` until the first change.
    working: Option<HeaderMap>,
    /// What few deliveries leave behind; nothing is made for the others.
    aside: Option<Box<Aside>>,
    /// The loop's buffer for replies; `None` where nothing is encoded.
    encode: Option<&'a mut BytesMut>,
}

impl<'a, C, S> Context<'a, C, S> {
    #[inline]
    pub(crate) fn new(site: &'a Site<S>, delivery: C, headers: &'a DeliveryHeaders<'a>) -> Self {
        Self {
            about: &site.about,
            state: &site.state,
            delivery,
            headers,
            working: None,
            aside: None,
            encode: None,
        }
    }

    /// Lends the loop's encode buffer to the replies of this delivery.
    #[inline]
    pub(crate) fn lending(mut self, encode: &'a mut BytesMut) -> Self {
        self.encode = Some(encode);
        self
    }

    /// Whether the delivery could not be decoded.
    #[cfg(feature = "otel")]
    #[doc(hidden)]
    pub fn decode_failed(&self) -> bool {
        self.aside.as_ref().is_some_and(|aside| aside.decode_failed)
    }

    /// What the registration does with a delivery that cannot be decoded.
    #[must_use]
    pub fn decode_policy(&self) -> FailurePolicy {
        self.about.policies.decode
    }

    /// The subscription's name, as its source reports it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.about.name
    }

    /// The runtime that runs the service.
    #[must_use]
    pub fn main_runtime(&self) -> &MainRuntime {
        &self.about.main_runtime
    }

    /// The working headers: those of the delivery, as changed through
    /// [`headers_mut`](Self::headers_mut). Empty for a batch.
    ///
    /// The delivery is asked for them on the first look.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        match &self.working {
            Some(working) => working,
            None => self.headers.get(),
        }
    }

    /// The working headers, to change; the first call copies them.
    ///
    /// Inner layers, extractors, the body and a reply transform see the changes. The delivery
    /// itself, other outgoing messages and copies of the delivery don't.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        self.working
            .get_or_insert_with(|| self.headers.get().clone())
    }

    /// The app's state.
    #[must_use]
    pub fn state(&self) -> &S {
        self.state
    }

    /// Reads one field of the delivery context.
    pub fn context<K: Field<C>>(&self, key: K) -> K::Value<'_> {
        key.get(&self.delivery)
    }

    /// Writes one field of the delivery context, for all that handle this delivery from now on.
    pub fn set<K: FieldMut<C>>(&mut self, key: K, value: K::Owned) {
        key.set(&mut self.delivery, value);
    }

    /// Work for when the delivery was settled with the same kind of verdict as `outcome`: ack,
    /// drop, retry, or a retry after any delay.
    ///
    /// Work attached to `outcome` itself is discarded. The verdict is the one that is settled:
    /// after layers replaced it, and a retry where the reply could not be published.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ruststream_runtime::{Context, HandlerOutcome};
    ///
    /// fn count_delays(ctx: &mut Context<'_>) {
    ///     ctx.after(HandlerOutcome::retry_after(Duration::ZERO)).then(async {
    ///         println!("held back");
    ///     });
    /// }
    /// ```
    pub fn after(&mut self, outcome: HandlerOutcome) -> After<'_, 'a, C, S> {
        let (result, _discarded) = outcome.into_parts();
        After::new(self, HookKind::of(result))
    }

    /// Work for when the delivery was acked.
    pub fn after_ack(&mut self, fut: impl Future<Output = ()> + Send + 'static) {
        self.register(HookKind::Ack, fut);
    }

    /// Work for when the delivery was settled, whatever the verdict; of a batch, its last element.
    pub fn after_settle(&mut self, fut: impl Future<Output = ()> + Send + 'static) {
        self.register(HookKind::Settle, fut);
    }

    pub(super) fn register(
        &mut self,
        kind: HookKind,
        fut: impl Future<Output = ()> + Send + 'static,
    ) {
        self.aside().hooks.register(kind, Box::pin(fut));
    }
}

/// What the runtime reads of a context, and leaves in it.
impl<'a, C, S> Context<'a, C, S> {
    /// A batch of so many elements is handed to its body.
    #[inline]
    pub(crate) fn hands_over(&self, elements: usize) {
        self.about.batch_size.record(&self.about.name, elements);
    }

    /// The fields that the broker told of the delivery, as layers changed them.
    pub(crate) const fn delivery(&self) -> &C {
        &self.delivery
    }

    /// The context's fields once the delivery is handled, and what it leaves for after the
    /// settlement; most deliveries leave nothing.
    #[inline]
    pub(crate) fn into_parts(self) -> (C, Option<Box<Aside>>) {
        (self.delivery, self.aside)
    }

    /// The headers as they were delivered, whatever layers changed.
    pub(crate) fn delivered_headers(&self) -> &HeaderMap {
        self.headers.get()
    }

    /// What a reply transform sees of this delivery.
    pub(crate) fn publish_view(&self) -> PublishContext<'_, C> {
        match &self.working {
            Some(working) => PublishContext::from_map(self.name(), working, &self.delivery),
            None => PublishContext::lazy(self.name(), self.headers, &self.delivery),
        }
    }

    /// Takes the loop's encode buffer, which serves one reply; `None` where the loop lends none.
    #[inline]
    pub(crate) const fn take_encode_buffer(&mut self) -> Option<&'a mut BytesMut> {
        self.encode.take()
    }

    /// What was left for after the settlement; most deliveries leave nothing.
    #[inline]
    pub(crate) fn take_aside(&mut self) -> Option<Box<Aside>> {
        self.aside.take()
    }

    fn aside(&mut self) -> &mut Aside {
        self.aside.get_or_insert_default()
    }

    /// Marks the delivery as one that could not be decoded and answers how the policy settles it
    /// (RUN-303). `reason` is asked for where the policy stops the service; the driver finds it
    /// in [`take_aside`](Self::take_aside).
    pub(crate) fn decode_failure(
        &mut self,
        policy: FailurePolicy,
        reason: impl FnOnce() -> String,
    ) -> HandlerOutcome {
        let aside = self.aside();
        aside.decode_failed = true;
        if let Some(verdict) = policy.verdict() {
            return verdict.into();
        }
        // The first reason is the one that is told (RUN-072).
        aside.fail_fast.get_or_insert_with(reason);
        HandlerOutcome::drop()
    }
}

/// What a delivery leaves for after it is handled.
#[derive(Debug, Default)]
pub(crate) struct Aside {
    /// Work for after the settlement.
    pub(crate) hooks: Hooks,
    /// The delivery could not be decoded.
    pub(crate) decode_failed: bool,
    /// Why it stops the service, where it does.
    pub(crate) fail_fast: Option<String>,
}

impl<C, S> fmt::Debug for Context<'_, C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("name", &self.name())
            .field(
                "hooks",
                &self.aside.as_ref().map_or(0, |aside| aside.hooks.len()),
            )
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use futures_util::FutureExt;
    use ruststream_core::IncomingMessage;

    use super::*;
    use crate::extract::site::fixture::{Delivery, parcels};
    use crate::outcome::HandlerResult;
    use crate::policy::FailurePolicies;
    use crate::settle::hooks::after_delivery;

    struct Offset;

    impl Field<u64> for Offset {
        type Value<'a> = u64;

        fn get(self, src: &u64) -> u64 {
            *src
        }
    }

    impl FieldMut<u64> for Offset {
        type Owned = u64;

        fn set(self, src: &mut u64, value: u64) {
            *src = value;
        }
    }

    // RUN-380
    #[tokio::test]
    async fn a_context_tells_its_subscription_state_policy_and_runtime() {
        let mut site = parcels("depot");
        site.about.policies = FailurePolicies::default().with_decode(FailurePolicy::Skip);
        let headers = DeliveryHeaders::none();
        let ctx = Context::new(&site, (), &headers);

        assert_eq!((ctx.name(), *ctx.state()), ("parcels", "depot"));
        assert_eq!(ctx.decode_policy(), FailurePolicy::Skip);
        assert_eq!(
            ctx.main_runtime().as_handle().id(),
            tokio::runtime::Handle::current().id()
        );
    }

    // RUN-380, RUN-390
    #[tokio::test]
    async fn a_written_field_is_what_later_reads_see() {
        let (site, headers) = (parcels(()), DeliveryHeaders::none());
        let mut ctx = Context::new(&site, 7_u64, &headers);

        assert_eq!(ctx.context(Offset), 7);
        ctx.set(Offset, 8);

        assert_eq!(ctx.context(Offset), 8);
        assert_eq!(*ctx.delivery(), 8);
    }

    // RUN-262, trap 26
    #[tokio::test]
    async fn the_delivery_is_asked_for_its_headers_once_and_only_where_they_are_read() {
        let (site, delivery) = (parcels(()), Delivery::with([("tenant", "north")]));
        let headers = DeliveryHeaders::of(&delivery);
        let mut ctx = Context::new(&site, (), &headers);
        ctx.after_ack(async {});
        drop(ctx.take_aside());
        assert_eq!(delivery.asked(), 0);

        assert_eq!(ctx.headers().get_str("tenant"), Some("north"));
        ctx.headers_mut();
        assert_eq!(ctx.headers().len(), 1);

        assert_eq!(delivery.asked(), 1);
    }

    // RUN-380, trap 27
    #[tokio::test]
    async fn changed_headers_are_seen_by_the_context_and_never_by_the_delivery() {
        let (site, delivery) = (parcels(()), Delivery::with([("tenant", "north")]));
        let headers = DeliveryHeaders::of(&delivery);
        let mut ctx = Context::new(&site, (), &headers);
        assert!(ctx.working.is_none());

        ctx.headers_mut().insert("tenant", "south");

        assert_eq!(ctx.headers().get_str("tenant"), Some("south"));
        assert_eq!(
            ctx.working.as_ref().unwrap().get_str("tenant"),
            Some("south")
        );
        assert_eq!(headers.get().get_str("tenant"), Some("north"));
        assert_eq!(delivery.headers().get_str("tenant"), Some("north"));
    }

    // RUN-367
    #[tokio::test]
    async fn a_batch_has_no_headers() {
        let (site, headers) = (parcels(()), DeliveryHeaders::none());

        assert!(Context::new(&site, (), &headers).headers().is_empty());
    }

    // RUN-290, traps 23 and 24
    #[tokio::test]
    async fn hooks_wait_for_the_kind_of_their_outcome_and_discard_its_own_work() {
        let (site, headers) = (parcels(()), DeliveryHeaders::none());
        let ran = Arc::new(Mutex::new(Vec::new()));
        let note = |name: &'static str| {
            let ran = Arc::clone(&ran);
            async move { ran.lock().unwrap().push(name) }
        };
        let fired = |settled| {
            let mut ctx = Context::new(&site, (), &headers);
            ctx.after_settle(note("settle"));
            ctx.after(HandlerOutcome::retry_after(Duration::ZERO))
                .then(note("held"));
            ctx.after(HandlerOutcome::retry().and_after(note("discarded")))
                .then(note("retry"));
            ctx.after(HandlerOutcome::drop()).then(note("drop"));
            ctx.after_ack(note("ack"));
            let _ = ctx.after(HandlerOutcome::ack());
            let works = after_delivery(settled, None, ctx.take_aside().unwrap_or_default().hooks);
            works.for_each(|work| work.now_or_never().unwrap());
            std::mem::take(&mut *ran.lock().unwrap())
        };

        assert_eq!(fired(HandlerResult::Ack), ["settle", "ack"]);
        assert_eq!(
            fired(HandlerResult::Nack { requeue: false }),
            ["settle", "drop"]
        );
        assert_eq!(
            fired(HandlerResult::Nack { requeue: true }),
            ["settle", "retry"]
        );
        let held = HandlerResult::NackAfter {
            delay: Duration::from_secs(1),
        };
        assert_eq!(fired(held), ["settle", "held"]);
    }

    // RUN-300, RUN-303, trap 2
    #[tokio::test]
    async fn a_decode_failure_settles_by_its_policy_and_only_fail_fast_gives_a_reason() {
        let (site, headers) = (parcels(()), DeliveryHeaders::none());
        let delay = Duration::from_secs(2);
        for (policy, verdict) in [
            (FailurePolicy::Drop, HandlerResult::Nack { requeue: false }),
            (FailurePolicy::Retry, HandlerResult::Nack { requeue: true }),
            (
                FailurePolicy::RetryAfter(delay),
                HandlerResult::NackAfter { delay },
            ),
            (FailurePolicy::Skip, HandlerResult::Ack),
        ] {
            let mut ctx = Context::new(&site, (), &headers);
            let outcome = ctx.decode_failure(policy, || unreachable!("no reason is needed"));
            assert_eq!(outcome.outcome(), verdict);
            let aside = ctx.take_aside().expect("the failure is noted");
            assert!(aside.decode_failed && aside.fail_fast.is_none());
            assert!(ctx.take_aside().is_none());
        }

        let mut ctx = Context::new(&site, (), &headers);
        let fail_fast = FailurePolicy::FailFast;
        assert!(ctx.decode_failure(fail_fast, || "first".into()).is_drop());
        assert!(ctx.decode_failure(fail_fast, || "second".into()).is_drop());
        let reason = ctx.take_aside().expect("the failure is noted").fail_fast;
        assert_eq!(reason.as_deref(), Some("first"));
    }

    // RUN-380
    #[tokio::test]
    async fn debug_shows_the_name_and_the_number_of_hooks() {
        let (site, headers) = (parcels(()), DeliveryHeaders::none());
        let mut ctx = Context::new(&site, (), &headers);
        ctx.after_ack(async {});

        assert_eq!(
            format!("{ctx:?}"),
            r#"Context { name: "parcels", hooks: 1, .. }"#
        );
        assert_eq!(
            format!("{:?}", ctx.after(HandlerOutcome::drop())),
            "After { verdict: Drop, .. }"
        );
    }

    // RUN-260, trap 51
    #[tokio::test]
    async fn a_delivery_can_be_settled_while_its_context_was_only_borrowed() {
        let (site, delivery) = (parcels(()), Delivery::default());
        let headers = DeliveryHeaders::of(&delivery);
        let mut ctx = Context::new(&site, (), &headers);
        ctx.after_settle(async {});
        let hooks = ctx.take_aside().unwrap_or_default().hooks;

        delivery.ack().await.unwrap();

        assert_eq!(hooks.len(), 1);
    }

    #[test]
    fn a_context_crosses_threads_with_its_parts() {
        fn sends<T: Send>() {}
        fn shares<T: Send + Sync>() {}
        fn holds<C: Send, S: Sync>() {
            sends::<Context<'_, C, S>>();
        }
        holds::<std::cell::Cell<u8>, u8>();
        shares::<Context<'_, u8, u8>>();
    }
}
