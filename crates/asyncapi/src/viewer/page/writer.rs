//! The page as it grows.

use std::fmt::Write as _;

use ruststream_core::bindings::Bindings;
use serde_json::Value;

use crate::viewer::html::Escaped;
use crate::write::sorted;

/// HTML under construction; only [`raw`](Self::raw) writes without escaping.
#[derive(Debug, Default)]
pub(super) struct Writer(String);

// Writing to a string does not fail.
impl Writer {
    /// Markup of our own.
    pub(super) fn raw(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }

    /// Text of the document.
    pub(super) fn text(&mut self, text: &str) {
        let _ = write!(self.0, "{}", Escaped(text));
    }

    /// An element around what `inner` writes.
    pub(super) fn within(&mut self, tag: &'static str, inner: impl FnOnce(&mut Self)) {
        let _ = write!(self.0, "<{tag}>");
        inner(self);
        // What follows a space are attributes.
        let name = tag.split(' ').next().unwrap_or(tag);
        let _ = write!(self.0, "</{name}>");
    }

    pub(super) fn code(&mut self, text: &str) {
        self.within("code", |page| page.text(text));
    }

    /// A link to an anchor of the page.
    pub(super) fn link(&mut self, anchor: &str, text: &str) {
        let _ = write!(
            self.0,
            "<a href=\"#{}\">{}</a>",
            Escaped(anchor),
            Escaped(text)
        );
    }

    /// A link to elsewhere; text where the address is not one of the web.
    pub(super) fn outward(&mut self, url: &str, text: &str) {
        let web = ["https://", "http://", "mailto:"];
        if web.iter().any(|scheme| url.starts_with(scheme)) {
            let _ = write!(
                self.0,
                "<a href=\"{}\" rel=\"noreferrer\">{}</a>",
                Escaped(url),
                Escaped(text)
            );
        } else if url == text {
            self.text(url);
        } else {
            let _ = write!(self.0, "{} ({})", Escaped(text), Escaped(url));
        }
    }

    /// Opens a part that can be linked to, with its heading.
    pub(super) fn article(&mut self, anchor: &str, heading: impl FnOnce(&mut Self)) {
        let _ = write!(self.0, "<article id=\"{}\">\n<h3>", Escaped(anchor));
        heading(self);
        self.raw("</h3>\n");
    }

    /// Opens a block of the class `class` that can be linked to.
    pub(super) fn anchored(&mut self, class: &'static str, anchor: &str) {
        let _ = writeln!(self.0, "<div class=\"{class}\" id=\"{}\">", Escaped(anchor));
    }

    /// Prose, its line breaks kept.
    pub(super) fn prose(&mut self, text: Option<&str>) {
        if let Some(text) = text {
            self.within("p class=\"prose\"", |page| page.text(text));
            self.raw("\n");
        }
    }

    /// One line of a list of facts.
    pub(super) fn fact(&mut self, name: &'static str, value: impl FnOnce(&mut Self)) {
        self.raw("<div class=\"fact\">");
        self.within("dt", |page| page.raw(name));
        self.within("dd", value);
        self.raw("</div>\n");
    }

    /// JSON as it is written in the document.
    pub(super) fn json(&mut self, value: &Value) {
        let text = sorted::pretty(value);
        self.within("pre", |page| page.text(&text));
        self.raw("\n");
    }

    /// What protocols say, as JSON.
    pub(super) fn bindings(&mut self, bindings: &Bindings) {
        if bindings.is_empty() {
            return;
        }
        if let Ok(value) = serde_json::to_value(bindings) {
            self.raw("<h4>Bindings</h4>\n");
            self.json(&value);
        }
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}
