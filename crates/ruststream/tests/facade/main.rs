//! The facade as other crates meet it: where its names are, and what its manifests promise.

#[cfg(feature = "memory")]
mod lanes;
mod manifests;
mod paths;
mod prelude;
