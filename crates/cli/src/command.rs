//! What the arguments of a service's binary ask for.

use std::ffi::OsString;

use crate::CliError;

/// A command of the service's binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    /// Run the service; further arguments are the service's.
    Run,
    /// Print the service's document.
    AsyncApiGen(Document),
    /// Say what the commands are.
    Help,
}

/// How the document is written, and where to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "asyncapi"),
    allow(dead_code, reason = "read by the document alone")
)]
pub(crate) struct Document {
    pub(crate) format: Format,
    /// The file; standard output without one.
    pub(crate) file: Option<OsString>,
}

/// What the document is written as; the last option that names one counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Format {
    #[default]
    Json,
    Yaml,
    /// A page to read, which loads nothing.
    Html,
}

impl Command {
    /// Reads the arguments that follow the program's name.
    pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Self, CliError> {
        let mut args = args.into_iter();
        let Some(command) = args.next() else {
            return Ok(Self::Run);
        };
        match command.to_str() {
            Some("run") => Ok(Self::Run),
            Some("asyncapi") => Self::parse_asyncapi(args),
            Some("help" | "-h" | "--help") => Ok(Self::Help),
            _ => Err(CliError::UnknownCommand(lossy(command))),
        }
    }

    fn parse_asyncapi(mut args: impl Iterator<Item = OsString>) -> Result<Self, CliError> {
        let command = args.next().unwrap_or_default();
        if command == "-h" || command == "--help" {
            return Ok(Self::Help);
        }
        if command != "gen" {
            return Err(CliError::UnknownAsyncApi(lossy(command)));
        }
        let mut document = Document::default();
        while let Some(option) = args.next() {
            match option.to_str() {
                Some("-h" | "--help") => return Ok(Self::Help),
                Some("--yaml") => document.format = Format::Yaml,
                Some("--html") => document.format = Format::Html,
                // An option is no file name: `-o --yaml` forgot the file.
                Some("-o" | "--out") => match args.next() {
                    Some(file) if !file.as_encoded_bytes().starts_with(b"-") => {
                        document.file = Some(file);
                    }
                    _ => return Err(CliError::UnknownOption(lossy(option))),
                },
                _ => return Err(CliError::UnknownOption(lossy(option))),
            }
        }
        Ok(Self::AsyncApiGen(document))
    }
}

fn lossy(argument: OsString) -> String {
    argument
        .into_string()
        .unwrap_or_else(|raw| raw.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Command, CliError> {
        Command::parse(line.split_whitespace().map(OsString::from))
    }

    // CLI-07
    #[test]
    fn a_service_runs_with_and_without_the_word() {
        for line in ["", "run"] {
            assert_eq!(parse(line).unwrap(), Command::Run);
        }
    }

    // CLI-09
    #[test]
    fn what_follows_run_belongs_to_the_service() {
        for line in ["run --file -", "run asyncapi", "run run --help"] {
            assert_eq!(parse(line).unwrap(), Command::Run);
        }
    }

    // CLI-07
    #[test]
    fn another_word_is_refused_and_quoted() {
        for word in ["serve", "--version", "RUN", "--file"] {
            let error = parse(&format!("{word} run")).unwrap_err();
            assert!(matches!(&error, CliError::UnknownCommand(told) if told == word));
        }
    }

    // CLI-07, CLI-09
    #[test]
    fn help_is_asked_for_before_run_or_of_the_document() {
        for line in [
            "--help",
            "-h",
            "help",
            "asyncapi --help",
            "asyncapi gen -h",
            "asyncapi gen --yaml --help",
        ] {
            assert_eq!(parse(line).unwrap(), Command::Help, "{line}");
        }
        assert_eq!(parse("run --help").unwrap(), Command::Run);
    }

    // CLI-07
    #[test]
    fn asyncapi_wants_gen() {
        for (line, told) in [("asyncapi", ""), ("asyncapi print", "print")] {
            let error = parse(line).unwrap_err();
            assert!(matches!(error, CliError::UnknownAsyncApi(word) if word == told));
        }
    }

    // CLI-07, CLI-10
    #[test]
    fn the_options_of_gen_come_in_any_order_and_number() {
        use Format::{Html, Json, Yaml};
        for (line, format, file) in [
            ("asyncapi gen", Json, None),
            ("asyncapi gen --yaml", Yaml, None),
            ("asyncapi gen --html", Html, None),
            ("asyncapi gen --html --yaml", Yaml, None),
            ("asyncapi gen -o spec.json --yaml", Yaml, Some("spec.json")),
            ("asyncapi gen --out spec.json", Json, Some("spec.json")),
            (
                "asyncapi gen --yaml --out a.yaml -o b.yaml",
                Yaml,
                Some("b.yaml"),
            ),
        ] {
            let file = file.map(OsString::from);
            let asked = Command::AsyncApiGen(Document { format, file });
            assert_eq!(parse(line).unwrap(), asked, "{line}");
        }
    }

    // CLI-07, CLI-10
    #[test]
    fn an_unknown_option_and_one_without_its_value_are_refused() {
        for (line, told) in [
            ("asyncapi gen --json", "--json"),
            ("asyncapi gen spec.json", "spec.json"),
            ("asyncapi gen --yaml -o", "-o"),
            ("asyncapi gen -o --yaml", "-o"),
            ("asyncapi gen --out", "--out"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(matches!(error, CliError::UnknownOption(word) if word == told));
        }
    }

    // CLI-07
    #[cfg(unix)]
    #[test]
    fn an_argument_that_is_no_text_is_refused_like_any_other() {
        use std::os::unix::ffi::OsStringExt;

        let word = || OsString::from_vec(vec![b'r', 0xff]);

        let error = Command::parse([word()]).unwrap_err();
        assert!(matches!(error, CliError::UnknownCommand(told) if told == "r\u{fffd}"));
        assert_eq!(
            Command::parse(["run".into(), word()]).unwrap(),
            Command::Run
        );
    }
}
