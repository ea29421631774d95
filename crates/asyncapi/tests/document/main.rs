//! The document of services, as a reader of it sees it.

mod bindings;
mod channels;
mod content_types;
mod example;
mod headers;
mod info;
mod messages;
mod metadata;
mod names;
mod operations;
mod replies;
mod retries;
mod schemas;
mod servers;
mod sets;
mod support;
mod viewer;
mod warnings;
mod written;
mod yaml;
