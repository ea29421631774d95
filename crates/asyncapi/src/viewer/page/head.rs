use crate::document::Spec;

use super::writer::Writer;

/// What the service says about itself.
pub(super) fn write(page: &mut Writer, spec: &Spec) {
    let info = &spec.info;
    page.raw("<header>\n");
    page.within("h1", |page| {
        page.text(&info.title);
        page.raw(" ");
        page.within("small", |page| page.text(&info.version));
    });
    page.raw("\n");
    page.prose(info.description.as_deref());
    page.raw("<dl>\n");
    if let Some(id) = &spec.id {
        page.fact("Id", |page| page.code(id.as_str()));
    }
    if let Some(content_type) = &spec.default_content_type {
        page.fact("Content type", |page| page.code(content_type));
    }
    if let Some(terms) = &info.terms_of_service {
        page.fact("Terms of service", |page| page.outward(terms, terms));
    }
    if let Some(license) = &info.license {
        page.fact("Licence", |page| match &license.url {
            Some(url) => page.outward(url, &license.name),
            None => page.text(&license.name),
        });
    }
    if let Some(contact) = &info.contact {
        page.fact("Contact", |page| {
            let parts = [&contact.name, &contact.email, &contact.url];
            for (position, part) in parts.into_iter().flatten().enumerate() {
                if position > 0 {
                    page.raw(", ");
                }
                page.outward(part, part);
            }
        });
    }
    if let Some(docs) = &info.external_docs {
        page.fact("More", |page| {
            page.outward(&docs.url, docs.description.as_deref().unwrap_or(&docs.url));
        });
    }
    for tag in &info.tags {
        page.fact("Tag", |page| {
            page.text(&tag.name);
            if let Some(description) = &tag.description {
                page.raw(": ");
                page.text(description);
            }
            if let Some(docs) = &tag.external_docs {
                page.raw(", ");
                page.outward(&docs.url, docs.description.as_deref().unwrap_or(&docs.url));
            }
        });
    }
    page.raw("</dl>\n</header>\n");
}
