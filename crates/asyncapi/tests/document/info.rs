use ruststream::asyncapi::build_spec;
use ruststream::memory::prelude::*;
use ruststream::{Contact, ExternalDocs, License, Tag};
use serde_json::json;

use crate::support::{depot, written};

// API-05, API-06, API-11
#[test]
fn a_service_that_says_nothing_has_a_title_and_a_version() {
    let text = build_spec(&depot()).to_json().expect("serializes");
    assert_eq!(
        text,
        "{\n  \"asyncapi\": \"3.1.0\",\n  \"info\": {\n    \"title\": \"depot\",\n    \"version\": \
         \"1.0.0\"\n  },\n  \"components\": {}\n}"
    );
}

// API-11, API-12, API-13
#[test]
fn everything_a_service_says_of_itself_is_in_its_head() {
    let info = AppInfo::new("depot", "1.0.0")
        .description("Follows parcels.")
        .id("urn:example:depot".parse().expect("is an id"))
        .terms_of_service("https://depot.example/terms")
        .contact(
            Contact::new()
                .name("Ada")
                .url("https://depot.example")
                .email("ada@depot.example"),
        )
        .license(License::new("Apache-2.0").url("https://www.apache.org/licenses/LICENSE-2.0"))
        .tag(Tag::new("parcels").description("All about parcels"))
        .tag(Tag::new("depots").external_docs(ExternalDocs::new("https://depot.example/depots")))
        .external_docs(ExternalDocs::new("https://depot.example/docs").description("Guide"));

    let document = written(&RustStream::new(info));

    assert_eq!(document["id"], "urn:example:depot");
    assert_eq!(
        document["info"],
        json!({
            "title": "depot",
            "version": "1.0.0",
            "description": "Follows parcels.",
            "termsOfService": "https://depot.example/terms",
            "contact": {
                "name": "Ada",
                "url": "https://depot.example",
                "email": "ada@depot.example",
            },
            "license": {
                "name": "Apache-2.0",
                "url": "https://www.apache.org/licenses/LICENSE-2.0",
            },
            "tags": [
                { "name": "parcels", "description": "All about parcels" },
                { "name": "depots", "externalDocs": { "url": "https://depot.example/depots" } },
            ],
            "externalDocs": { "url": "https://depot.example/docs", "description": "Guide" },
        })
    );
}

// API-04, CORE-244
#[test]
fn a_document_needs_no_async_runtime_and_leaves_the_service_as_it_is() {
    let app = depot().with_broker(MemoryBroker::new(), |_b| {});
    assert_eq!(written(&app), written(&app));
    drop(app);
}
