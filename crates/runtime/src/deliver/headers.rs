//! The headers of one delivery, asked from the broker when somebody reads them and at most once.

use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::OnceLock;

use ruststream_core::{HeaderMap, IncomingMessage};

/// What a delivery's headers are read from; a delivery itself cannot be named without its type.
trait Asked: Sync {
    fn ask(&self) -> &HeaderMap;
}

impl<M: IncomingMessage> Asked for M {
    fn ask(&self) -> &HeaderMap {
        self.headers()
    }
}

/// A delivery's headers, unread until the first look (CORE-264, RUN-262).
///
/// Context, reply transforms and the attempt check of one delivery share one value, so that the
/// broker is asked once for all of them.
pub(crate) struct DeliveryHeaders<'a> {
    source: Option<&'a dyn Asked>,
    /// A reference has nothing to drop, which a `OnceLock` would look for.
    read: ManuallyDrop<OnceLock<&'a HeaderMap>>,
}

static NONE: HeaderMap = HeaderMap::new();

impl<'a> DeliveryHeaders<'a> {
    /// The headers of `message`, not asked for yet.
    #[inline]
    pub(crate) fn of<M: IncomingMessage>(message: &'a M) -> Self {
        Self {
            source: Some(message),
            read: ManuallyDrop::new(OnceLock::new()),
        }
    }

    /// No headers at all: what a batch body sees.
    #[inline]
    pub(crate) const fn none() -> Self {
        Self {
            source: None,
            read: ManuallyDrop::new(OnceLock::new()),
        }
    }

    /// The map, asked from the delivery on the first call.
    #[inline]
    pub(crate) fn get(&self) -> &'a HeaderMap {
        match self.source {
            Some(source) => self.read.get_or_init(|| source.ask()),
            None => &NONE,
        }
    }
}

impl fmt::Debug for DeliveryHeaders<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeliveryHeaders")
            .field("read", &self.read.get().is_some())
            .finish()
    }
}
