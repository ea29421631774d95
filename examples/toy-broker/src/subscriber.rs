use std::{sync::Arc, time::Duration};

use futures_util::{Stream, stream};
use ruststream::{BufferedSubscriber, Subscriber};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::{ToyError, ToyMessage, link::Link, wire};

/// An open subscription; dropped, it hands what it has not yielded back to the queue.
#[derive(Debug)]
pub struct ToySubscriber {
    link: Arc<Link>,
    queue: String,
    messages: UnboundedReceiver<ToyMessage>,
}

impl ToySubscriber {
    pub(crate) async fn open(
        link: &Arc<Link>,
        name: &str,
    ) -> Result<BufferedSubscriber<Self>, ToyError> {
        let (link, queue) = (Arc::clone(link), wire::word(name));
        // Before the server knows of it, so that the first delivery finds its reader.
        let messages = link.register(&queue);
        let messages = messages.ok_or_else(|| ToyError::AlreadyRead(name.to_owned()))?;
        let subscriber = Self {
            link,
            queue,
            messages,
        };
        subscriber
            .link
            .call(format!("SUB {}", subscriber.queue))
            .await?;
        Ok(BufferedSubscriber::new(subscriber).max_wait(Duration::from_millis(20)))
    }
}

impl Subscriber for ToySubscriber {
    type Message = ToyMessage;
    type Error = ToyError;

    fn stream(&mut self) -> impl Stream<Item = Result<ToyMessage, ToyError>> + Send + '_ {
        stream::poll_fn(|cx| self.messages.poll_recv(cx).map(|message| message.map(Ok)))
    }
}

impl Drop for ToySubscriber {
    fn drop(&mut self) {
        self.link.unregister(&self.queue);
    }
}
