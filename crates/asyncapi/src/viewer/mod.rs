//! Pages that show a document: one that loads the official viewer, and one that needs nothing.

mod hosted;
mod html;
mod page;

pub use hosted::{ViewerOptions, render_viewer_html};
pub use page::render_static_html;
