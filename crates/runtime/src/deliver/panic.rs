//! What a caught panic says.

use std::any::Any;

/// The payload where it is text (RUN-304).
pub(super) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("handler panicked")
}
