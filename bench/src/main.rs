//! What the messages of a service cost in process.
//!
//! ```text
//! ruststream-bench measure [--quick] [SCENARIO..]     a table of instructions and allocations
//! ruststream-bench memory                             what an idle subscription holds
//! ruststream-bench once SCENARIO MESSAGES             what `measure` runs under callgrind
//! ```

mod callgrind;
mod harness;
mod scenarios;

use std::env;
use std::process::ExitCode;

use harness::measured_region;
use scenarios::{ALL, Scenario};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["measure", "--quick", ..] => measure(ALL.iter().filter(|scenario| scenario.quick)),
        ["measure"] => measure(ALL.iter()),
        ["measure", ref names @ ..] => {
            measure(ALL.iter().filter(|scenario| names.contains(&scenario.name)))
        }
        ["memory"] => scenarios::idle::report(),
        ["once", name, messages] => once(name, messages),
        _ => {
            eprintln!("usage: measure [--quick] [SCENARIO..] | memory | once SCENARIO MESSAGES");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// A line a scenario: its name, instructions a message, allocations a message.
fn measure<'a>(scenarios: impl Iterator<Item = &'a Scenario>) {
    for scenario in scenarios {
        let short = callgrind::run(scenario.name, scenario.messages);
        let long = callgrind::run(scenario.name, 2 * scenario.messages);
        let each =
            |long: u64, short: u64| long.saturating_sub(short) as f64 / scenario.messages as f64;
        println!(
            "{}\t{:.1}\t{:.3}",
            scenario.name,
            each(long.instructions, short.instructions),
            each(long.allocations, short.allocations),
        );
    }
}

fn once(name: &str, messages: &str) {
    let scenario = ALL.iter().find(|scenario| scenario.name == name);
    let scenario = scenario.expect("a scenario of this name");
    let messages = messages.parse().expect("a number of messages");
    let runtime = harness::runtime();
    let mut live = (scenario.start)(&runtime);
    // Once before, for what grows to its size once, such as queues and the scheduler's own; as much
    // for a short run as for a long one, since callgrind counts the calls of this part too.
    (live.fill)(&runtime, 2 * scenario.messages);
    (live.drive)(&runtime, 2 * scenario.messages);
    (live.fill)(&runtime, messages);
    measured_region(&mut || (live.drive)(&runtime, messages));
}
