use std::collections::{HashMap, VecDeque, hash_map::Entry};
use std::sync::{Arc, Mutex, Weak};
use std::{fmt, mem};

use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, Lines};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use crate::sync::lock;
use crate::wire::{self, Letter};
use crate::{ToyError, ToyMessage};

/// The client's end of a connection, shared by everything opened on it.
pub(crate) struct Link(Mutex<State>);

#[derive(Default)]
struct State {
    /// None once the connection is closed, from whichever side.
    out: Option<UnboundedSender<String>>,
    answers: VecDeque<oneshot::Sender<Result<(), ToyError>>>,
    readers: HashMap<String, UnboundedSender<ToyMessage>>,
}

impl Link {
    /// Its tasks run where the broker connects; callers may come from runtimes that end.
    pub(crate) fn over(stream: impl AsyncRead + AsyncWrite + Send + 'static) -> Arc<Self> {
        let (out, lines) = wire::split(stream);
        let state = State {
            out: Some(out),
            ..State::default()
        };
        let link = Arc::new(Self(Mutex::new(state)));
        tokio::spawn(listen(Arc::downgrade(&link), lines));
        link
    }

    /// Sends a frame: it is on its way when this returns, whether the answer is waited for or not.
    pub(crate) fn send(&self, frame: String) -> oneshot::Receiver<Result<(), ToyError>> {
        let (answer, answered) = oneshot::channel();
        // Under one lock: answers come in the order of the frames.
        let mut state = lock(&self.0);
        let sent = state.out.as_ref().map(|out| out.send(frame));
        if let Some(Ok(())) = sent {
            state.answers.push_back(answer);
        }
        answered
    }

    pub(crate) async fn call(&self, frame: String) -> Result<(), ToyError> {
        self.send(frame).await.unwrap_or(Err(ToyError::Closed))
    }

    /// Where the deliveries of `queue` will come in; none if they go elsewhere already.
    pub(crate) fn register(&self, queue: &str) -> Option<UnboundedReceiver<ToyMessage>> {
        let (reader, messages) = unbounded_channel();
        match lock(&self.0).readers.entry(queue.to_owned()) {
            Entry::Occupied(_) => return None,
            Entry::Vacant(vacant) => vacant.insert(reader),
        };
        Some(messages)
    }

    pub(crate) fn unregister(&self, queue: &str) {
        // Dropped after the lock is: a delivery inside would want it.
        let reader = lock(&self.0).readers.remove(queue);
        drop((reader, self.send(format!("UNSUB {queue}"))));
    }

    /// Fails what waits for an answer, ends the streams, and says goodbye.
    pub(crate) fn close(&self) {
        let state = mem::take(&mut *lock(&self.0));
        drop(state);
    }

    /// Takes a frame of the server; none if it makes no sense.
    fn take(self: &Arc<Self>, frame: &str) -> Option<()> {
        if let Some(delivery) = frame.strip_prefix("MSG ") {
            let (queue, delivery) = delivery.split_once(' ')?;
            let (id, letter) = delivery.split_once(' ')?;
            let (link, id, letter) = (Arc::clone(self), id.to_owned(), Letter::read(letter)?);
            let message = ToyMessage::new(link, id, letter);
            let reader = lock(&self.0).readers.get(queue).cloned();
            // Where the reader is gone the delivery is dropped, and goes back.
            drop(reader.map(|reader| reader.send(message)));
            return Some(());
        }
        let answer = match frame.strip_prefix("ERR ") {
            Some(reason) => Err(ToyError::Refused(reason.to_owned())),
            None if frame == "OK" => Ok(()),
            None => return None,
        };
        let asked = lock(&self.0).answers.pop_front()?;
        // Whoever asked may have stopped waiting.
        drop(asked.send(answer));
        Some(())
    }
}

async fn listen(link: Weak<Link>, mut lines: Lines<impl AsyncBufRead + Unpin>) {
    while let Ok(Some(line)) = lines.next_line().await
        && let Some(link) = link.upgrade()
        && link.take(&line).is_some()
    {}
    if let Some(link) = link.upgrade() {
        link.close();
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}
