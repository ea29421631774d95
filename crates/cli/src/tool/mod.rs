//! The command `ruststream`, for the one who writes a service: it runs the service's own commands
//! through `cargo run`, and makes new services from templates.
//!
//! It knows nothing of a service but where its manifest is; what it does can be done without it.

mod args;
mod cargo;
mod error;
mod interrupt;
mod manifest;
mod name;
mod new;
mod template;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use args::{Asked, Refusal};
use error::ToolError;

use crate::line::in_one_line;

/// Does what the process arguments say. The answer is 0; 1 after one line on standard error where
/// it failed; 2 after one line where the arguments were wrong.
#[must_use]
pub fn main() -> ExitCode {
    match args::parse(env::args_os()) {
        Ok(asked) => exit_code(execute(asked)),
        Err(refusal) => refuse(&refusal),
    }
}

fn execute(asked: Asked) -> Result<(), ToolError> {
    match asked {
        Asked::Cargo(arguments) => cargo::run(&arguments),
        Asked::New(project) => {
            let made = new::make(&project)?;
            // Without standard output there is nobody to tell.
            let _ = write!(io::stdout(), "{made}");
            Ok(())
        }
    }
}

fn refuse(refusal: &Refusal) -> ExitCode {
    match refusal {
        Refusal::Help(text) => {
            let _ = write!(io::stdout(), "{text}");
            ExitCode::SUCCESS
        }
        Refusal::Incomplete(help) => {
            let _ = write!(io::stderr(), "{help}");
            ExitCode::from(2)
        }
        Refusal::Usage(line) => {
            let _ = writeln!(io::stderr(), "ruststream: {line}");
            ExitCode::from(2)
        }
    }
}

fn exit_code(ended: Result<(), ToolError>) -> ExitCode {
    let Err(error) = ended else {
        return ExitCode::SUCCESS;
    };
    let _ = writeln!(
        io::stderr(),
        "ruststream: {}",
        in_one_line(&error.to_string())
    );
    ExitCode::FAILURE
}

/// Arguments of one `cargo` command.
type Arguments = Vec<OsString>;
