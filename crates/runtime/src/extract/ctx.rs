//! Fields of the delivery context as parameters of a body.

use std::convert::Infallible;
use std::fmt;
use std::future::{Future, ready};

use ruststream_core::ContextField;

use super::context::Context;
use super::from_context::FromContext;
use super::main_runtime::MainRuntime;

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// A key that [`Ctx`] takes: every [`ContextField`] of a broker, and [`MainRuntime`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key of the delivery context: take one of the broker's crate, or `MainRuntime`",
    label = "`Ctx<{Self}>` names no field",
    note = "use a key that the broker crate publishes, one that implements `ContextField`, or `MainRuntime`"
)]
pub trait CtxKey: sealed::Sealed {
    /// What the key reads.
    type Value: Send + 'static;
}

impl<K: ContextField> sealed::Sealed for K {}

#[diagnostic::do_not_recommend]
impl<K: ContextField> CtxKey for K {
    type Value = <K as ContextField>::Value;
}

/// The value of one field of the delivery context, read before the body runs. Never fails.
///
/// ```
/// use ruststream_core::ContextField;
/// use ruststream_runtime::{Context, Ctx, FromContext};
///
/// struct ParcelContext { partition: i32 }
///
/// #[derive(Default)]
/// struct Partition;
///
/// impl ContextField for Partition {
///     type Context = ParcelContext;
///     type Value = i32;
///
///     fn read(self, src: &ParcelContext) -> i32 { src.partition }
/// }
///
/// async fn partition_of(ctx: &mut Context<'_, ParcelContext>) -> i32 {
///     let Ok(Ctx(partition)) = Ctx::<Partition>::from_context(ctx).await;
///     partition
/// }
/// ```
pub struct Ctx<K: CtxKey>(pub K::Value);

impl<K: CtxKey> fmt::Debug for Ctx<K>
where
    K::Value: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ctx").field(&self.0).finish()
    }
}

// The context stands as a projection so that a broker crate may extract its own key from another
// of its contexts without an overlap.
impl<S, K> FromContext<<K as ContextField>::Context, S> for Ctx<K>
where
    K: ContextField,
    K::Context: Send,
    S: Sync,
{
    type Rejection = Infallible;

    fn from_context(
        ctx: &mut Context<'_, K::Context, S>,
    ) -> impl Future<Output = Result<Self, Infallible>> + Send {
        ready(Ok(Self(K::default().read(ctx.delivery()))))
    }
}

impl<C, S> FromContext<C, S> for Ctx<MainRuntime>
where
    C: Send,
    S: Sync,
{
    type Rejection = Infallible;

    fn from_context(
        ctx: &mut Context<'_, C, S>,
    ) -> impl Future<Output = Result<Self, Infallible>> + Send {
        ready(Ok(Self(ctx.main_runtime().clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deliver::headers::DeliveryHeaders;
    use crate::extract::site::fixture::parcels;

    struct DeliveryContext {
        partition: i32,
    }

    struct BatchContext {
        first_partition: i32,
    }

    #[derive(Default)]
    struct Partition;

    impl ContextField for Partition {
        type Context = DeliveryContext;
        type Value = i32;

        fn read(self, src: &DeliveryContext) -> i32 {
            src.partition
        }
    }

    // MAC trap 1: no overlap with the extraction from the field's own context.
    impl<S: Sync> FromContext<BatchContext, S> for Ctx<Partition> {
        type Rejection = Infallible;

        async fn from_context(ctx: &mut Context<'_, BatchContext, S>) -> Result<Self, Infallible> {
            Ok(Self(ctx.delivery().first_partition))
        }
    }

    // RUN-387
    #[tokio::test]
    async fn a_field_is_extracted_from_its_own_context() {
        let (site, headers) = (parcels(()), DeliveryHeaders::none());
        let mut ctx = Context::new(&site, DeliveryContext { partition: 3 }, &headers);

        let Ok(ctx) = Ctx::<Partition>::from_context(&mut ctx).await;

        assert_eq!(format!("{ctx:?}"), "Ctx(3)");
    }

    // MAC trap 1
    #[tokio::test]
    async fn a_key_may_be_extracted_from_another_context_too() {
        let (site, headers) = (parcels(()), DeliveryHeaders::none());
        let mut ctx = Context::new(&site, BatchContext { first_partition: 4 }, &headers);

        let Ok(Ctx(partition)) = Ctx::<Partition>::from_context(&mut ctx).await;

        assert_eq!(partition, 4);
    }

    // RUN-387, RUN-229
    #[tokio::test]
    async fn the_main_runtime_is_extracted_in_any_context() {
        let (site, headers) = (parcels("any state"), DeliveryHeaders::none());
        let mut ctx = Context::new(&site, BatchContext { first_partition: 0 }, &headers);

        let Ok(Ctx(main)) = Ctx::<MainRuntime>::from_context(&mut ctx).await;

        assert_eq!(main.run(async { 41 }).await.unwrap(), 41);
    }
}
