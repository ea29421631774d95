//! The page that loads the official viewer.

use super::html::{Escaped, script_string};

/// How [`render_viewer_html`] writes its page.
///
/// ```
/// use ruststream_asyncapi::ViewerOptions;
///
/// let options = ViewerOptions::default().title("Depot").cdn_base("/assets/asyncapi");
/// assert_eq!(options.title, "Depot");
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ViewerOptions<'a> {
    /// The page's title.
    pub title: &'a str,
    /// Where the files of the npm package `@asyncapi/react-component` are: a URL, or a path on the
    /// page's own server. A version of the package on a public CDN until set.
    pub cdn_base: &'a str,
}

impl<'a> ViewerOptions<'a> {
    /// Sets the page's title.
    #[must_use]
    pub const fn title(mut self, title: &'a str) -> Self {
        self.title = title;
        self
    }

    /// Sets where the viewer's files are.
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

/// A page on which the official viewer shows the document at `spec_url`.
///
/// The page loads two files of the viewer: from a CDN, or from [`ViewerOptions::cdn_base`], under
/// which a service without a way out serves the folders `styles` and `browser/standalone` of the npm
/// package. [`render_static_html`](crate::render_static_html) makes a page that loads nothing.
///
/// ```
/// use ruststream_asyncapi::{ViewerOptions, render_viewer_html};
///
/// let page = render_viewer_html("/asyncapi.json", &ViewerOptions::default().title("Depot"));
/// assert!(page.contains("<title>Depot</title>"));
/// ```
#[must_use]
pub fn render_viewer_html(spec_url: &str, opts: &ViewerOptions<'_>) -> String {
    let title = Escaped(opts.title);
    let base = Escaped(opts.cdn_base.trim_end_matches('/'));
    let url = script_string(spec_url);
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{base}/styles/default.min.css">
</head>
<body>
<div id="asyncapi"></div>
<script src="{base}/browser/standalone/index.js"></script>
<script>
AsyncApiStandalone.render({{
  schema: {{ url: {url} }},
  config: {{ show: {{ sidebar: true, errors: true }} }},
}}, document.getElementById("asyncapi"));
</script>
</body>
</html>
"#
    )
}
