// API-01: the feature alone brings the JSON codec, the schemas, the hooks and the errors of the command
use ruststream::asyncapi::{Bindings, build_spec};
use ruststream::memory::ConnectedMemoryBroker;
use ruststream::memory::prelude::*;
use ruststream::runtime::App;
use ruststream::runtime::cli::CliError;
use ruststream::schemars::JsonSchema;
use ruststream::{ServerSpec, SubscriptionSource};
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "ruststream::schemars")]
struct Parcel {
    id: u8,
}

#[subscriber("parcels")]
async fn weigh(parcel: &Parcel) {
    let _ = parcel.id;
}

// The command line has the document's own errors.
fn is_of_the_document(error: &CliError) -> bool {
    matches!(
        error,
        CliError::SerializeJson(_) | CliError::SerializeYaml(_)
    )
}

fn main() {
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .server(
            "prod",
            ServerSpec::in_process("memory").bindings(Bindings::new()),
        )
        .with_broker(MemoryBroker::new(), |b| {
            b.include(weigh);
        });

    let spec = build_spec(&app);

    let parcel = &spec.components.messages["Parcel"];
    assert_eq!(parcel.content_type.as_deref(), Some("application/json"));
    assert!(parcel.payload.is_some());
    assert!(app.handlers()[0].bindings.channel.is_empty());
    let source = MemorySource::new("parcels");
    assert!(SubscriptionSource::<ConnectedMemoryBroker>::message_bindings(&source).is_empty());
    assert!(
        PublishPolicy::<ConnectedMemoryBroker>::operation_bindings(&Publish, "parcels").is_empty()
    );
    assert!(!is_of_the_document(&CliError::AsyncApiDisabled));
}
