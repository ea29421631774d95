use ruststream_core::{DescribeServer, SecurityScheme, ServerSpec};

use crate::support::Depot;

impl DescribeServer for Depot {
    fn describe_server(&self) -> ServerSpec {
        ServerSpec::in_process("depot")
    }
}

// CORE-230, CORE-233
#[test]
fn a_broker_without_an_address_describes_itself_unconnected() {
    let spec = Depot.describe_server();

    assert_eq!((spec.host, &*spec.protocol), (None, "depot"));
}

// Section 13
#[test]
fn a_description_is_what_was_set() {
    let spec = ServerSpec::new("mq:5672", "amqp")
        .description("parcels")
        .protocol_version("0-9-1")
        .security(SecurityScheme::user_password())
        .security(SecurityScheme::x509());

    assert_eq!(spec.host.as_deref(), Some("mq:5672"));
    assert_eq!(spec.description.as_deref(), Some("parcels"));
    assert_eq!(spec.protocol_version.as_deref(), Some("0-9-1"));
    assert_eq!(
        spec.security,
        [SecurityScheme::user_password(), SecurityScheme::x509()]
    );
}

// CORE-232, section 27 item 5
#[test]
fn several_addresses_are_joined() {
    let spec = ServerSpec::from_urls(["nats://u:p@n1:4222", "nats://n2:4222/x"], "nats");

    assert_eq!(spec.host.as_deref(), Some("n1:4222,n2:4222"));
}

#[cfg(feature = "asyncapi")]
mod document {
    use ruststream_core::bindings::{Binding, Bindings};
    use ruststream_core::{ApiKeyLocation, HttpApiKeyLocation};
    use serde_json::{Value, json};

    use super::*;

    // CORE-234
    #[test]
    fn each_scheme_has_its_object() {
        let flows = json!({ "clientCredentials": {} });
        let cases: [(SecurityScheme, Value); 14] = [
            (
                SecurityScheme::user_password(),
                json!({ "type": "userPassword" }),
            ),
            (
                SecurityScheme::api_key(ApiKeyLocation::User),
                json!({ "type": "apiKey", "in": "user" }),
            ),
            (
                SecurityScheme::api_key(ApiKeyLocation::Password),
                json!({ "type": "apiKey", "in": "password" }),
            ),
            (SecurityScheme::x509(), json!({ "type": "X509" })),
            (SecurityScheme::plain(), json!({ "type": "plain" })),
            (
                SecurityScheme::scram_sha256(),
                json!({ "type": "scramSha256" }),
            ),
            (
                SecurityScheme::scram_sha512(),
                json!({ "type": "scramSha512" }),
            ),
            (SecurityScheme::gssapi(), json!({ "type": "gssapi" })),
            (
                SecurityScheme::http("bearer"),
                json!({ "type": "http", "scheme": "bearer" }),
            ),
            (
                SecurityScheme::http_api_key("key", HttpApiKeyLocation::Query),
                json!({ "type": "httpApiKey", "name": "key", "in": "query" }),
            ),
            (
                SecurityScheme::http_api_key("key", HttpApiKeyLocation::Header),
                json!({ "type": "httpApiKey", "name": "key", "in": "header" }),
            ),
            (
                SecurityScheme::http_api_key("key", HttpApiKeyLocation::Cookie),
                json!({ "type": "httpApiKey", "name": "key", "in": "cookie" }),
            ),
            (
                SecurityScheme::open_id_connect("https://id"),
                json!({ "type": "openIdConnect", "openIdConnectUrl": "https://id" }),
            ),
            (
                SecurityScheme::oauth2(flows.clone()),
                json!({ "type": "oauth2", "flows": flows }),
            ),
        ];

        for (scheme, object) in cases {
            assert_eq!(scheme.document_object(), object);
        }
    }

    // CORE-234
    #[test]
    fn a_description_is_added_to_an_object_only() {
        let described = SecurityScheme::x509()
            .description("per depot")
            .document_object();
        let custom = SecurityScheme::custom(json!({ "a": 1 })).description("mine");
        let text = SecurityScheme::custom(json!("text")).description("mine");

        assert_eq!(
            described,
            json!({ "type": "X509", "description": "per depot" })
        );
        assert_eq!(
            custom.document_object(),
            json!({ "a": 1, "description": "mine" })
        );
        assert_eq!(text.document_object(), json!("text"));
    }

    // CORE-245
    #[test]
    fn bindings_of_a_server_are_replaced() {
        let binding = |key| Bindings::new().with(Binding::extension(key, &json!({})).unwrap());
        let spec = ServerSpec::in_process("depot")
            .bindings(binding("x-a"))
            .bindings(binding("x-b"));

        assert_eq!(spec.bindings, binding("x-b"));
    }
}
