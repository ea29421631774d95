use std::collections::HashSet;
use std::num::NonZeroU32;

use ruststream_runtime::{HandlerMetadata, OutgoingKind, OutgoingMessageMetadata};

use super::Draft;
use super::channels::Use;
use super::message::Contribution;
use super::servers::Home;
use crate::document::{Operation, OperationReply, Reference, ReplyAddress, RetryExtension};
use crate::names::sanitized;
use crate::write::Pointer;

impl Draft {
    /// Adds one registration: what it receives, what it answers, what it sends.
    pub(super) fn add_handler(&mut self, handler: &HandlerMetadata) {
        let home = self.home(handler.server.as_deref());
        let messages = self.add_received(handler, &home);
        let (answers, sent): (Vec<_>, Vec<_>) = handler
            .outgoing
            .iter()
            .partition(|message| message.kind == OutgoingKind::Answer);
        let mut replies: Vec<_> = answers
            .into_iter()
            .map(|answer| self.add_reply(answer, &home))
            .collect();
        let operation = Operation {
            action: "receive".to_owned(),
            channel: Pointer::channel(&handler.name).into(),
            messages,
            description: handler.description.as_deref().map(str::to_owned),
            reply: (!replies.is_empty()).then(|| replies.swap_remove(0)),
            tags: home.tags.clone(),
            retry: retry(handler),
            bindings: handler.bindings.operation.clone(),
        };
        self.add_operation(format!("receive_{}", sanitized(&handler.name)), operation);
        for message in sent {
            self.add_sent(&handler.name, message, &home);
        }
    }

    /// API-26, API-27, API-50.
    fn add_received(&mut self, handler: &HandlerMetadata, home: &Home) -> Vec<Reference> {
        let used = Use {
            id: &handler.name,
            per_delivery: false,
            parameters: &[],
            bindings: &handler.bindings.channel,
        };
        self.use_channel(&used, home);
        let inputs = if handler.incoming.is_empty() {
            vec![Contribution::received(handler)]
        } else {
            let model = |model| Contribution::received_model(handler, model);
            handler.incoming.iter().map(model).collect()
        };
        let mut references = Vec::with_capacity(inputs.len());
        for input in inputs {
            if input.is_gap() {
                tracing::warn!(
                    target: "ruststream::asyncapi",
                    subscription = %handler.name, message_type = input.message_type,
                    "a received message has no payload schema: derive `schemars::JsonSchema`"
                );
            }
            references.push(self.list_message(input, &used, home));
        }
        references
    }

    /// API-42, API-43: a reply belongs to the operation that it answers and is no `send` of its
    /// own.
    fn add_reply(&mut self, answer: &OutgoingMessageMetadata, home: &Home) -> OperationReply {
        let message = self.add_outgoing(answer, home);
        let location = answer
            .reply_address_location
            .filter(|_| answer.destination_per_delivery);
        OperationReply {
            address: location.map(ReplyAddress::new),
            channel: Pointer::channel(&answer.channel).into(),
            messages: vec![message],
        }
    }

    /// API-45.
    fn add_sent(&mut self, subscription: &str, message: &OutgoingMessageMetadata, home: &Home) {
        let reference = self.add_outgoing(message, home);
        let operation = Operation {
            action: "send".to_owned(),
            channel: Pointer::channel(&message.channel).into(),
            messages: vec![reference],
            description: None,
            reply: None,
            tags: home.tags.clone(),
            retry: None,
            bindings: message.bindings.operation.clone(),
        };
        let stem = format!(
            "send_{}_{}",
            sanitized(subscription),
            sanitized(&message.channel)
        );
        self.add_operation(stem, operation);
    }

    fn add_outgoing(&mut self, message: &OutgoingMessageMetadata, home: &Home) -> Reference {
        let said = Contribution::sent(message);
        // A copy is what was received, where the gap was told already (API-34).
        let copy = matches!(
            message.kind,
            OutgoingKind::DeadLetter | OutgoingKind::RetryCopy
        );
        if said.is_gap() && !copy {
            tracing::warn!(
                target: "ruststream::asyncapi",
                channel = %message.channel, message_type = said.message_type,
                "a sent message has no payload schema: derive `schemars::JsonSchema`"
            );
        }
        let used = Use {
            id: &message.channel,
            per_delivery: message.destination_per_delivery,
            parameters: message.parameters,
            bindings: &message.bindings.channel,
        };
        self.list_message(said, &used, home)
    }

    /// Adds a message to the components and to its channel.
    fn list_message(&mut self, said: Contribution<'_>, used: &Use<'_>, home: &Home) -> Reference {
        let name = self.add_message(said, used.id);
        self.use_channel(used, home).list(used.id, &name)
    }

    /// API-22: beside a channel that has an address, the standard forbids one on the reply.
    pub(super) fn drop_needless_reply_addresses(&mut self) {
        let channels = &self.0.channels;
        let addressed: HashSet<String> = channels
            .iter()
            .filter(|(_, channel)| channel.address.is_some())
            .map(|(id, _)| Pointer::channel(id).as_str().to_owned())
            .collect();
        for reply in self
            .0
            .operations
            .values_mut()
            .filter_map(|operation| operation.reply.as_mut())
        {
            if addressed.contains(&reply.channel.reference) {
                reply.address = None;
            }
        }
    }
}

/// API-47.
fn retry(handler: &HandlerMetadata) -> Option<RetryExtension> {
    let copies = |message: &&OutgoingMessageMetadata| message.kind == OutgoingKind::RetryCopy;
    let destination = handler
        .outgoing
        .iter()
        .find(copies)
        .map(|copy| copy.channel.clone().into_owned());
    if handler.retry.declares_nothing() && destination.is_none() {
        return None;
    }
    Some(RetryExtension {
        max_attempts: handler.retry.max_attempts().map(NonZeroU32::get),
        dead_letter: handler.retry.dead_letter().map(str::to_owned),
        retry_destination: destination,
    })
}
