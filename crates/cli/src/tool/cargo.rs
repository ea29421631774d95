//! Running cargo.

use std::process::Command;

use super::Arguments;
use super::error::ToolError;
use super::interrupt::OutlivesInterrupts;

/// Runs `cargo` with these arguments, and with the standard streams of this process.
pub(super) fn run(arguments: &Arguments) -> Result<(), ToolError> {
    // Where it can't be had, Ctrl-C ends the tool before the service; nothing else is lost.
    let _outlives = OutlivesInterrupts::begin();
    let status = Command::new("cargo")
        .args(arguments)
        .status()
        .map_err(ToolError::Spawn)?;
    if status.success() {
        Ok(())
    } else {
        Err(ToolError::Cargo(status))
    }
}
