use crate::document::Spec;
use crate::write::Pointer;

use super::anchors::{Anchors, target};
use super::writer::Writer;

pub(super) fn write(page: &mut Writer, spec: &Spec, anchors: &Anchors) {
    if spec.channels.is_empty() {
        return;
    }
    page.raw("<section>\n<h2>Channels</h2>\n");
    for (id, channel) in &spec.channels {
        page.article(anchors.channel(id), |page| page.text(id));
        page.raw("<dl>\n");
        page.fact("Address", |page| match &channel.address {
            Some(address) => page.code(address),
            None => page.raw("named by each delivery"),
        });
        for (name, parameter) in &channel.parameters {
            page.fact("Parameter", |page| {
                page.code(name);
                if let Some(description) = &parameter.description {
                    page.raw(": ");
                    page.text(description);
                }
            });
        }
        for reference in &channel.servers {
            let place = |name: &str| Pointer::root().at("servers").at(name);
            page.fact("Server", |page| {
                match target(reference, spec.servers.keys(), place) {
                    Some(name) => page.link(anchors.server(name), name),
                    None => page.code(&reference.reference),
                }
            });
        }
        page.fact("Messages", |page| {
            for (position, (name, reference)) in channel.messages.iter().enumerate() {
                if position > 0 {
                    page.raw(", ");
                }
                match target(reference, spec.components.messages.keys(), Pointer::message) {
                    Some(component) => page.link(anchors.message(component), name),
                    None => page.text(name),
                }
            }
        });
        page.raw("</dl>\n");
        page.bindings(&channel.bindings);
        page.raw("</article>\n");
    }
    page.raw("</section>\n");
}
