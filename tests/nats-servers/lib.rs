//! Private NATS servers: each test, and each run of a benchmark, starts its own.

mod binaries;
mod server;
mod watch;

pub use binaries::{binaries, on_every_server, on_every_server_with};
pub use server::Server;
