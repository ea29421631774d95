//! Why a command of a service's binary failed.

use std::io;

use ruststream_runtime::RustStreamError;

/// Why a command of a service's binary failed; the entry point prints it in one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CliError {
    /// The Tokio runtime could not be built.
    #[error("the Tokio runtime could not be built: {0}")]
    Runtime(#[source] io::Error),
    /// The service failed to start, to run, or to stop.
    #[error(transparent)]
    Run(#[from] RustStreamError),
    /// The first argument is no command.
    #[error(
        "unknown command `{0}`: the commands are `run` and `asyncapi gen`{hint}",
        hint = hint(.0)
    )]
    UnknownCommand(String),
    /// What follows `asyncapi` is no command; empty if nothing follows.
    #[error("{mistake}: the only one is `asyncapi gen`", mistake = asyncapi_mistake(.0))]
    UnknownAsyncApi(String),
    /// An option that `asyncapi gen` doesn't have, or one without its value.
    #[error(
        "{mistake}: `asyncapi gen` takes `-o <file>`, `--out <file>`, `--yaml` and `--html`",
        mistake = option_mistake(.0)
    )]
    UnknownOption(String),
    /// The service is built without documents.
    #[error(
        "`asyncapi gen` needs the feature `asyncapi`: add it to the features of `ruststream` in the service's Cargo.toml"
    )]
    AsyncApiDisabled,
    /// The document could not be written to its file.
    #[error("writing the document to `{path}` failed: {source}")]
    WriteSpec {
        /// The file, as it was given.
        path: String,
        /// What the file system answered.
        source: io::Error,
    },
    /// The document could not be written as JSON.
    #[cfg(feature = "asyncapi")]
    #[error("the document cannot be written as JSON: {0}")]
    SerializeJson(#[from] serde_json::Error),
    /// The document could not be written as YAML.
    #[cfg(feature = "asyncapi")]
    #[error("the document cannot be written as YAML: {0}")]
    SerializeYaml(#[source] serde_norway::Error),
}

/// An option in place of the command is likely one of the service, at the wrong place.
fn hint(word: &str) -> &'static str {
    if word.starts_with('-') {
        "; options of the service itself follow `run`, and `--help` lists what there is"
    } else {
        "; `--help` lists what there is"
    }
}

fn asyncapi_mistake(word: &str) -> String {
    if word.is_empty() {
        "`asyncapi` is no command by itself".to_owned()
    } else {
        format!("unknown `asyncapi` command `{word}`")
    }
}

fn option_mistake(option: &str) -> String {
    match option {
        "-o" | "--out" => format!("option `{option}` lacks its file"),
        _ => format!("unknown option `{option}`"),
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    fn denied() -> io::Error {
        io::Error::new(io::ErrorKind::PermissionDenied, "denied")
    }

    // CLI-13
    #[test]
    fn every_refusal_quotes_the_word_and_names_what_there_is() {
        for (error, parts) in [
            (
                CliError::UnknownCommand("serve".into()),
                ["`serve`", "`run`", "`asyncapi gen`"],
            ),
            (
                CliError::UnknownAsyncApi("print".into()),
                ["`print`", "gen", "asyncapi"],
            ),
            (
                CliError::UnknownCommand("--rate".into()),
                ["`--rate`", "follow `run`", "`--help`"],
            ),
            (
                CliError::UnknownAsyncApi(String::new()),
                ["`asyncapi` is no command by itself", "`asyncapi gen`", ""],
            ),
            (
                CliError::UnknownOption("--json".into()),
                ["unknown option `--json`", "`asyncapi gen`", "--yaml"],
            ),
            (
                CliError::UnknownOption("--out".into()),
                ["`--out` lacks its file", "`asyncapi gen`", "--yaml"],
            ),
            (
                CliError::WriteSpec {
                    path: "out/spec.json".into(),
                    source: denied(),
                },
                ["`out/spec.json`", "denied", "document"],
            ),
        ] {
            let text = error.to_string();
            assert!(parts.iter().all(|part| text.contains(part)), "{text}");
            assert!(!text.contains('\n'), "{text}");
            assert!(!text.contains("``"), "an empty quote: {text}");
        }
    }

    // CLI-11
    #[test]
    fn a_service_without_documents_names_the_feature() {
        let text = CliError::AsyncApiDisabled.to_string();

        assert!(text.contains("feature `asyncapi`"), "{text}");
    }

    // CLI-05, CLI-12
    #[test]
    fn a_failed_run_reads_as_the_failure_itself() {
        let failure = || RustStreamError::Dispatch("parcels: handler panicked: oh".into());
        let error = CliError::from(failure());

        assert_eq!(error.to_string(), failure().to_string());
        assert!(matches!(error, CliError::Run(RustStreamError::Dispatch(_))));
    }

    // CLI-05
    #[test]
    fn the_cause_of_a_runtime_that_cannot_be_built_is_its_source() {
        let error = CliError::Runtime(denied());

        assert!(error.to_string().contains("denied"));
        assert!(error.source().unwrap().is::<io::Error>());
    }
}
