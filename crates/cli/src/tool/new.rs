//! Making a new service.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::ToolError;
use super::name;
use super::template::Template;

/// The crates that a template may depend on, and where a checkout has them.
const CRATES: [(&str, &str); 2] = [
    ("ruststream", "crates/ruststream"),
    ("ruststream-nats", "brokers/nats"),
];

/// A service to be made.
#[derive(Debug)]
pub(super) struct Project {
    /// Its directory.
    pub(super) path: PathBuf,
    pub(super) template: Template,
    /// A checkout of the framework to depend on; `None` depends on the registry.
    pub(super) checkout: Option<PathBuf>,
}

/// A service that was made; its `Display` says what to do with it.
#[derive(Debug)]
pub(super) struct Made {
    path: PathBuf,
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        writeln!(f, "Made a service in `{path}`. Next:\n")?;
        writeln!(f, "    cd {path}\n    cargo test\n    cargo run -- run")
    }
}

/// Writes the project's files into its directory, which must be empty or not there yet.
pub(super) fn make(project: &Project) -> Result<Made, ToolError> {
    let path = &project.path;
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    name::check(&name)?;
    check_empty(path)?;
    let checkout = project.checkout.as_deref().map(absolute).transpose()?;

    let files: Vec<(PathBuf, String)> = project
        .template
        .files()
        .iter()
        .map(|file| {
            let text = file.rendered(&name);
            let text = match &checkout {
                Some(checkout) if file.target() == "Cargo.toml" => at_checkout(&text, checkout)?,
                _ => text,
            };
            Ok((path.join(file.target()), text))
        })
        .collect::<Result<_, ToolError>>()?;
    for (path, text) in files {
        write(&path, &text)?;
    }
    Ok(Made { path: path.clone() })
}

fn check_empty(path: &Path) -> Result<(), ToolError> {
    let empty = match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(source) => return Err(failed(path)(source)),
    };
    if empty {
        Ok(())
    } else {
        Err(ToolError::NotEmpty(path.to_owned()))
    }
}

fn absolute(checkout: &Path) -> Result<PathBuf, ToolError> {
    let (_, first) = CRATES[0];
    if !checkout.join(first).join("Cargo.toml").is_file() {
        return Err(ToolError::NoCheckout {
            checkout: checkout.to_owned(),
            missing: first,
        });
    }
    std::path::absolute(checkout).map_err(failed(checkout))
}

/// The manifest with its dependencies on our crates turned to the checkout.
fn at_checkout(manifest: &str, checkout: &Path) -> Result<String, ToolError> {
    let mut turned = String::with_capacity(manifest.len());
    for line in manifest.lines() {
        let ours = CRATES.iter().find_map(|(package, folder)| {
            let rest = line
                .strip_prefix(package)?
                .strip_prefix(" = { version = \"")?;
            let (_version, rest) = rest.split_once('"')?;
            Some((package, *folder, rest))
        });
        match ours {
            Some((package, missing, rest)) => {
                let path = checkout.join(missing);
                if !path.is_dir() {
                    return Err(ToolError::NoCheckout {
                        checkout: checkout.to_owned(),
                        missing,
                    });
                }
                let path = path
                    .to_string_lossy()
                    .replace('\\', "/")
                    .replace('"', "\\\"");
                turned.extend([package, " = { path = \"", &path, "\"", rest]);
            }
            None => turned.push_str(line),
        }
        turned.push('\n');
    }
    Ok(turned)
}

fn write(path: &Path, text: &str) -> Result<(), ToolError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed(folder))?;
    }
    fs::write(path, text).map_err(failed(path))
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> ToolError + use<'_> {
    |source| ToolError::Write {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests;
