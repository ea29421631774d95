//! What the facade calls the parts of a document.

use ruststream::asyncapi::{
    Binding, BindingError, Bindings, Channel, Components, Info, MessageObject, Operation,
    OperationReply, Parameter, PublishBindings, Reference, ReplyAddress, RetryExtension, Server,
    Spec, SubscriptionBindings, build_spec,
};
use ruststream::memory::prelude::*;
use ruststream::runtime::{App, Outgoing, PublishContext};
use ruststream::schemars::JsonSchema;
use ruststream::{SecurityScheme, ServerSpec};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{Telling, depot, says};

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "labels.{site}")]
struct Label {
    id: u8,
}

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
struct Receipt {
    id: u8,
}

#[derive(OutSlot)]
#[publishes(Label)]
struct Labels;

#[subscriber("parcels", reply("receipts"))]
async fn print(id: &u8, Out(_labels): Out<impl Publisher, Labels>) -> Receipt {
    Receipt { id: *id }
}

struct ToRequester;

impl<C> PublishTransform<ForReply<C>> for ToRequester {
    type Destination = Names;

    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<()>, _: &PublishContext<'_, C>) {}
}

fn app() -> impl App {
    let server = ServerSpec::new("mq:4222", "nats")
        .bindings(says("server"))
        .security(SecurityScheme::plain());
    let policy = Telling {
        location: Some("$message.header#/reply-to"),
    };
    depot()
        .server("prod", server)
        .with_broker(MemoryBroker::new(), |b| {
            b.include(print)
                .out_reply(policy)
                .transform(ToRequester)
                .out(Labels, Publish)
                .max_attempts(nonzero!(3))
                .build();
        })
}

// API-02
#[test]
fn every_part_of_a_document_has_a_name() {
    let app = app();
    let spec: Spec = build_spec(&app);

    let info: &Info = &spec.info;
    assert_eq!(info.title, "depot");
    let server: &Server = &spec.servers["prod"];
    let bindings: &Bindings = &server.bindings;
    assert_eq!(bindings, &says("server"));
    let channel: &Channel = &spec.channels["labels.{site}"];
    let parameter: &Parameter = &channel.parameters["site"];
    assert_eq!(parameter.description, None);

    let operation: &Operation = &spec.operations["receive_parcels"];
    let place: &Reference = &operation.channel;
    assert_eq!(place.reference, "#/channels/parcels");
    let retry: &RetryExtension = operation.retry.as_ref().expect("a cap is declared");
    assert_eq!(retry.max_attempts, Some(3));
    let reply: &OperationReply = operation.reply.as_ref().expect("it replies");
    let address: &ReplyAddress = reply.address.as_ref().expect("each delivery names it");
    assert_eq!(address.location, "$message.header#/reply-to");

    let components: &Components = &spec.components;
    assert!(components.security_schemes.contains_key("prod"));
    let message: &MessageObject = &components.messages["Label"];
    assert_eq!(message.name, "Label");

    let handler = &app.handlers()[0];
    let received: &SubscriptionBindings = &handler.bindings;
    assert!(received.channel.is_empty());
    let answered: Vec<&PublishBindings> =
        handler.outgoing.iter().map(|out| &out.bindings).collect();
    assert!(answered.iter().any(|said| !said.channel.is_empty()));
    let refused: Result<Binding, BindingError> = Binding::new("carrier-pigeon", "1", &json!({}));
    assert!(matches!(refused, Err(BindingError::UnknownProtocol { .. })));
}
