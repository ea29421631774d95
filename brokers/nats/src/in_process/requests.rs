//! Requests over the bus.

use std::time::Duration;

use async_nats::{Message, Subject};
use bytes::Bytes;
use ruststream::HeaderMap;
use serde_json::json;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::bus::{Bus, Origin, ensure_size};
use crate::error::NatsError;
use crate::message::headers::outbound;
use crate::message::{CoreMessage, NatsMessage};
use crate::publish::frame;

impl Bus {
    /// Publishes with an inbox of its own and waits for the first reply there.
    ///
    /// No dispatch loop consumes a reply, so it is not counted; what was published to the inbox is
    /// forgotten with it.
    pub(crate) async fn request(
        &self,
        subject: &str,
        payload: Bytes,
        headers: &HeaderMap,
        limit: Duration,
    ) -> Result<NatsMessage, NatsError> {
        self.ensure_open(subject)?;
        let mut frame = frame(subject, payload, outbound(headers)?)?;
        ensure_size(&frame)?;
        let (sender, receiver) = oneshot::channel();
        let inbox = {
            let mut state = self.state();
            self.ensure_open(subject)?;
            let inbox = self.made_up_inbox(&mut state);
            state.inboxes.insert(inbox.clone(), sender);
            frame.reply = Some(Subject::from(inbox.as_str()));
            let taken = self.take(&mut state, &frame, Origin::Own);
            if let Some(ack) = &taken.stored
                && let Some(requester) = state.inboxes.remove(&inbox)
            {
                // As live, the stream's acknowledgement cannot be told from a responder's answer.
                let ack = json!({ "stream": ack.stream, "seq": ack.sequence });
                let _gone = requester.send(answer(&inbox, ack.to_string()));
            }
            let open = Inbox {
                bus: self,
                name: inbox,
            };
            if taken.heard == 0 && taken.stored.is_none() {
                drop(state);
                drop(open);
                return Err(NatsError::publish(
                    "no responders: nobody is subscribed to the subject",
                ));
            }
            open
        };
        let reply = timeout(limit, receiver).await;
        drop(inbox);
        let reply = reply.map_err(|_elapsed| NatsError::RequestTimeout)?;
        let reply = reply.map_err(|_gone| NatsError::closed(subject))?;
        Ok(NatsMessage::Core(Box::new(CoreMessage::new(reply))))
    }
}

/// An inbox for as long as somebody waits at it.
struct Inbox<'a> {
    bus: &'a Bus,
    name: String,
}

impl Drop for Inbox<'_> {
    fn drop(&mut self) {
        let mut state = self.bus.state();
        state.inboxes.remove(&self.name);
        state.log.remove(&self.name);
    }
}

fn answer(inbox: &str, payload: String) -> Message {
    Message {
        subject: Subject::from(inbox),
        reply: None,
        length: payload.len(),
        payload: payload.into(),
        headers: None,
        status: None,
        description: None,
    }
}
