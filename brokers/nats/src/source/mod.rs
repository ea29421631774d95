//! Descriptors: what a subscription reads.

use std::time::Duration;

mod core_subject;
mod core_wildcard;
mod duration;
mod jetstream_subject;
mod steps;
mod subscription;

pub use self::core_subject::CoreSubject;
pub use self::core_wildcard::CoreWildcard;
pub use self::duration::NonZeroDuration;
pub use self::jetstream_subject::JetStreamSubject;
pub use self::steps::{CoreSourceSteps, JetStreamPolicySteps, JetStreamSourceSteps};
pub use self::subscription::NatsSubscription;
pub(crate) use self::subscription::{CoreOpening, Opening};

/// How long a partial Core batch stays open unless the descriptor says otherwise.
const DEFAULT_MAX_WAIT: Duration = Duration::from_millis(10);
