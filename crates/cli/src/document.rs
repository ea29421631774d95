//! Writing the service's document.

use std::fs;
use std::io::{self, Write as _};

use ruststream_asyncapi::build_spec;
use ruststream_runtime::App;

use crate::CliError;
use crate::command::Document;

/// Writes the document of `app` to where `document` says.
///
/// A file gets exactly the document's text, standard output a newline behind it.
pub(crate) fn write<A: App>(app: &A, document: &Document) -> Result<(), CliError> {
    let spec = build_spec(app);
    let text = if document.yaml {
        spec.to_yaml().map_err(CliError::SerializeYaml)?
    } else {
        spec.to_json()?
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
