use std::collections::BTreeMap;

use ruststream_core::{ServerSpec, Tag};

use super::Draft;
use crate::document::{Reference, Server};
use crate::write::Pointer;

/// The server that a registration lives on, as its channels and operations refer to it.
#[derive(Debug, Clone, Default)]
pub(super) struct Home {
    pub(super) servers: Vec<Reference>,
    pub(super) tags: Vec<Tag>,
}

impl Draft {
    pub(super) fn add_servers(&mut self, servers: &BTreeMap<String, ServerSpec>) {
        for (name, spec) in servers {
            let security = self.add_security(name, spec);
            let server = Server {
                host: spec.host.clone(),
                protocol: spec.protocol.clone(),
                protocol_version: spec.protocol_version.clone(),
                description: spec.description.clone(),
                security,
                bindings: spec.bindings.clone(),
            };
            self.0.servers.insert(name.clone(), server);
        }
    }

    /// API-17: the first scheme is called as its server, the others by their position behind it.
    fn add_security(&mut self, server: &str, spec: &ServerSpec) -> Vec<Reference> {
        let schemes = &mut self.0.components.security_schemes;
        let mut references = Vec::with_capacity(spec.security.len());
        for (position, scheme) in spec.security.iter().enumerate() {
            // Another server may be called just like a numbered scheme of this one.
            let key = (position..usize::MAX)
                .map(|n| {
                    if n == 0 {
                        server.to_owned()
                    } else {
                        format!("{server}-{n}")
                    }
                })
                .find(|key| !schemes.contains_key(key))
                .unwrap_or_default();
            let place = Pointer::root()
                .at("components")
                .at("securitySchemes")
                .at(&key);
            references.push(place.into());
            schemes.insert(key, scheme.document_object());
        }
        references
    }

    /// API-19: the server a label names, or else the only one there is.
    pub(super) fn home(&self, label: Option<&str>) -> Home {
        let servers = &self.0.servers;
        let labelled = label.and_then(|label| servers.get_key_value(label));
        let only = || servers.iter().next().filter(|_| servers.len() == 1);
        let Some((name, server)) = labelled.or_else(only) else {
            return Home::default();
        };
        Home {
            servers: vec![Pointer::root().at("servers").at(name).into()],
            tags: vec![Tag::new(server.protocol.clone())],
        }
    }
}
