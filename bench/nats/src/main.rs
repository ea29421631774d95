//! The NATS client by itself, under the crate, and under a service, side by side.
//!
//! ```text
//! bench-nats rounds [ROUNDS] [CASE..]     wall clock and CPU time, interleaved
//! bench-nats instructions [CASE..]        instructions a message, by callgrind
//! ```
//!
//! Both start a server of their own (`nats-server` on the path, or the first of
//! `RUSTSTREAM_NATS_SERVERS`), and each run is a process: this program, with `once`. What feeds or
//! answers a run is another process, so that its work is not counted.

mod cases;
mod clock;
mod instructions;
mod load;
mod message;
mod once;
mod rounds;
mod tally;

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["once", case, contestant, url, messages] => once::run(case, contestant, url, messages),
        ["load", url, subject, messages, body] => load::publish(url, subject, messages, body),
        ["respond", url, subject] => load::respond(url, subject),
        ["rounds", ref rest @ ..] => rounds::run(rest),
        ["instructions", ref cases @ ..] => instructions::run(cases),
        _ => {
            eprintln!(
                "usage: bench-nats rounds [ROUNDS] [CASE..] | bench-nats instructions [CASE..]"
            );
            for case in cases::ALL {
                eprintln!("  {:<22} {} messages", case.name, case.messages);
            }
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
