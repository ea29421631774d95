//! The `AsyncAPI` document of a service: what it reads, what it sends, and how messages look.
//!
//! [`build_spec`] turns a composed service into a [`Spec`], without starting it or connecting to
//! anything. The document is written with [`Spec::to_json`] or [`Spec::to_yaml`];
//! [`render_viewer_html`] makes a page on which the official viewer shows it, and
//! [`render_static_html`] one that shows it without any network.
//!
//! Services reach these items as `ruststream::asyncapi`; `asyncapi gen` on their command line
//! prints the document.
//!
//! # Serving it
//!
//! There is no HTTP server in here. A service serves the two texts from its own, and builds them
//! once, at startup:
//!
//! | What | Content type |
//! |---|---|
//! | [`Spec::to_json`] | `application/json`, or `application/vnd.aai.asyncapi+json;version=3.1.0` |
//! | [`Spec::to_yaml`] | `application/vnd.aai.asyncapi+yaml;version=3.1.0` |
//! | [`render_viewer_html`], [`render_static_html`] | `text/html` |

#![forbid(unsafe_code)]

mod build;
mod document;
mod names;
mod viewer;
mod write;

pub use build::build_spec;
pub use document::{
    Channel, Components, Info, MessageObject, Operation, OperationReply, Parameter, Reference,
    ReplyAddress, RetryExtension, Server, Spec,
};
pub use ruststream_core::bindings::{
    Binding, BindingError, Bindings, PublishBindings, SubscriptionBindings,
};
pub use viewer::{ViewerOptions, render_static_html, render_viewer_html};
