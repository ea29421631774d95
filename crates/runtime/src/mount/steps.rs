//! The steps that settings are named by, each in the state that leaves its setting open.

use std::borrow::Cow;
use std::num::NonZeroUsize;

use crate::policy::FailurePolicies;
use crate::reply::DeclaredDest;
use crate::workers::Workers;

/// What a definition is to a mount: its form.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a subscriber definition: is its `#[subscriber(..)]` missing?",
    label = "this does not mount",
    note = "mount a function under `#[subscriber(..)]`, an attribute that the feature `macros` brings, or \
            `subscriber(source, body).build()`"
)]
pub trait IncludeDef {
    /// A token of [`forms`](crate::forms).
    type Form;
}

/// Everything that mounts: a definition, or a builder over one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a subscriber definition: is its `#[subscriber(..)]` missing?",
    label = "this does not mount",
    note = "mount a function under `#[subscriber(..)]`, an attribute that the feature `macros` brings, or \
            `subscriber(source, body).build()`"
)]
pub trait Declared: Sized {
    /// A token of [`forms`](crate::forms).
    type Form;
    /// The builder over the definition, with the settings its declaration names.
    type Settings;
    /// The builder.
    fn declare(self) -> Self::Settings;
}

/// Names the subscription of a definition that left it open.
#[diagnostic::on_unimplemented(
    message = "this subscriber's subscription is already named: remove `.name(..)`, or the source from the attribute",
    label = "the attribute or an earlier step names the source",
    note = "leave the source's value out of the attribute to name it at the mount: \
            `#[subscriber]` or `#[subscriber(Kind)]`, for a kind that one name identifies"
)]
pub trait NameStep: Sized {
    /// The builder over the named source.
    type Out;
    /// Names it.
    fn apply_name(self, name: Cow<'static, str>) -> Self::Out;
}

/// Fixes the concurrency.
#[diagnostic::on_unimplemented(
    message = "this subscriber's worker policy is already fixed: keep one of `workers` and `threads`, in the attribute or in the chain",
    label = "`workers`, `workers_by_key`, `threads` and `threads_by_key` fill one position",
    note = "name it once, in the attribute or in the chain"
)]
pub trait WorkersStep: Sized {
    /// The builder with its concurrency fixed.
    type Out;
    /// Fixes it.
    fn apply_workers(self, workers: Workers) -> Self::Out;
}

/// Fixes the failure policies.
#[diagnostic::on_unimplemented(
    message = "this subscriber's failure policies are already fixed: keep one `on_failure`",
    label = "`on_failure` is named once",
    note = "name it once, in the attribute or in the chain"
)]
pub trait FailureStep: Sized {
    /// The builder with its policies fixed.
    type Out;
    /// Fixes them.
    fn apply_failures(self, policies: FailurePolicies) -> Self::Out;
}

/// Fixes the start position.
#[diagnostic::on_unimplemented(
    message = "this subscriber's start position is already fixed: keep one `start_at`",
    label = "`start_at` is named once",
    note = "name it once, in the attribute or in the chain"
)]
pub trait StartAtStep<P>: Sized {
    /// The builder over the positioned source.
    type Out;
    /// Fixes it.
    fn apply_start_at(self, position: P) -> Self::Out;
}

/// Fixes the batch size.
#[diagnostic::on_unimplemented(
    message = "this subscriber's batch size is already named: keep one `.batch(..)`",
    label = "`batch` is named once",
    note = "name it once, in the chain of the mount"
)]
pub trait BatchStep: Sized {
    /// The builder with its batch size fixed.
    type Out;
    /// Fixes it.
    fn apply_batch(self, size: NonZeroUsize) -> Self::Out;
}

/// A builder whose codec is not named yet.
#[diagnostic::on_unimplemented(
    message = "this subscriber's codec is already named: keep one `.codec(..)`",
    label = "`codec` is named once",
    note = "name it once, in the chain of the definition"
)]
pub trait CodecStep {}

impl CodecStep for () {}

/// Where a reply goes, as long as the definition names no place.
#[diagnostic::on_unimplemented(
    message = "where these replies go is already named: keep one `.to(..)`",
    label = "`to` is written once",
    note = "name it once, after `.reply()`"
)]
pub trait ReplyUnnamed {}

impl ReplyUnnamed for DeclaredDest {}

/// A builder whose batch size is named.
#[diagnostic::on_unimplemented(
    message = "this batch subscriber has no batch size: mount it with one, `handler.batch(nonzero!(64))`",
    label = "the body takes a slice, so the mount must say how long it may be"
)]
pub trait BatchSized {
    /// The largest number of messages in one batch.
    fn batch_size(&self) -> NonZeroUsize;
}

/// Changes the subscription source.
pub trait MapSourceStep<F>: Sized {
    /// The builder over the new source.
    type Out;
    /// Changes it.
    fn apply_map_source(self, f: F) -> Self::Out;
}

/// The settings of a subscription, on a definition or a builder over one (RUN-153).
///
/// ```
/// use ruststream_core::{Name, Unnamed, nonzero};
/// use ruststream_runtime::{SubscriberBuilder, SubscriberSettings};
/// # struct Def;
/// # impl ruststream_runtime::IncludeDef for Def { type Form = (); }
///
/// let parcels = SubscriberBuilder::new(Def, Unnamed::<Name>::new())
///     .name("parcels")
///     .workers(nonzero!(4));
/// assert_eq!(parcels.dispatch().count(), nonzero!(4));
/// ```
pub trait SubscriberSettings: Declared {
    /// Names the subscription.
    fn name(self, name: impl Into<Cow<'static, str>>) -> <Self::Settings as NameStep>::Out
    where
        Self::Settings: NameStep,
    {
        self.declare().apply_name(name.into())
    }

    /// Handles up to `count` deliveries at once, on tasks of the application's runtime. A count, here
    /// and below, is written as `nonzero!(4)`: [`nonzero!`](ruststream_core::nonzero) takes a
    /// constant, [`NonZeroUsize::new`] a value known when the program runs.
    fn workers(self, count: NonZeroUsize) -> <Self::Settings as WorkersStep>::Out
    where
        Self::Settings: WorkersStep,
    {
        self.declare().apply_workers(Workers::pool(count))
    }

    /// Handles `count` lanes at once; the messages of one key keep their order.
    fn workers_by_key(self, count: NonZeroUsize) -> <Self::Settings as WorkersStep>::Out
    where
        Self::Settings: WorkersStep,
    {
        self.declare().apply_workers(Workers::keyed(count))
    }

    /// Handles deliveries on `count` operating system threads of their own.
    fn threads(self, count: NonZeroUsize) -> <Self::Settings as WorkersStep>::Out
    where
        Self::Settings: WorkersStep,
    {
        self.declare().apply_workers(Workers::threads(count))
    }

    /// Handles deliveries on `count` threads; the messages of one key stay on one of them.
    fn threads_by_key(self, count: NonZeroUsize) -> <Self::Settings as WorkersStep>::Out
    where
        Self::Settings: WorkersStep,
    {
        self.declare().apply_workers(Workers::threads_keyed(count))
    }

    /// Says what happens on a panic and on an input that cannot be made.
    fn on_failure(self, policies: FailurePolicies) -> <Self::Settings as FailureStep>::Out
    where
        Self::Settings: FailureStep,
    {
        self.declare().apply_failures(policies)
    }

    /// Starts reading at `position` whenever the service starts.
    fn start_at<P>(self, position: P) -> <Self::Settings as StartAtStep<P>>::Out
    where
        Self::Settings: StartAtStep<P>,
    {
        self.declare().apply_start_at(position)
    }

    /// Hands over at most `size` messages at once.
    fn batch(self, size: NonZeroUsize) -> <Self::Settings as BatchStep>::Out
    where
        Self::Settings: BatchStep,
    {
        self.declare().apply_batch(size)
    }

    /// Changes the subscription source; broker crates build their own words on it.
    fn map_source<F>(self, f: F) -> <Self::Settings as MapSourceStep<F>>::Out
    where
        Self::Settings: MapSourceStep<F>,
    {
        self.declare().apply_map_source(f)
    }
}

impl<D: Declared> SubscriberSettings for D {}
