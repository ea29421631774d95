use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::StreamExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use crate::{ToyError, ToyMessage, ToySubscriber, wire};

/// The client's end of a connection, shared by everything opened on it.
#[derive(Debug, Default)]
pub(crate) struct Link {
    state: Mutex<State>,
    #[cfg(feature = "testing")]
    pub(crate) bus: std::sync::OnceLock<crate::server::Bus>,
}

#[derive(Debug, Default)]
struct State {
    /// None once the connection is closed, from whichever side.
    out: Option<UnboundedSender<String>>,
    asked: VecDeque<oneshot::Sender<Result<(), ToyError>>>,
    readers: HashMap<String, UnboundedSender<ToyMessage>>,
    last: u64,
}

impl Link {
    /// Its tasks run where the broker connects; callers may come from runtimes that end.
    pub(crate) fn over(stream: impl AsyncRead + AsyncWrite + Send + 'static) -> Arc<Self> {
        let (out, mut frames) = wire::split(stream);
        let link = Arc::new(Self::default());
        link.state().out = Some(out);
        let listener = Arc::downgrade(&link);
        tokio::spawn(async move {
            while let Some(Ok(frame)) = frames.next().await {
                listener.upgrade().inspect(|link| link.take(&frame));
            }
            listener.upgrade().inspect(|link| link.close());
        });
        link
    }

    /// Sends a frame: it is on its way when this returns, whether the answer is waited for or not.
    pub(crate) fn send(&self, frame: String) -> oneshot::Receiver<Result<(), ToyError>> {
        let (answer, answered) = oneshot::channel();
        // Under one lock: answers come in the order of the frames.
        let mut state = self.state();
        if let Some(Ok(())) = state.out.as_ref().map(|out| out.send(frame)) {
            state.asked.push_back(answer);
        }
        answered
    }

    pub(crate) async fn call(&self, frame: String) -> Result<(), ToyError> {
        self.send(frame).await.unwrap_or(Err(ToyError::Closed))
    }

    /// A reader that the server does not know yet.
    pub(crate) fn open(self: &Arc<Self>) -> ToySubscriber {
        let (deliveries, messages) = unbounded_channel();
        let mut state = self.state();
        state.last += 1;
        let (link, reader) = (Arc::clone(self), state.last.to_string());
        state.readers.retain(|_, other| !other.is_closed());
        state.readers.insert(reader.clone(), deliveries);
        ToySubscriber {
            link,
            reader,
            messages,
        }
    }

    /// Fails what waits for an answer, ends the streams, and says goodbye.
    pub(crate) fn close(&self) {
        let state = std::mem::take(&mut *self.state());
        // Outside the lock, which a delivery in there would want.
        drop(state);
    }

    fn take(self: &Arc<Self>, frame: &str) {
        if let ["MSG", reader, id, letter] = frame.splitn(4, ' ').collect::<Vec<_>>()[..] {
            let (link, (payload, headers)) = (Arc::clone(self), wire::read(letter));
            let message = ToyMessage {
                link,
                id: Some(id.to_owned()),
                payload,
                headers,
            };
            let reader = self.state().readers.get(reader).cloned();
            // Where the reader is gone the delivery is dropped, and says so.
            drop(reader.map(|reader| reader.send(message)));
        } else {
            let refused = frame.strip_prefix("ERR ").map(str::to_owned);
            let answer = refused.map(ToyError::Refused).map_or(Ok(()), Err);
            let asked = self.state().asked.pop_front();
            // Whoever asked may have stopped waiting.
            drop(asked.map(|asked| asked.send(answer)));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics under this lock")
    }
}
