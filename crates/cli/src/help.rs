//! What a service's binary says of itself.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;

/// The commands and options of a service's binary, in lines of at most 80 columns.
pub(crate) struct Help {
    program: String,
}

impl Help {
    /// `program` is the first argument of the process.
    pub(crate) fn of(program: Option<OsString>) -> Self {
        let program = program.unwrap_or_default();
        let name = Path::new(&program).file_name();
        Self {
            program: name.map_or_else(
                || "service".to_owned(),
                |name| name.to_string_lossy().into_owned(),
            ),
        }
    }
}

const DOCUMENT: &str = if cfg!(feature = "asyncapi") {
    "Print the service's AsyncAPI document, as JSON"
} else {
    "Print the service's document (needs the feature `asyncapi`)"
};

impl fmt::Display for Help {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = &self.program;
        write!(
            f,
            "\
Usage: {program} [run [ARGS]...]
       {program} asyncapi gen [-o <FILE>] [--yaml|--html]

Commands:
  run           Run the service until Ctrl-C or SIGTERM; the default.
                What follows it is left to the service
  asyncapi gen  {DOCUMENT}

Options of `asyncapi gen`:
  -o, --out <FILE>  Write it to this file instead of standard output
      --yaml        Write YAML
      --html        Write a page to read, which loads nothing

Options:
  -h, --help        Print this
"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // CLI-07
    #[test]
    fn every_command_has_its_line_and_no_line_is_wider_than_a_terminal() {
        let help = Help::of(Some("target/debug/depot".into())).to_string();

        assert!(help.starts_with("Usage: depot [run"), "{help}");
        for (begin, says) in [
            ("  run ", "Run the service"),
            ("  asyncapi gen ", "document"),
            ("  -o, --out <FILE> ", "file"),
            ("      --yaml ", "YAML"),
            ("      --html ", "page"),
            ("  -h, --help ", "Print"),
        ] {
            let line = help.lines().find(|line| line.starts_with(begin));
            assert!(line.is_some_and(|line| line.contains(says)), "{begin}");
        }
        assert!(help.lines().all(|line| line.len() <= 80), "{help}");
        assert!(help.ends_with('\n'));
    }

    // CLI-07
    #[test]
    fn a_process_without_a_name_is_a_service() {
        for nameless in [None, Some("".into()), Some("..".into())] {
            assert!(
                Help::of(nameless)
                    .to_string()
                    .starts_with("Usage: service ")
            );
        }
    }
}
