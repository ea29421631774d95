//! Prints the public items of a crate, one a line, as rustdoc's JSON has them: `ruststream-api FILE`.
//!
//! Hidden items are none of them, nor are implementations that everything has. Of the automatic ones two are promised:
//! `Send` and `Sync`, which decide whether a value goes to another task.

use std::io::Write;
use std::process::ExitCode;
use std::{env, io};

use public_api::Builder;

fn main() -> ExitCode {
    match list() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ruststream-api: {error}");
            ExitCode::FAILURE
        }
    }
}

fn list() -> Result<(), Box<dyn std::error::Error>> {
    let path = env::args_os()
        .nth(1)
        .ok_or("name a file of rustdoc's JSON")?;
    let api = Builder::from_rustdoc_json(path)
        .omit_blanket_impls(true)
        .build()?;
    let mut out = io::stdout().lock();
    for item in api.items() {
        let line = item.to_string();
        if promised(&line) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// Whether a line says something that another one does not.
fn promised(line: &str) -> bool {
    if line.starts_with("impl") {
        return !AUTOMATIC
            .iter()
            .any(|implementation| line.contains(implementation));
    }
    !DERIVED.iter().any(|method| line.contains(method))
}

/// Implementations that come by themselves, and that nobody looks at.
const AUTOMATIC: [&str; 6] = [
    "core::marker::Freeze for ",
    "core::marker::StructuralPartialEq for ",
    "core::marker::Unpin for ",
    "core::marker::UnsafeUnpin for ",
    "core::panic::unwind_safe::RefUnwindSafe for ",
    "core::panic::unwind_safe::UnwindSafe for ",
];

/// Methods that the line of their trait has said already.
const DERIVED: [&str; 4] = [
    "::clone(&self) -> ",
    "::cmp(&self, &",
    "::eq(&self, &",
    "::fmt(&self, &mut core::fmt::Formatter<'_>) -> ",
];
