use std::any::type_name;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use ruststream_core::codec::Codec;
use ruststream_runtime::HandlerOutcome;
use ruststream_runtime::observe::Delivered;
use serde::de::DeserializeOwned;

use super::{Outcome, decode, told};
use crate::harness::{CallRecord, Harness};
use crate::hooks::Event;

/// The calls of the subscriptions of one name on one broker.
///
/// A call is one run of the handler: with one delivery, or with one whole batch. What is told of a
/// call is what the handler answered, whatever the transport made of that; a redelivery shows as a
/// further call.
///
/// Every assertion runs when it is called, on what is recorded at that moment, and panics where it
/// does not hold. Those on *the last call* panic where there was none, and those on its delivery
/// where it had several.
///
/// ```
/// use ruststream_runtime::HandlerOutcome;
/// use ruststream_testing::{Outcome, SubscriberAssertions};
///
/// fn expect_one_drop(scans: &SubscriberAssertions<'_>) {
///     assert_eq!(scans.outcomes(), [Outcome::Ack, Outcome::Drop]);
/// }
///
/// fn expect_a_requeue(scans: SubscriberAssertions<'_>) {
///     scans.assert_called(2).with_raw(b"{}").settled(HandlerOutcome::retry());
/// }
/// ```
pub struct SubscriberAssertions<'a> {
    harness: &'a Arc<Harness>,
    scope: usize,
    name: String,
    /// How many records are seen: all, or those up to an event.
    within: usize,
}

impl<'a> SubscriberAssertions<'a> {
    /// What is recorded at the moment of each look.
    pub(crate) const fn new(harness: &'a Arc<Harness>, scope: usize, name: String) -> Self {
        Self::within(harness, scope, name, usize::MAX)
    }

    const fn within(harness: &'a Arc<Harness>, scope: usize, name: String, within: usize) -> Self {
        Self {
            harness,
            scope,
            name,
            within,
        }
    }

    fn calls(&self) -> Vec<Arc<CallRecord>> {
        self.harness
            .records()
            .calls(self.scope, &self.name, self.within)
    }

    #[track_caller]
    fn fail(&self, what: impl fmt::Display) -> ! {
        panic!("subscriber \"{}\" {what}{}", self.name, self.unknown())
    }

    /// Fails on a number of calls, and shows them.
    #[track_caller]
    fn fail_counted(&self, expected: fmt::Arguments<'_>) -> ! {
        let calls = self.calls();
        self.fail(format_args!(
            "was called {} times, expected {expected}{}",
            calls.len(),
            told::listed("  ", calls.iter().map(|call| told::call(call)))
        ))
    }

    /// Fails on the last call, and shows it.
    #[track_caller]
    fn fail_last(&self, last: &CallRecord, what: impl fmt::Display) -> ! {
        self.fail(format_args!("{what}\n  last call: {}", told::call(last)))
    }

    /// What the service subscribes to, where it does not subscribe to this name.
    fn unknown(&self) -> String {
        let known = self.harness.records().subscriptions(self.scope);
        if known.contains(&format!("{:?}", self.name)) {
            return String::new();
        }
        match &*known {
            [] => "\n  the service has no subscription on this broker".to_owned(),
            known => format!(
                "\n  the service has no such subscription on this broker, only {}",
                told::names(known)
            ),
        }
    }

    #[track_caller]
    fn last(&self, what: &str) -> Arc<CallRecord> {
        let Some(last) = self.calls().pop() else {
            self.fail(format_args!("was not called, cannot assert {what}"));
        };
        last
    }

    /// What `check` makes of the one delivery of the last call.
    #[track_caller]
    fn only<R>(&self, what: &str, check: impl FnOnce(&Delivered) -> Result<R, String>) -> R {
        let last = self.last(what);
        let [delivery] = &*last.deliveries else {
            self.fail(format_args!(
                "last received a batch of {} deliveries, cannot assert {what} of one",
                last.deliveries.len()
            ));
        };
        check(delivery).unwrap_or_else(|wrong| self.fail(wrong))
    }

    /// Asserts that there was exactly one call.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn assert_called_once(self) -> Self {
        let calls = self.calls().len();
        if calls != 1 {
            self.fail_counted(format_args!("exactly once"));
        }
        self
    }

    /// Asserts how many calls there were. Redeliveries count; a batch counts once.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn assert_called(self, times: usize) -> Self {
        let calls = self.calls().len();
        if calls != times {
            self.fail_counted(format_args!("{times}"));
        }
        self
    }

    /// The payloads of every delivery, those of batches one by one, as the broker delivered them.
    #[must_use]
    pub fn received_raw(&self) -> Vec<Bytes> {
        self.batches_raw().into_iter().flatten().collect()
    }

    /// The payloads of every call, one list for each.
    #[must_use]
    pub fn batches_raw(&self) -> Vec<Vec<Bytes>> {
        let payloads = |call: &Arc<CallRecord>| {
            call.deliveries
                .iter()
                .map(|delivery| delivery.payload.clone())
                .collect()
        };
        self.calls().iter().map(payloads).collect()
    }

    /// The values of every call, one list for each, decoded by the default codec.
    ///
    /// # Panics
    ///
    /// On a payload that does not decode.
    #[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
    #[must_use]
    #[track_caller]
    pub fn batches<T: DeserializeOwned>(&self) -> Vec<Vec<T>> {
        self.batches_with(&ruststream_core::codec::DefaultCodec::default())
    }

    /// The values of every call, one list for each, decoded by `codec`.
    ///
    /// # Panics
    ///
    /// On a payload that does not decode.
    #[must_use]
    #[track_caller]
    pub fn batches_with<T, C>(&self, codec: &C) -> Vec<Vec<T>>
    where
        T: DeserializeOwned,
        C: Codec,
    {
        let mut batches = Vec::new();
        for payloads in self.batches_raw() {
            let mut batch = Vec::with_capacity(payloads.len());
            for payload in payloads {
                match decode(codec, &payload) {
                    Ok(value) => batch.push(value),
                    Err(wrong) => self.fail(format_args!("received a payload that {wrong}")),
                }
            }
            batches.push(batch);
        }
        batches
    }

    /// How each call ended.
    #[must_use]
    pub fn outcomes(&self) -> Vec<Outcome> {
        self.calls().iter().map(|call| Outcome::of(call)).collect()
    }

    /// The values of every delivery, decoded by the default codec.
    ///
    /// # Panics
    ///
    /// On a payload that does not decode.
    #[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
    #[must_use]
    #[track_caller]
    pub fn received<T: DeserializeOwned>(&self) -> Vec<T> {
        self.batches().into_iter().flatten().collect()
    }

    /// The values of every delivery, decoded by `codec`.
    ///
    /// # Panics
    ///
    /// On a payload that does not decode.
    #[must_use]
    #[track_caller]
    pub fn received_with<T, C>(&self, codec: &C) -> Vec<T>
    where
        T: DeserializeOwned,
        C: Codec,
    {
        self.batches_with(codec).into_iter().flatten().collect()
    }

    /// Asserts that there was no call. It holds as well where nothing subscribes to the name.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn assert_not_called(self) {
        let calls = self.calls().len();
        if calls != 0 {
            self.fail_counted(format_args!("never"));
        }
    }

    /// Asserts that the last call's delivery is `expected`, decoded by the default codec.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
    #[track_caller]
    pub fn with<T>(self, expected: &T) -> Self
    where
        T: DeserializeOwned + PartialEq + fmt::Debug,
    {
        self.with_codec(&ruststream_core::codec::DefaultCodec::default(), expected)
    }

    /// Asserts that the last call's delivery is `expected`, decoded by `codec`.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn with_codec<T, C>(self, codec: &C, expected: &T) -> Self
    where
        T: DeserializeOwned + PartialEq + fmt::Debug,
        C: Codec,
    {
        self.only("a value", |delivery| {
            let received: T = decode(codec, &delivery.payload)
                .map_err(|wrong| format!("received a payload that {wrong}"))?;
            equal("received an unexpected value", expected, &received)
        });
        self
    }

    /// Asserts that the last call's delivery lent a `T` equal to `expected` (the carried lane).
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn with_value<T>(self, expected: &T) -> Self
    where
        T: PartialEq + fmt::Debug + Clone + 'static,
    {
        self.only("a lent value", |delivery| {
            equal(
                "was lent an unexpected value",
                expected,
                lent::<T>(delivery)?,
            )
        });
        self
    }

    /// The values that the deliveries lent (the carried lane).
    ///
    /// # Panics
    ///
    /// On a delivery that lent none, or one of another type.
    #[must_use]
    #[track_caller]
    pub fn received_values<T: Clone + 'static>(&self) -> Vec<T> {
        let mut values = Vec::new();
        for call in self.calls() {
            for delivery in &call.deliveries {
                match lent::<T>(delivery) {
                    Ok(value) => values.push(value.clone()),
                    Err(wrong) => self.fail(wrong),
                }
            }
        }
        values
    }

    /// Asserts the payload of the last call's delivery.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn with_raw(self, bytes: &[u8]) -> Self {
        self.only("raw bytes", |delivery| {
            if delivery.payload == bytes {
                return Ok(());
            }
            let (expected, is) = (told::payload(bytes), told::payload(&delivery.payload));
            let wrong = "received unexpected raw bytes";
            Err(format!("{wrong}\n  expected: {expected}\n  received: {is}"))
        });
        self
    }

    /// Asserts how every delivery of the last call was settled. Work attached to `outcome` does not
    /// matter; a delay does.
    ///
    /// # Panics
    ///
    /// Otherwise; also where a delivery was left unsettled.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "an outcome is written where it is asserted"
    )]
    #[track_caller]
    pub fn settled(self, outcome: HandlerOutcome) -> Self {
        let last = self.last("a settlement");
        let expected = outcome.outcome();
        let settled = last.deliveries.iter().map(|delivery| delivery.settled);
        let differently = settled
            .clone()
            .filter(|settled| *settled != Some(expected))
            .count();
        if differently != 0 {
            let what = format!(
                "settled {differently} of its last {} deliveries differently\n  \
                 expected: {expected:?}\n   settled: {:?}",
                last.deliveries.len(),
                settled.collect::<Vec<_>>()
            );
            self.fail_last(&last, what);
        }
        self
    }

    /// Asserts how many deliveries each call was handed, in order; a single delivery counts as one.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn assert_batch_sizes(self, sizes: &[usize]) -> Self {
        let handed: Vec<usize> = self
            .calls()
            .iter()
            .map(|call| call.deliveries.len())
            .collect();
        if handed != sizes {
            let calls = self.calls();
            self.fail(format_args!(
                "was handed batches of {handed:?}, expected {sizes:?}{}",
                told::listed("  ", calls.iter().map(|call| told::call(call)))
            ));
        }
        self
    }

    /// Asserts that the last call panicked.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn panicked(self) -> Self {
        let last = self.last("a panic");
        if !last.panicked {
            self.fail_last(&last, "did not panic in its last call");
        }
        self
    }

    /// Asserts how the last call ended.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn assert_outcome(self, expected: Outcome) -> Self {
        let last = self.last("an outcome");
        let outcome = Outcome::of(&last);
        if let Err(wrong) = equal("had an unexpected outcome", &expected, &outcome) {
            self.fail_last(&last, wrong);
        }
        self
    }

    /// Asserts that the last call's delivery did not decode.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn assert_last_failed_to_decode(self) {
        let last = self.last("a decode failure");
        if !last.decode_failed {
            self.fail_last(&last, "decoded its last delivery successfully");
        }
    }
}

impl SubscriberAssertions<'_> {
    /// Runs `hook` after each further call, once that is settled.
    ///
    /// The hook is handed this same view as it was at the call, which is its last. Whatever caused
    /// the call waits for the hook, so a send returns after the hooks of all it caused, in the order
    /// of their registration. A hook runs on a thread of its own inside the test's runtime: its
    /// timers follow the runtime's clock, it may publish, and its future need not be `Send`. The
    /// hooks of two calls may overlap.
    ///
    /// A panic of a hook skips the further hooks of that call, and is raised in the test's own task:
    /// by the send, `settle` or `advance` that is under way, else by `shutdown` or the drop of the
    /// [`TestApp`](crate::TestApp).
    pub fn on_call<Hook>(self, hook: Hook)
    where
        Hook: AsyncFn(SubscriberAssertions<'_>) + Send + Sync + 'static,
    {
        let Self {
            harness,
            scope,
            name,
            ..
        } = self;
        let event = Event::Call { scope, name: &name };
        let (hook, viewed) = (Arc::new(hook), name.clone());
        let run = Arc::new(move |harness: Arc<Harness>, within| {
            let (hook, name) = (Arc::clone(&hook), viewed.clone());
            Box::pin(async move {
                hook(SubscriberAssertions::within(&harness, scope, name, within)).await;
            }) as _
        });
        harness.hooks().register(event, run);
    }
}

impl fmt::Debug for SubscriberAssertions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubscriberAssertions")
            .field("name", &self.name)
            .field("calls", &self.calls().len())
            .finish_non_exhaustive()
    }
}

fn lent<T: 'static>(delivery: &Delivered) -> Result<&T, String> {
    let Some(lent) = &delivery.lent else {
        return Err("was lent no value".to_owned());
    };
    lent.get().ok_or_else(|| {
        let (expected, is) = (type_name::<T>(), lent.type_name());
        format!("was lent a value that is not a {expected}: it is a {is}")
    })
}

fn equal<T: PartialEq + fmt::Debug>(wrong: &str, expected: &T, is: &T) -> Result<(), String> {
    if is == expected {
        return Ok(());
    }
    Err(format!(
        "{wrong}\n  expected: {expected:?}\n  received: {is:?}"
    ))
}
