//! A page that shows a document.

/// How [`render_viewer_html`] writes its page.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ViewerOptions<'a> {
    /// The page's title.
    pub title: &'a str,
    /// Where the page loads the viewer from.
    pub cdn_base: &'a str,
}
impl<'a> ViewerOptions<'a> {
    /// Sets the page's title.
    #[must_use]
    pub const fn title(mut self, title: &'a str) -> Self {
        self.title = title;
        self
    }
    /// Sets where the page loads the viewer from.
    #[must_use]
    pub const fn cdn_base(mut self, cdn_base: &'a str) -> Self {
        self.cdn_base = cdn_base;
        self
    }
}
impl Default for ViewerOptions<'_> {
    fn default() -> Self {
        Self {
            title: "AsyncAPI",
            cdn_base: "https://cdn.jsdelivr.net/npm/@asyncapi/react-component@3.1.8",
        }
    }
}
/// A page that shows the document at `spec_url`.
#[must_use]
pub fn render_viewer_html(spec_url: &str, opts: &ViewerOptions<'_>) -> String {
    let _ = (spec_url, opts);
    String::new()
}
