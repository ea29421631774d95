//! The document of services, as a reader of it sees it.

mod example;
mod support;
