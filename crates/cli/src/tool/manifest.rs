//! Which manifest is meant.

use std::path::PathBuf;

/// A directory means the `Cargo.toml` in it; anything else is left as it is, for cargo to judge.
pub(super) fn manifest_path(given: PathBuf) -> PathBuf {
    if given.is_dir() {
        given.join("Cargo.toml")
    } else {
        given
    }
}
