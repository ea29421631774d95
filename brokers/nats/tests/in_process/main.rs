//! The crate on its in-process transport.

mod conformance;
mod service;
