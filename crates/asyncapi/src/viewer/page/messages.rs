use crate::document::Spec;

use super::anchors::Anchors;
use super::schema::Schema;
use super::writer::Writer;

pub(super) fn write(page: &mut Writer, spec: &Spec, anchors: &Anchors) {
    let messages = &spec.components.messages;
    if messages.is_empty() {
        return;
    }
    page.raw("<section>\n<h2>Messages</h2>\n");
    for (name, message) in messages {
        let anchor = anchors.message(name);
        page.article(anchor, |page| page.text(name));
        page.prose(message.description.as_deref());
        page.raw("<dl>\n");
        if let Some(title) = &message.title {
            page.fact("Title", |page| page.text(title));
        }
        if let Some(content_type) = &message.content_type {
            page.fact("Content type", |page| page.code(content_type));
        }
        page.raw("</dl>\n<h4>Payload</h4>\n");
        match &message.payload {
            Some(payload) => Schema::new(payload, format!("{anchor}-payload")).write(page),
            None => page.raw("<p>No schema.</p>\n"),
        }
        if let Some(headers) = &message.headers {
            page.raw("<h4>Headers</h4>\n");
            Schema::new(headers, format!("{anchor}-headers")).write(page);
        }
        page.bindings(&message.bindings);
        page.raw("</article>\n");
    }
    page.raw("</section>\n");
}
