use ruststream::asyncapi::{
    Spec, ViewerOptions, build_spec, render_static_html, render_viewer_html,
};
use ruststream::memory::prelude::*;
use ruststream::schemars::JsonSchema;
use ruststream::{Contact, License, SecurityScheme, ServerSpec};
use serde::{Deserialize, Serialize};

use crate::support::{Telling, depot, says};

const HOSTILE: &str = r#"</title><script>alert("1" & '2')</script>"#;

// API-66, API-67
#[test]
fn the_page_loads_a_pinned_viewer_and_gives_it_the_url() {
    let page = render_viewer_html("/asyncapi.json", &ViewerOptions::default());
    let cdn = "https://cdn.jsdelivr.net/npm/@asyncapi/react-component@3.1.8";
    for part in [
        "<title>AsyncAPI</title>",
        &format!("href=\"{cdn}/styles/default.min.css\""),
        &format!("src=\"{cdn}/browser/standalone/index.js\""),
        "AsyncApiStandalone.render({",
        "url: \"/asyncapi.json\"",
        "id=\"asyncapi\"",
        "document.getElementById(\"asyncapi\")",
    ] {
        assert!(page.contains(part), "{part} in\n{page}");
    }
}

// API-66, API-67, API-69
#[test]
fn the_viewers_files_can_be_the_services_own() {
    let options = ViewerOptions::default()
        .title("Depot")
        .cdn_base("/assets/asyncapi//");
    let page = render_viewer_html("spec.json", &options);
    assert!(page.contains("<title>Depot</title>"), "{page}");
    assert!(
        page.contains("href=\"/assets/asyncapi/styles/default.min.css\""),
        "{page}"
    );
    assert!(
        page.contains("src=\"/assets/asyncapi/browser/standalone/index.js\""),
        "{page}"
    );
    assert!(!page.contains("http"), "{page}");
}

// API-68
#[test]
fn hostile_options_stay_text() {
    let options = ViewerOptions::default().title(HOSTILE).cdn_base(HOSTILE);
    let page = render_viewer_html(HOSTILE, &options);
    assert!(!page.contains("alert(\"1\""), "{page}");
    assert_eq!(page.matches("<script").count(), 2, "{page}");
    assert_eq!(page.matches("</title>").count(), 1, "{page}");
    assert!(page.contains("\\u003c/script\\u003e"), "{page}");
}

/// A label, </script><script>alert("label")</script> and all.
#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "labels.{site}")]
struct Label {
    /// Which <b>one</b>.
    id: u8,
    lines: Vec<Line>,
    size: Option<Size>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Line {
    text: String,
    next: Option<Box<Line>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "unit")]
enum Size {
    Small,
    Custom { millimetres: u16 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Trace {
    tenant: String,
}

#[derive(OutSlot)]
#[publishes(Label)]
struct Labels;

/// Prints <script>alert("handler")</script>.
#[subscriber("parcels")]
async fn print(
    _parcel: &u64,
    Headers(_trace): Headers<Trace>,
    Out(_labels): Out<impl Publisher, Labels>,
) {
}

fn spec() -> Spec {
    let info = AppInfo::new(HOSTILE, "1.0.0")
        .description("5 < 6")
        .contact(Contact::new().name("Ada").url("javascript:alert(1)"))
        .license(License::new("MIT").url("https://example.org/mit"));
    let server = ServerSpec::new("mq:4222", "nats")
        .bindings(says("server"))
        .security(SecurityScheme::user_password().description("per depot"));
    let app = RustStream::new(info)
        .server("prod", server)
        .with_broker(MemoryBroker::new(), |b| {
            b.include(print)
                .out(Labels, Telling::default())
                .max_attempts(nonzero!(3))
                .dead_letter("parcels.dead")
                .build();
        });
    build_spec(&app)
}

// The page shows what the document says: servers, operations, channels, messages, schemas.
#[test]
fn the_static_page_says_everything() {
    let page = render_static_html(&spec());
    for part in [
        "5 &lt; 6",
        "<code>mq:4222</code>",
        "userPassword",
        "receive_parcels",
        "send_parcels_labels__site_",
        "<code>labels.{site}</code>",
        "at most 3",
        "<a href=\"#channel-parcels_dead\">parcels.dead</a>",
        "<a href=\"#message-Label\">Label</a>",
        "application/json",
        "<code>lines</code> <strong>required</strong>",
        "<code>millimetres</code>",
        "<code>tenant</code>",
        "channel labels.{site}",
        "href=\"https://example.org/mit\"",
    ] {
        assert!(page.contains(part), "{part} in\n{page}");
    }
}

// API-68, in the page of our own
#[test]
fn the_static_page_runs_nothing_and_loads_nothing() {
    let page = render_static_html(&spec());
    assert!(!page.contains("<script"), "{page}");
    assert!(page.contains("Prints &lt;script&gt;alert(&quot;handler&quot;)&lt;/script&gt;."));
    assert!(
        page.contains("A label, &lt;/script&gt;&lt;script&gt;"),
        "{page}"
    );
    assert!(page.contains("Which &lt;b&gt;one&lt;/b&gt;."), "{page}");
    assert!(!page.contains("href=\"javascript:"), "{page}");
    assert!(!page.contains("src="), "{page}");
}

// Every link within the page has its target.
#[test]
fn the_links_of_the_static_page_lead_somewhere() {
    let page = render_static_html(&spec());
    let mut links = 0;
    for link in page.split("href=\"#").skip(1) {
        let (anchor, _) = link.split_once('"').expect("ends");
        assert_eq!(
            page.matches(&format!("id=\"{anchor}\"")).count(),
            1,
            "{anchor} in\n{page}"
        );
        links += 1;
    }
    assert!(links > 20, "{links}");
    assert!(render_static_html(&build_spec(&depot())).contains("<h1>depot"));
}
