//! The document that the service prints.

use std::process::{Command, Output};

use crate::support::{stderr, stdout};

fn asyncapi(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quakes"));
    command.arg("asyncapi").args(args).output().unwrap()
}

#[test]
fn the_document_says_what_is_read_and_what_is_sent() {
    let output = asyncapi(&["gen", "--yaml"]);

    assert_eq!(stderr(&output), "");
    let document = stdout(&output);
    for line in [
        "asyncapi: 3.1.0",
        "  receive_quakes_raw:",
        "  receive_quakes_alerts:",
        "  send_quakes_raw_quakes_alerts:",
        "    address: quakes.alerts",
    ] {
        assert!(
            document.lines().any(|found| found == line),
            "{line} in\n{document}"
        );
    }
}

#[test]
fn an_argument_that_a_document_does_not_take_is_named() {
    let output = asyncapi(&["gen", "--json"]);

    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("`--json`"), "{}", stderr(&output));

    let output = asyncapi(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stderr(&output),
        "ruststream: `asyncapi` is no command by itself: the only one is `asyncapi gen`\n"
    );
}

#[test]
fn the_help_of_a_document_names_its_options() {
    let output = asyncapi(&["--help"]);

    assert_eq!(output.status.code(), Some(0));
    let help = stdout(&output);
    assert!(
        help.contains("asyncapi gen") && help.contains("--yaml"),
        "{help}"
    );
}
