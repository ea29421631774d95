use ruststream::memory::prelude::*;
use ruststream::runtime::App;
use ruststream::{ApiKeyLocation, HttpApiKeyLocation, SecurityScheme, ServerSpec};
use serde_json::{Value, json};

use crate::support::{depot, keys, mounted, says, written};

#[subscriber("parcels")]
async fn book(_parcel: &u64) {}

#[subscriber("labels")]
async fn print(_label: &u64) {}

// API-14, API-63
#[test]
fn a_labelled_broker_is_a_server_and_an_unlabelled_one_is_not() {
    let labelled = depot().with_broker_labeled("bus", MemoryBroker::new(), |b| {
        b.include(book);
    });
    assert_eq!(
        written(&labelled)["servers"],
        json!({ "bus": { "protocol": "memory" } })
    );

    let document = mounted(|b| {
        b.include(book);
    });
    assert!(document.get("servers").is_none());
    assert!(document["channels"]["parcels"].get("servers").is_none());
    assert!(
        document["operations"]["receive_parcels"]
            .get("tags")
            .is_none()
    );
}

// API-14, trap 7
#[test]
fn an_explicit_server_wins_over_the_label_whichever_comes_first() {
    let spec = || ServerSpec::new("mq:5672", "amqp");
    let before =
        depot()
            .server("bus", spec())
            .with_broker_labeled("bus", MemoryBroker::new(), |_b| {});
    let after = depot()
        .with_broker_labeled("bus", MemoryBroker::new(), |_b| {})
        .server("bus", spec());

    let expected = json!({ "bus": { "host": "mq:5672", "protocol": "amqp" } });
    assert_eq!(written(&before)["servers"], expected);
    assert_eq!(written(&after)["servers"], expected);
}

// API-15, API-16
#[test]
fn a_server_is_written_with_all_it_says_and_without_credentials() {
    let spec = ServerSpec::from_url("amqp://svc:p@ss@mq:5672/v?token=t", "amqp")
        .protocol_version("0.9.1")
        .description("All parcels")
        .bindings(says("server"));
    let document = written(&depot().server("prod", spec));
    assert_eq!(
        document["servers"]["prod"],
        json!({
            "host": "mq:5672",
            "protocol": "amqp",
            "protocolVersion": "0.9.1",
            "description": "All parcels",
            "bindings": { "nats": { "says": "server", "bindingVersion": "0.1.0" } },
        })
    );
}

// API-17, API-18
#[test]
fn schemes_are_components_called_after_their_server_and_position() {
    let flows = json!({ "clientCredentials": { "tokenUrl": "https://id", "availableScopes": {} } });
    let spec = ServerSpec::new("mq:5672", "amqp")
        .security(SecurityScheme::user_password().description("Per depot"))
        .security(SecurityScheme::api_key(ApiKeyLocation::User))
        .security(SecurityScheme::http_api_key(
            "x-key",
            HttpApiKeyLocation::Cookie,
        ))
        .security(SecurityScheme::oauth2(flows.clone()))
        .security(SecurityScheme::custom(
            json!({ "type": "asymmetricEncryption", "x-a": 1 }),
        ));
    let document = written(&depot().server("prod", spec));

    assert_eq!(
        document["servers"]["prod"]["security"],
        json!([
            { "$ref": "#/components/securitySchemes/prod" },
            { "$ref": "#/components/securitySchemes/prod-1" },
            { "$ref": "#/components/securitySchemes/prod-2" },
            { "$ref": "#/components/securitySchemes/prod-3" },
            { "$ref": "#/components/securitySchemes/prod-4" },
        ])
    );
    assert_eq!(
        document["components"]["securitySchemes"],
        json!({
            "prod": { "type": "userPassword", "description": "Per depot" },
            "prod-1": { "type": "apiKey", "in": "user" },
            "prod-2": { "type": "httpApiKey", "name": "x-key", "in": "cookie" },
            "prod-3": { "type": "oauth2", "flows": flows },
            "prod-4": { "type": "asymmetricEncryption", "x-a": 1 },
        })
    );
}

// API-17
#[test]
fn a_server_called_like_a_numbered_scheme_keeps_its_own() {
    let secure = |scheme| ServerSpec::new("mq", "amqp").security(scheme);
    let app = depot()
        .server(
            "a",
            secure(SecurityScheme::plain()).security(SecurityScheme::gssapi()),
        )
        .server("a-1", secure(SecurityScheme::x509()));
    let document = written(&app);
    let scheme = |server: &str, position: usize| {
        let reference = document["servers"][server]["security"][position]["$ref"].as_str();
        crate::support::resolved(&document, reference.expect("a reference")).expect("resolves")
    };
    assert_eq!(scheme("a", 0), &json!({ "type": "plain" }));
    assert_eq!(scheme("a", 1), &json!({ "type": "gssapi" }));
    assert_eq!(scheme("a-1", 0), &json!({ "type": "X509" }));
}

fn homes(app: &impl App) -> Vec<(String, Value, Value)> {
    let document = written(app);
    keys(&document["channels"])
        .into_iter()
        .map(|id| {
            let servers = document["channels"][id]["servers"].clone();
            let tags = document["operations"][format!("receive_{id}")]["tags"].clone();
            (id.to_owned(), servers, tags)
        })
        .collect()
}

// API-19
#[test]
fn the_only_server_is_everyones() {
    let app = depot()
        .server("prod", ServerSpec::new("mq", "amqp"))
        .with_broker(MemoryBroker::new(), |b| {
            b.include(book);
        });
    let prod = json!([{ "$ref": "#/servers/prod" }]);
    assert_eq!(
        homes(&app),
        [("parcels".to_owned(), prod, json!([{ "name": "amqp" }]))]
    );
}

// API-19
#[test]
fn labels_tell_the_servers_apart_and_without_one_there_is_none() {
    let app = depot()
        .server("east", ServerSpec::new("e", "nats"))
        .with_broker_labeled("east", MemoryBroker::new(), |b| {
            b.include(book);
        })
        .with_broker_labeled("west", MemoryBroker::new(), |b| {
            b.include(print);
        })
        .with_broker(MemoryBroker::new(), |b| {
            b.include(subscriber("scans", Ignore).build());
        });
    assert_eq!(
        homes(&app),
        [
            (
                "labels".to_owned(),
                json!([{ "$ref": "#/servers/west" }]),
                json!([{ "name": "memory" }])
            ),
            (
                "parcels".to_owned(),
                json!([{ "$ref": "#/servers/east" }]),
                json!([{ "name": "nats" }])
            ),
            ("scans".to_owned(), Value::Null, Value::Null),
        ]
    );
}

struct Ignore;

impl Handle<u64> for Ignore {
    async fn handle(
        &self,
        _n: &u64,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        Ok(())
    }
}
