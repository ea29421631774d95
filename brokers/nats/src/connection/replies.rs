//! Where answers to requests arrive: one subscription for all requests of an epoch.
//!
//! The client has such an inbox as well, but keeps an entry of every request that is never
//! answered. Here an entry lives as long as the future that waits for it.
//!
//! The inbox is also how the end of an epoch is noticed, and what kind of end it was. The client's
//! task panics on some frames that a server passes on (a lone CR in a header value), and with it
//! every subscription ends without a word.
//! NOTE: Tokio drops a future that panicked while the panic still unwinds, so the senders in it
//! wake their receivers from a panicking thread; [`Watchman`] is the waker that looks.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use async_nats::{Client, Message, Subject};
use futures_util::future::poll_fn;
use futures_util::task::AtomicWaker;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use super::subscription::Subscription;
use crate::error::NatsError;

/// How an epoch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The client was drained, or gave up reconnecting.
    Meant,
    /// The client's task panicked.
    Accident,
}

/// The inbox of one epoch.
pub(crate) struct Replies {
    /// Ends with a dot; the number of a request follows.
    prefix: String,
    waiting: Arc<Waiting>,
    dispatcher: AbortHandle,
}

struct Waiting {
    next: AtomicU64,
    /// `None` once no reply can arrive any more.
    requests: Mutex<Option<Requests>>,
}

type Requests = HashMap<u64, oneshot::Sender<Message>, BuildHasherDefault<NumberHasher>>;

impl Replies {
    /// Subscribes, and dispatches on `runtime` until the epoch ends; `ended` is told how.
    pub(crate) async fn open(
        client: &Client,
        runtime: Handle,
        ended: impl FnOnce(End) + Send + 'static,
    ) -> Result<Self, NatsError> {
        let prefix = format!("{}.", client.new_inbox());
        let subscriber = client.subscribe(format!("{prefix}*")).await;
        let subscriber = subscriber.map_err(NatsError::publish)?;
        let inbox = Subscription::new(subscriber, Some(runtime.clone()));
        let waiting = Arc::new(Waiting {
            next: AtomicU64::new(0),
            requests: Mutex::new(Some(Requests::default())),
        });
        let dispatching = dispatch(inbox, prefix.len(), Arc::clone(&waiting));
        let dispatcher = runtime.spawn(async move { ended(dispatching.await) });
        Ok(Self {
            prefix,
            waiting,
            dispatcher: dispatcher.abort_handle(),
        })
    }

    /// A place for one reply, and the subject that leads there.
    pub(crate) fn expect(&self) -> (Subject, Expected<'_>) {
        let number = self.waiting.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        if let Some(requests) = &mut *self.waiting.lock() {
            requests.insert(number, sender);
        }
        let expected = Expected {
            waiting: &self.waiting,
            number: Some(number),
            receiver,
        };
        (numbered(&self.prefix, number), expected)
    }
}

impl Drop for Replies {
    fn drop(&mut self) {
        self.dispatcher.abort();
    }
}

/// A reply under way; dropped, it leaves nothing behind.
pub(crate) struct Expected<'a> {
    waiting: &'a Waiting,
    /// Taken once nothing waits under it any more.
    number: Option<u64>,
    receiver: oneshot::Receiver<Message>,
}

impl Expected<'_> {
    /// Waits for it; `None` if the epoch ended first.
    pub(crate) async fn reply(mut self) -> Option<Message> {
        let reply = (&mut self.receiver).await.ok();
        self.number = None;
        reply
    }
}

impl Drop for Expected<'_> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.waiting.take(number);
        }
    }
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Option<Requests>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, number: u64) -> Option<oneshot::Sender<Message>> {
        self.lock().as_mut()?.remove(&number)
    }
}

/// The subject of a request's reply, in a buffer of just its length: a longer one would need a block
/// of its own to be shared.
fn numbered(prefix: &str, number: u64) -> Subject {
    let mut digits = [0; 20];
    let mut from = digits.len();
    let mut rest = number;
    loop {
        from -= 1;
        digits[from] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    let digits = str::from_utf8(&digits[from..]).unwrap_or_default();
    Subject::from([prefix, digits].concat())
}

/// Spreads numbers that count up; nobody outside chooses them.
#[derive(Debug, Default)]
struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(self.0 ^ u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        // 2^64 divided by the golden ratio.
        self.0 = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

async fn dispatch(mut inbox: Subscription, prefix: usize, waiting: Arc<Waiting>) -> End {
    let watchman = Arc::new(Watchman::default());
    let waker = Waker::from(Arc::clone(&watchman));
    while let Some(message) = poll_fn(|cx| watchman.poll(&mut inbox, &waker, cx)).await {
        let number = message
            .subject
            .get(prefix..)
            .and_then(|number| number.parse().ok());
        // A reply nobody waits for any more is dropped.
        if let Some(sender) = number.and_then(|number| waiting.take(number)) {
            let _gone = sender.send(message);
        }
    }
    *waiting.lock() = None;
    if watchman.saw_a_panic.load(Ordering::Acquire) {
        End::Accident
    } else {
        End::Meant
    }
}

/// Passes wakes on, and remembers one that came out of a panic.
#[derive(Default)]
struct Watchman {
    task: AtomicWaker,
    saw_a_panic: AtomicBool,
}

impl Watchman {
    fn poll(
        &self,
        inbox: &mut Subscription,
        waker: &Waker,
        cx: &Context<'_>,
    ) -> Poll<Option<Message>> {
        self.task.register(cx.waker());
        inbox.poll_next(&mut Context::from_waker(waker))
    }
}

impl Wake for Watchman {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if thread::panicking() {
            self.saw_a_panic.store(true, Ordering::Release);
        }
        self.task.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // NATS-130
    #[test]
    fn the_number_of_a_request_follows_the_prefix() {
        for number in [0, 7, 10, 4_096, u64::MAX] {
            let subject = numbered("_INBOX.x.", number);

            assert_eq!(subject.as_str(), format!("_INBOX.x.{number}"));
        }
    }
}
