//! Parts of the app's state as parameters of a body.

use std::convert::Infallible;
use std::future::{Future, ready};

use super::context::Context;
use super::from_context::FromContext;
use super::from_ref::FromRef;

/// A part of the app's state, taken with [`FromRef`] before the body runs. Never fails.
///
/// ```
/// use std::sync::Arc;
/// use ruststream_runtime::{Context, FromContext, FromRef, State};
///
/// struct Depot { ledger: Arc<Ledger> }
/// struct Ledger;
///
/// impl FromRef<Depot> for Arc<Ledger> {
///     fn from_ref(depot: &Depot) -> Self { Arc::clone(&depot.ledger) }
/// }
///
/// async fn ledger(ctx: &mut Context<'_, (), Depot>) -> Arc<Ledger> {
///     let Ok(State(ledger)) = State::from_context(ctx).await;
///     ledger
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct State<T>(pub T);

impl<C, S, T> FromContext<C, S> for State<T>
where
    T: FromRef<S> + Send,
{
    type Rejection = Infallible;

    fn from_context(
        ctx: &mut Context<'_, C, S>,
    ) -> impl Future<Output = Result<Self, Infallible>> + Send {
        ready(Ok(Self(T::from_ref(ctx.state()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deliver::headers::DeliveryHeaders;
    use crate::extract::site::fixture::parcels;

    struct Depot {
        capacity: u32,
    }

    #[derive(Debug, Clone, Copy)]
    struct Capacity(u32);

    impl FromRef<Depot> for Capacity {
        fn from_ref(depot: &Depot) -> Self {
            Self(depot.capacity)
        }
    }

    // RUN-386
    #[tokio::test]
    async fn a_part_of_the_state_is_extracted_in_any_delivery_context() {
        let (site, headers) = (parcels(Depot { capacity: 40 }), DeliveryHeaders::none());
        let mut ctx = Context::new(&site, "any delivery context", &headers);

        let Ok(state) = State::<Capacity>::from_context(&mut ctx).await;

        assert_eq!(state.0.0, 40);
        assert_eq!(format!("{state:?}"), "State(Capacity(40))");
    }
}
