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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_line_has_said_is_left_out_and_nothing_else() {
        for line in [
            "pub struct depot::Parcel",
            "impl core::clone::Clone for depot::Parcel",
            "impl core::marker::Send for depot::Parcel",
            "impl core::marker::Sync for depot::Parcel",
            "impl<T: core::marker::Unpin> depot::Watch for T",
            "pub fn depot::Parcel::unpin(&self)",
        ] {
            assert!(promised(line), "{line}");
        }
        for line in [
            "impl core::marker::Unpin for depot::Parcel",
            "impl<T> core::marker::Freeze for depot::Crate<T> where T: core::marker::Freeze",
            "impl core::marker::StructuralPartialEq for depot::Parcel",
            "pub fn depot::Parcel::clone(&self) -> depot::Parcel",
            "pub fn depot::Parcel::fmt(&self, &mut core::fmt::Formatter<'_>) -> core::fmt::Result",
        ] {
            assert!(!promised(line), "{line}");
        }
    }
}
