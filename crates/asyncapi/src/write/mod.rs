//! From the objects to text: legal keys, references that resolve, sorted keys, YAML.

mod keys;
mod pointer;
mod resolve;
pub(crate) mod sorted;
pub(crate) mod yaml;

pub(crate) use pointer::{Pointer, decoded};
pub(crate) use resolve::Resolved;
