use crate::document::{Operation, Reference, RetryExtension, Spec};
use crate::write::Pointer;

use super::anchors::{Anchors, target};
use super::writer::Writer;

pub(super) fn write(page: &mut Writer, spec: &Spec, anchors: &Anchors) {
    if spec.operations.is_empty() {
        return;
    }
    page.raw("<section>\n<h2>Operations</h2>\n");
    for (id, operation) in &spec.operations {
        page.article(anchors.operation(id), |page| {
            let receives = operation.action == "receive";
            let badge = if receives {
                "span class=\"receive\""
            } else {
                "span class=\"send\""
            };
            page.within(badge, |page| page.text(&operation.action));
            page.raw(" ");
            page.text(id);
        });
        page.prose(operation.description.as_deref());
        facts(page, spec, anchors, operation);
        page.bindings(&operation.bindings);
        page.raw("</article>\n");
    }
    page.raw("</section>\n");
}

fn facts(page: &mut Writer, spec: &Spec, anchors: &Anchors, operation: &Operation) {
    page.raw("<dl>\n");
    page.fact("Channel", |page| {
        channel(page, spec, anchors, &operation.channel);
    });
    page.fact("Messages", |page| {
        messages(page, spec, anchors, &operation.messages);
    });
    if let Some(reply) = &operation.reply {
        page.fact("Reply", |page| {
            messages(page, spec, anchors, &reply.messages);
        });
        page.fact("Reply channel", |page| {
            channel(page, spec, anchors, &reply.channel);
        });
        if let Some(address) = &reply.address {
            page.fact("Reply address", |page| page.code(&address.location));
        }
    }
    if let Some(RetryExtension {
        max_attempts,
        dead_letter,
        retry_destination,
    }) = &operation.retry
    {
        if let Some(attempts) = max_attempts {
            page.fact("Attempts", |page| {
                page.raw("at most ");
                page.text(&attempts.to_string());
            });
        }
        if let Some(destination) = dead_letter {
            page.fact("Dead letters", |page| place(page, anchors, destination));
        }
        if let Some(destination) = retry_destination {
            page.fact("Retries", |page| place(page, anchors, destination));
        }
    }
    for tag in &operation.tags {
        page.fact("Tag", |page| page.text(&tag.name));
    }
    page.raw("</dl>\n");
}

fn place(page: &mut Writer, anchors: &Anchors, channel: &str) {
    page.link(anchors.channel(channel), channel);
}

fn channel(page: &mut Writer, spec: &Spec, anchors: &Anchors, reference: &Reference) {
    match target(reference, spec.channels.keys(), Pointer::channel) {
        Some(id) => place(page, anchors, id),
        None => page.code(&reference.reference),
    }
}

fn messages(page: &mut Writer, spec: &Spec, anchors: &Anchors, references: &[Reference]) {
    for (position, reference) in references.iter().enumerate() {
        if position > 0 {
            page.raw(", ");
        }
        let message = spec.channels.iter().find_map(|(id, channel)| {
            let place = |name: &str| Pointer::channel(id).at("messages").at(name);
            let name = target(reference, channel.messages.keys(), place)?;
            channel.messages.get(name)
        });
        let component = message
            .and_then(|message| target(message, spec.components.messages.keys(), Pointer::message));
        match component {
            Some(name) => page.link(anchors.message(name), name),
            None => page.code(&reference.reference),
        }
    }
}
