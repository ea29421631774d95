//! The service as a process: what it prints, what it survives, how it ends.

mod bad_lines;
mod document;
mod feeds;
mod misuse;
#[cfg(unix)]
mod signals;
mod support;
