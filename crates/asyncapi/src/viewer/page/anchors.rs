//! Where the parts of the page can be linked to.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{Reference, Spec};
use crate::names::{free_name, sanitized};
use crate::write::Pointer;

/// The anchors of servers, operations, channels and messages, by their name in the document.
#[derive(Debug)]
pub(super) struct Anchors {
    servers: BTreeMap<String, String>,
    operations: BTreeMap<String, String>,
    channels: BTreeMap<String, String>,
    messages: BTreeMap<String, String>,
}

impl Anchors {
    pub(super) fn of(spec: &Spec) -> Self {
        Self {
            servers: named("server", spec.servers.keys()),
            operations: named("operation", spec.operations.keys()),
            channels: named("channel", spec.channels.keys()),
            messages: named("message", spec.components.messages.keys()),
        }
    }

    pub(super) fn server(&self, name: &str) -> &str {
        at(&self.servers, name)
    }

    pub(super) fn operation(&self, id: &str) -> &str {
        at(&self.operations, id)
    }

    pub(super) fn channel(&self, id: &str) -> &str {
        at(&self.channels, id)
    }

    pub(super) fn message(&self, name: &str) -> &str {
        at(&self.messages, name)
    }
}

fn at<'a>(anchors: &'a BTreeMap<String, String>, name: &str) -> &'a str {
    anchors.get(name).map_or("", String::as_str)
}

fn named<'k>(kind: &str, names: impl Iterator<Item = &'k String>) -> BTreeMap<String, String> {
    let mut taken = BTreeSet::new();
    names
        .map(|name| {
            let anchor = free_name(format!("{kind}-{}", sanitized(name)), |anchor| {
                taken.contains(anchor)
            });
            taken.insert(anchor.clone());
            (name.clone(), anchor)
        })
        .collect()
}

/// What a reference refers to, by its name: the one of `names` at which `place` points there.
pub(super) fn target<'n>(
    reference: &Reference,
    names: impl IntoIterator<Item = &'n String>,
    place: impl Fn(&str) -> Pointer,
) -> Option<&'n str> {
    names
        .into_iter()
        .find(|name| place(name).as_str() == reference.reference)
        .map(String::as_str)
}
