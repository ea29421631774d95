//! What the arguments of the tool ask for.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::Arguments;
use super::manifest::manifest_path;
use super::new::Project;
use super::template::Template;

/// What the arguments ask for.
#[derive(Debug)]
pub(super) enum Asked {
    /// Cargo, with these arguments.
    Cargo(Arguments),
    /// A new service.
    New(Project),
}

/// Why nothing is done.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Help or the version was asked for; this is it.
    Help(String),
    /// A command is missing; this is the help that lists them.
    Incomplete(String),
    /// The arguments are wrong, in one line.
    Usage(String),
}

/// Reads the arguments, of which the first is the program's name.
pub(super) fn parse(
    args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<Asked, Refusal> {
    let matches = command()
        .try_get_matches_from(args)
        .map_err(|error| refusal(&error))?;
    Ok(match matches.subcommand() {
        Some(("run", run)) => Asked::Cargo(cargo_run(run, "run", values(run, "args"))),
        Some(("asyncapi", asyncapi)) => {
            let generate = asyncapi.subcommand_matches("gen").unwrap_or(asyncapi);
            Asked::Cargo(cargo_run(generate, "asyncapi", document(generate)))
        }
        Some(("new", new)) => Asked::New(project(new)),
        // Clap lets no other through.
        _ => {
            return Err(Refusal::Usage(
                "a command is missing; try 'ruststream --help'".into(),
            ));
        }
    })
}

fn command() -> Command {
    Command::new("ruststream")
        .bin_name("ruststream")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Makes and runs RustStream services")
        .after_help(
            "A service has these commands itself: `cargo run -- run` does the same as\n\
             `ruststream run`.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(
            cargo_command("run", "Run a service until Ctrl-C or SIGTERM").arg(
                Arg::new("args")
                    .value_name("ARGS")
                    .help("Arguments for the service, passed on as they are")
                    .num_args(..)
                    .trailing_var_arg(true)
                    .allow_hyphen_values(true)
                    .value_parser(value_parser!(OsString)),
            ),
        )
        .subcommand(
            Command::new("asyncapi")
                .about("The AsyncAPI document of a service")
                .subcommand_required(true)
                .arg_required_else_help(true)
                .disable_help_subcommand(true)
                .subcommand(
                    cargo_command("gen", "Print the document, as JSON on standard output")
                        .arg(
                            Arg::new("out")
                                .short('o')
                                .long("out")
                                .value_name("FILE")
                                .help("Write it to this file instead")
                                .value_parser(value_parser!(OsString)),
                        )
                        .arg(flag("yaml", "Write YAML"))
                        .arg(
                            flag("html", "Write a page to read, which loads nothing")
                                .conflicts_with("yaml"),
                        ),
                ),
        )
        .subcommand(
            Command::new("new")
                .about("Make a new service from a template")
                .arg(
                    Arg::new("path")
                        .value_name("PATH")
                        .help("The directory to make; its last part names the package")
                        .required(true)
                        .value_parser(value_parser!(PathBuf)),
                )
                .arg(
                    Arg::new("template")
                        .short('t')
                        .long("template")
                        .value_name("TEMPLATE")
                        .help("The broker: memory or nats")
                        .hide_possible_values(true)
                        .default_value(Template::default().name())
                        .value_parser(PossibleValuesParser::new(Template::ALL.map(Template::name))),
                )
                .arg(
                    Arg::new("checkout")
                        .long("checkout")
                        .value_name("DIR")
                        .help("Depend on this checkout of RustStream")
                        .value_parser(value_parser!(PathBuf)),
                ),
        )
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .help(help)
        .action(ArgAction::SetTrue)
}

/// A command that is `cargo run` of a service.
fn cargo_command(name: &'static str, about: &'static str) -> Command {
    Command::new(name)
        .about(about)
        .arg(
            Arg::new("manifest-path")
                .short('p')
                .long("manifest-path")
                .value_name("PATH")
                .help("The service's directory or manifest")
                .default_value(".")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(flag("release", "Build with optimizations"))
}

fn values<'a>(matches: &'a ArgMatches, name: &str) -> impl Iterator<Item = OsString> + use<'a> {
    matches
        .get_many::<OsString>(name)
        .into_iter()
        .flatten()
        .cloned()
}

fn cargo_run(
    matches: &ArgMatches,
    command: &str,
    more: impl IntoIterator<Item = OsString>,
) -> Arguments {
    let manifest = matches
        .get_one::<PathBuf>("manifest-path")
        .map_or_else(PathBuf::new, Clone::clone);
    let mut arguments: Arguments = vec![
        "run".into(),
        "--manifest-path".into(),
        manifest_path(manifest).into(),
    ];
    if matches.get_flag("release") {
        arguments.push("--release".into());
    }
    arguments.extend(["--".into(), command.into()]);
    arguments.extend(more);
    arguments
}

/// What follows `asyncapi`.
fn document(matches: &ArgMatches) -> Arguments {
    let mut arguments: Arguments = vec!["gen".into()];
    for file in values(matches, "out") {
        arguments.extend(["-o".into(), file]);
    }
    for format in ["yaml", "html"] {
        if matches.get_flag(format) {
            arguments.push(format!("--{format}").into());
        }
    }
    arguments
}

fn project(matches: &ArgMatches) -> Project {
    let template = matches.get_one::<String>("template");
    Project {
        path: matches
            .get_one::<PathBuf>("path")
            .cloned()
            .unwrap_or_default(),
        template: template
            .and_then(|name| Template::named(name))
            .unwrap_or_default(),
        checkout: matches.get_one::<PathBuf>("checkout").cloned(),
    }
}

fn refusal(error: &clap::Error) -> Refusal {
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Refusal::Help(text),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Refusal::Incomplete(text),
        _ => Refusal::Usage(in_one_line(&text)),
    }
}

/// What clap says in paragraphs, without the usage at their end.
fn in_one_line(text: &str) -> String {
    let mut line = String::new();
    let told = text.lines().map(str::trim).filter(|part| !part.is_empty());
    for part in
        told.take_while(|part| !part.starts_with("Usage:") && !part.starts_with("For more "))
    {
        if !line.is_empty() {
            line.push_str(if line.ends_with(':') { " " } else { "; " });
        }
        line.push_str(part.strip_prefix("error: ").unwrap_or(part));
    }
    line.push_str("; try '--help'");
    line
}

#[cfg(test)]
mod tests;
