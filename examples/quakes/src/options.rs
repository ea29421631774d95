//! What the command line asks for.

use std::path::PathBuf;

#[cfg(not(feature = "nats"))]
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Command, value_parser};

/// What to do.
#[derive(Debug)]
pub(crate) enum Asked {
    /// Run the service.
    Run(Options),
    /// Do what the service's own command line does with the same arguments.
    Document,
}

/// The arguments of `run`.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// What to read instead of the bundled week; `-` is standard input.
    pub(crate) file: Option<PathBuf>,
    /// Messages a second; as fast as they are handled if there is none.
    pub(crate) rate: Option<u32>,
    /// Where the messages travel.
    pub(crate) transport: Transport,
}

/// Where the messages travel.
#[derive(Debug, Default)]
pub(crate) enum Transport {
    /// In this process.
    #[default]
    Memory,
    /// Over the NATS server at these addresses.
    #[cfg(feature = "nats")]
    Nats(String),
}

/// Reads the arguments of the process; ends it after help, and after arguments that aren't any.
pub(crate) fn parse() -> Asked {
    let matches = command().get_matches();
    match matches.subcommand() {
        Some(("run", run)) => Asked::Run(Options::of(run)),
        Some(_) => Asked::Document,
        None => Asked::Run(Options::of(&matches)),
    }
}

impl Options {
    fn of(run: &ArgMatches) -> Self {
        Self {
            file: run.get_one("file").cloned(),
            rate: run.get_one("rate").copied(),
            transport: run
                .get_one::<String>("nats")
                .map_or(Transport::Memory, |addrs| nats(addrs)),
        }
    }
}

#[cfg(feature = "nats")]
fn nats(addrs: &str) -> Transport {
    Transport::Nats(addrs.to_owned())
}

#[cfg(not(feature = "nats"))]
fn nats(_addrs: &str) -> Transport {
    let hint = "`--nats` needs the feature `nats`: `cargo run -p quakes --features nats -- run ..`";
    command().error(ErrorKind::InvalidValue, hint).exit()
}

fn command() -> Command {
    Command::new("quakes")
        .about("Counts a week of earthquakes and raises alerts, then prints a summary")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        // `run` is what happens without a command, so its options are taken without the word as well.
        .args(run_options())
        .args_conflicts_with_subcommands(true)
        .subcommand(
            Command::new("run")
                .about("Run until the feed is through; the default")
                .args(run_options()),
        )
        .subcommand(
            Command::new("asyncapi")
                .about("Print the service's document: `asyncapi gen`")
                .disable_help_flag(true)
                .arg(
                    Arg::new("args")
                        .value_name("ARGS")
                        .num_args(..)
                        .allow_hyphen_values(true)
                        .trailing_var_arg(true),
                ),
        )
}

fn run_options() -> [Arg; 3] {
    [
        Arg::new("file")
            .long("file")
            .value_name("PATH")
            .value_parser(value_parser!(PathBuf))
            .help("Read this file, a JSON object a line; `-`: standard input"),
        Arg::new("rate")
            .long("rate")
            .value_name("N")
            // `-1` is a wrong rate, not an unknown option.
            .allow_negative_numbers(true)
            .value_parser(value_parser!(u32).range(1..=1_000_000))
            .help("Publish N messages a second, 1 to 1000000"),
        Arg::new("nats")
            .long("nats")
            .value_name("URL")
            .help("Run on this NATS server (needs the feature `nats`)"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn the_help_fits_a_terminal_and_has_a_line_for_every_command() {
        let help = command().render_help().to_string();

        for begin in ["  run ", "  asyncapi ", "      --file ", "      --rate "] {
            assert!(help.lines().any(|line| line.starts_with(begin)), "{help}");
        }
        assert!(help.lines().all(|line| line.len() <= 80), "{help}");
    }
}
