//! What the command line asks for.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};

/// The arguments of `run`.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// What to read instead of the bundled week; `-` is standard input.
    pub(crate) file: Option<PathBuf>,
    /// Messages a second; as fast as they are handled if there is none.
    pub(crate) rate: Option<u32>,
}

/// Reads the arguments of the process; ends it after help, and after arguments that aren't any.
pub(crate) fn parse() -> Options {
    command()
        .get_matches()
        .subcommand()
        .map_or_else(Options::default, |(_, run)| Options::of(run))
}

impl Options {
    fn of(run: &ArgMatches) -> Self {
        Self {
            file: run.get_one("file").cloned(),
            rate: run.get_one("rate").copied(),
        }
    }
}

fn command() -> Command {
    Command::new("quakes")
        .about("Counts a week of earthquakes and raises alerts, then prints a summary")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand(
            Command::new("run")
                .about("Runs the service until the feed is through (also without this word)")
                .arg(
                    Arg::new("file")
                        .long("file")
                        .value_name("PATH")
                        .value_parser(value_parser!(PathBuf))
                        .help("Reads this file, one JSON object a line; `-` is standard input"),
                )
                .arg(
                    Arg::new("rate")
                        .long("rate")
                        .value_name("N")
                        .value_parser(value_parser!(u32).range(1..=1_000_000))
                        .help("Slows the feed down to N messages a second"),
                ),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }
}
