//! Writing the service's document.

use std::fs;
use std::io::{self, Write as _};

use ruststream_asyncapi::{build_spec, render_static_html};
use ruststream_runtime::App;

use crate::CliError;
use crate::command::{Document, Format};

/// Writes the document of `app` to where `document` says.
///
/// A file gets exactly the document's text, standard output a newline behind it.
pub(crate) fn write<A: App>(app: &A, document: &Document) -> Result<(), CliError> {
    let spec = build_spec(app);
    let text = match document.format {
        Format::Json => spec.to_json()?,
        Format::Yaml => spec.to_yaml().map_err(CliError::SerializeYaml)?,
        Format::Html => render_static_html(&spec),
    };
    let (place, written) = match &document.file {
        Some(file) => (file.to_string_lossy().into_owned(), fs::write(file, text)),
        None => (
            "standard output".to_owned(),
            writeln!(io::stdout().lock(), "{text}"),
        ),
    };
    written.map_err(|source| CliError::WriteSpec {
        path: place,
        source,
    })
}
