//! What the handlers share.

use ruststream::prelude::*;

use crate::progress::Progress;
use crate::tally::Tally;

/// The state of the service; a handler takes the part it needs with `State(..)`.
#[derive(FromRef)]
pub(crate) struct Observatory {
    pub(crate) tally: Tally,
    pub(crate) progress: Progress,
}
