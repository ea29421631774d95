use crate::document::Spec;
use crate::write::Pointer;

use super::anchors::{Anchors, target};
use super::writer::Writer;

pub(super) fn write(page: &mut Writer, spec: &Spec, anchors: &Anchors) {
    if spec.servers.is_empty() {
        return;
    }
    page.raw("<section>\n<h2>Servers</h2>\n");
    for (name, server) in &spec.servers {
        page.article(anchors.server(name), |page| page.text(name));
        page.prose(server.description.as_deref());
        page.raw("<dl>\n");
        page.fact("Protocol", |page| {
            page.code(&server.protocol);
            if let Some(version) = &server.protocol_version {
                page.raw(" ");
                page.text(version);
            }
        });
        page.fact("Host", |page| match &server.host {
            Some(host) => page.code(host),
            None => page.raw("in the process"),
        });
        page.raw("</dl>\n");
        let schemes = &spec.components.security_schemes;
        let place = |key: &str| {
            Pointer::root()
                .at("components")
                .at("securitySchemes")
                .at(key)
        };
        if !server.security.is_empty() {
            page.raw("<h4>Security</h4>\n");
        }
        for reference in &server.security {
            if let Some(scheme) =
                target(reference, schemes.keys(), place).and_then(|key| schemes.get(key))
            {
                page.json(scheme);
            }
        }
        page.bindings(&server.bindings);
        page.raw("</article>\n");
    }
    page.raw("</section>\n");
}
