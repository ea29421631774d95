//! Runs a service on NATS at full speed while its server is killed and started again, and counts:
//! nothing that a stream stored is lost, nothing comes twice but after a kill, and memory is flat.
//!
//! `ruststream-soak --seconds 1800`, on each server of `RUSTSTREAM_NATS_SERVERS`.

mod books;
mod core_load;
mod memory;
mod outages;
mod requests;
mod run;
mod service;
mod stored;
mod summary;

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use ruststream_nats_servers::binaries;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let seconds = match arguments.as_slice() {
        [] => Some(60),
        [option, seconds] if option == "--seconds" => seconds.parse().ok(),
        _ => None,
    };
    let Some(seconds) = seconds.filter(|seconds| *seconds >= 15) else {
        eprintln!("usage: ruststream-soak [--seconds N], with N of 15 or more");
        return ExitCode::FAILURE;
    };
    let mut passed = true;
    for binary in binaries() {
        passed &= run::run(&binary, Duration::from_secs(seconds));
    }
    if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
