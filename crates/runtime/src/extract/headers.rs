//! Typed headers as a parameter of a body.

use std::any::type_name;
use std::future::{Future, ready};

use serde::de::DeserializeOwned;

use super::context::Context;
use super::from_context::FromContext;
use crate::outcome::HandlerOutcome;
use crate::policy::FailurePolicy;
use crate::reason::without_values;

/// Headers read into a flat struct: one field, one header.
///
/// As a parameter of an attribute-defined body a violation is a decode failure under the policy of
/// the registration; extracted by hand it drops the delivery. What layers wrote into the working
/// headers is read.
///
/// ```
/// use ruststream_runtime::{Context, FromContext, HandlerOutcome, Headers};
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct ParcelMeta { depot: u32, fragile: Option<bool> }
///
/// async fn depot(ctx: &mut Context<'_>) -> Result<u32, HandlerOutcome> {
///     let Headers(ParcelMeta { depot, .. }) = Headers::from_context(ctx).await?;
///     Ok(depot)
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Headers<T>(pub T);

impl<T: DeserializeOwned> Headers<T> {
    /// Reads the headers; a violation is logged and settles by `policy`.
    #[doc(hidden)]
    pub fn extract<C, S>(
        ctx: &mut Context<'_, C, S>,
        policy: FailurePolicy,
    ) -> Result<Self, HandlerOutcome> {
        ctx.headers().to_typed().map(Self).map_err(|error| {
            let error = without_values(&error.to_string());
            tracing::warn!(
                target: "ruststream::dispatch",
                subscription = %ctx.name(),
                headers_type = type_name::<T>(),
                error,
                "typed header extraction failed"
            );
            ctx.decode_failure(policy, || format!("header extraction failed: {error}"))
        })
    }
}

impl<C, S, T> FromContext<C, S> for Headers<T>
where
    T: DeserializeOwned + Send,
    C: Send,
    S: Sync,
{
    type Rejection = HandlerOutcome;

    fn from_context(
        ctx: &mut Context<'_, C, S>,
    ) -> impl Future<Output = Result<Self, HandlerOutcome>> + Send {
        ready(Self::extract(ctx, FailurePolicy::Drop))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::deliver::headers::DeliveryHeaders;
    use crate::extract::site::fixture::{Delivery, parcels};
    use crate::layers::log_capture::LogCapture;

    #[derive(Debug, Deserialize)]
    struct Meta {
        tenant: String,
    }

    // RUN-388
    #[tokio::test]
    async fn working_headers_are_read() {
        let (site, delivery) = (parcels(()), Delivery::with([("tenant", "north")]));
        let headers = DeliveryHeaders::of(&delivery);
        let mut ctx = Context::new(&site, (), &headers);
        let Headers(Meta { tenant }) = Headers::from_context(&mut ctx).await.unwrap();
        assert_eq!(tenant, "north");

        ctx.headers_mut().insert("tenant", "south");

        let Headers(Meta { tenant }) = Headers::from_context(&mut ctx).await.unwrap();
        assert_eq!(tenant, "south");
        assert!(ctx.take_aside().is_none());
    }

    // RUN-388, CORE-097
    #[tokio::test]
    async fn a_plain_extractor_drops_whatever_the_policy_of_the_registration() {
        let mut site = parcels(());
        site.about.policies.decode = FailurePolicy::FailFast;
        let headers = DeliveryHeaders::none();
        let mut ctx = Context::new(&site, (), &headers);

        let outcome = Headers::<Meta>::from_context(&mut ctx).await.unwrap_err();

        assert!(outcome.is_drop());
        let aside = ctx.take_aside().unwrap();
        assert!(aside.decode_failed && aside.fail_fast.is_none());
    }

    // RUN-302, RUN-303, RUN-388
    #[tokio::test]
    async fn a_violation_settles_by_the_policy_that_the_expansion_passes() {
        let (site, headers) = (parcels(()), DeliveryHeaders::none());
        let mut ctx = Context::new(&site, (), &headers);

        let skipped = Headers::<Meta>::extract(&mut ctx, FailurePolicy::Skip).unwrap_err();
        let stopped = Headers::<Meta>::extract(&mut ctx, FailurePolicy::FailFast).unwrap_err();

        assert!(skipped.is_ack() && stopped.is_drop());
        let reason = ctx.take_aside().unwrap().fail_fast.unwrap();
        assert!(reason.starts_with("header extraction failed: "), "{reason}");
    }

    // RUN-303, RUN-480
    #[tokio::test]
    async fn a_violation_is_logged_once_with_the_type_of_the_headers() {
        let (site, headers) = (parcels(()), DeliveryHeaders::none());
        let mut ctx = Context::new(&site, (), &headers);
        let log = LogCapture::start();

        let rejected = Headers::<Meta>::from_context(&mut ctx).await;

        assert!(rejected.is_err());
        let lines = log.take();
        let [line] = &lines[..] else {
            panic!("{lines:?}")
        };
        let start = "WARN ruststream::dispatch: typed header extraction failed \
                     subscription=parcels headers_type=\"";
        assert!(
            line.starts_with(start) && line.contains("::Meta\" error="),
            "{line}"
        );
    }

    // OBS-06
    #[tokio::test]
    async fn what_a_header_held_is_neither_logged_nor_in_the_reason() {
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Priority {
            Low,
            High,
        }
        #[derive(Debug, Deserialize)]
        struct Express {
            #[expect(dead_code, reason = "read by nobody")]
            priority: Priority,
        }
        let (site, delivery) = (parcels(()), Delivery::with([("priority", "4111-secret")]));
        let headers = DeliveryHeaders::of(&delivery);
        let mut ctx = Context::new(&site, (), &headers);
        let log = LogCapture::start();

        let stopped = Headers::<Express>::extract(&mut ctx, FailurePolicy::FailFast);

        assert!(stopped.is_err());
        let told = format!(
            "{:?} {}",
            log.take(),
            ctx.take_aside().unwrap().fail_fast.unwrap()
        );
        assert!(!told.contains("secret"), "{told}");
        let expected = "unknown variant, expected `low` or `high`";
        assert_eq!(told.matches(expected).count(), 2, "{told}");
    }
}
