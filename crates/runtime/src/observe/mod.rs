//! The one seam through which a test harness sees what happens in the runtime.
//!
//! The path of a delivery, the publishers and the startup call into this module and know nothing
//! of who listens. Without the feature `testing` everything here is an empty type or an inlined
//! forward, so nothing is left of it. With the feature and no harness each call is one look at an
//! option. A harness is an `Observer`, named by the application it started.
//!
//! | What | Is told |
//! |---|---|
//! | `Attached`, one for each application | where threads become tasks, what a stop waits for |
//! | `Scope`, `Transition`, `Facts` | which broker is which, and how it is connected |
//! | `Mounted`, one for each subscription | the begin of every dispatch, redeliveries, delays |
//! | `Span`, one for each dispatch | the handler's run, its verdict, the end |
//! | `Observed`, around each paired publisher | every message handed to a broker |

#[cfg(feature = "testing")]
mod harness;
#[cfg(not(feature = "testing"))]
mod off;
#[cfg(feature = "testing")]
mod on;

#[cfg(feature = "testing")]
pub use harness::{Call, Delivered, Lent, Observer, Options, Published, Reaction, Returned};
#[cfg(not(feature = "testing"))]
pub use off::Observed;
#[cfg(not(feature = "testing"))]
pub(crate) use off::*;
#[cfg(feature = "testing")]
pub(crate) use on::*;
#[cfg(feature = "testing")]
pub use on::{Connection, Facts, Observed};
