//! The page that needs nothing: the document as plain HTML, without scripts.

mod anchors;
mod channels;
mod head;
mod messages;
mod operations;
mod schema;
mod servers;
mod writer;

use crate::document::Spec;
use anchors::Anchors;
use writer::Writer;

const STYLE: &str = include_str!("style.css");

/// A page that shows the document `spec` and loads nothing: no script, no style sheet, no font.
///
/// It works without a network, from a server or from a file, and says everything that the document
/// says. Text of the document is shown as it is, whatever it contains.
///
/// ```
/// use ruststream_asyncapi::{build_spec, render_static_html};
/// use ruststream_runtime::{AppInfo, RustStream};
///
/// let app = RustStream::new(AppInfo::new("depot", "1.4.0").description("5 < 6"));
/// let page = render_static_html(&build_spec(&app));
/// assert!(page.contains("5 &lt; 6"));
/// ```
#[must_use]
pub fn render_static_html(spec: &Spec) -> String {
    let anchors = Anchors::of(spec);
    let mut page = Writer::default();
    page.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    // Nothing of the document could run or load anything, even if it got past the escapes.
    page.raw(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; img-src data:\">\n",
    );
    page.within("title", |page| page.text(&spec.info.title));
    page.raw("\n<link rel=\"icon\" href=\"data:,\">\n<style>\n");
    page.raw(STYLE);
    page.raw("</style>\n</head>\n<body>\n");
    contents(&mut page, spec, &anchors);
    page.raw("<main>\n");
    head::write(&mut page, spec);
    servers::write(&mut page, spec, &anchors);
    operations::write(&mut page, spec, &anchors);
    channels::write(&mut page, spec, &anchors);
    messages::write(&mut page, spec, &anchors);
    page.raw("</main>\n</body>\n</html>\n");
    page.finish()
}

/// The table of contents.
fn contents(page: &mut Writer, spec: &Spec, anchors: &Anchors) {
    page.raw("<nav aria-label=\"Contents\">\n");
    let servers = spec.servers.keys().map(|name| (name, anchors.server(name)));
    entries(page, "Servers", servers);
    let operations = spec.operations.keys().map(|id| (id, anchors.operation(id)));
    entries(page, "Operations", operations);
    let channels = spec.channels.keys().map(|id| (id, anchors.channel(id)));
    entries(page, "Channels", channels);
    let messages = spec
        .components
        .messages
        .keys()
        .map(|name| (name, anchors.message(name)));
    entries(page, "Messages", messages);
    page.raw("</nav>\n");
}

fn entries<'a>(
    page: &mut Writer,
    title: &str,
    entries: impl Iterator<Item = (&'a String, &'a str)>,
) {
    let mut entries = entries.peekable();
    if entries.peek().is_none() {
        return;
    }
    page.raw("<h2>");
    page.text(title);
    page.raw("</h2>\n<ul>\n");
    for (name, anchor) in entries {
        page.raw("<li>");
        page.link(anchor, name);
        page.raw("</li>\n");
    }
    page.raw("</ul>\n");
}
