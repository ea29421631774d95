//! One run of one contestant, in this process.

use tokio::runtime::Builder;

use crate::cases::{self, Contestant, Run};

/// Prints the nanoseconds of a message, on the wall and on the processors.
pub fn run(case: &str, contestant: &str, url: &str, messages: &str) {
    let case = cases::named(case);
    let messages: u64 = messages.parse().expect("a number");
    let run = Run {
        url: url.to_owned(),
        messages,
        contestant: Contestant::named(contestant),
    };
    // One thread, so that every instruction of the client is on it and none waits for another core.
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let took = runtime.block_on((case.run)(run));
    println!("{} {}", took.wall / messages, took.cpu / messages);
    // What is still open needs no orderly end.
    std::process::exit(0);
}
