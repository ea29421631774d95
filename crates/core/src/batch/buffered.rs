use std::num::NonZeroUsize;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::{BatchSubscriber, Seekable, Subscriber};

/// Sized for an in-process bus; behind a network 10 to 50 ms is the range to choose from.
pub(crate) const DEFAULT_MAX_WAIT: Duration = Duration::from_millis(10);

/// What a batch reserves at first. A large `size` is an upper bound, not an expectation.
const FIRST_RESERVE: usize = 64;

/// A subscriber that collects batches on the client.
///
/// It is how a transport that yields single deliveries offers [`BatchSubscriber`]. A batch closes
/// when it holds the mount's size, or when [`max_wait`](Self::max_wait) has passed since its first
/// delivery, whichever comes first; an idle subscription waits for that first delivery without
/// limit. Single deliveries and seeking pass through unchanged.
///
/// An error met while a batch is filling is yielded after that batch, and the end of the inner
/// stream after the last, partial one: nothing collected is lost to either.
///
/// # Panics
///
/// A batch that has to wait needs a Tokio runtime with time enabled.
///
/// # Cancel safety
///
/// A partial batch lives in the stream of batches and survives a cancelled poll. Dropping that
/// stream drops the deliveries of a partial batch unsettled.
#[derive(Debug)]
pub struct BufferedSubscriber<S> {
    inner: S,
    max_wait: Duration,
}

impl<S> BufferedSubscriber<S> {
    /// Collects the deliveries of `inner`, closing a partial batch after 10 ms.
    #[must_use]
    pub fn new(inner: S) -> Self {
        Self {
            inner,
            max_wait: DEFAULT_MAX_WAIT,
        }
    }

    /// How long a partial batch stays open, counted from its first delivery.
    ///
    /// [`Duration::ZERO`] means "what is ready now": a batch takes what can be had without waiting,
    /// up to its size.
    #[must_use]
    pub fn max_wait(mut self, max_wait: Duration) -> Self {
        self.max_wait = max_wait;
        self
    }
}

impl<S: Subscriber> Subscriber for BufferedSubscriber<S> {
    type Message = <S as Subscriber>::Message;
    type Error = <S as Subscriber>::Error;

    fn stream(&mut self) -> impl Stream<Item = Result<Self::Message, Self::Error>> + Send + '_ {
        self.inner.stream()
    }
}

/// Deliveries already collected when a seek lands stay in the batch they belong to.
impl<S: Seekable> Seekable for BufferedSubscriber<S> {
    type Seeker = <S as Seekable>::Seeker;

    fn seeker(&self) -> Self::Seeker {
        self.inner.seeker()
    }
}

impl<S: Subscriber> BatchSubscriber for BufferedSubscriber<S> {
    type Batch = Vec<<S as Subscriber>::Message>;

    fn batches(
        &mut self,
        size: NonZeroUsize,
    ) -> impl Stream<Item = Result<Self::Batch, Self::Error>> + Send + '_ {
        Batches {
            deliveries: Box::pin(self.inner.stream()),
            size: size.get(),
            max_wait: self.max_wait,
            filling: Vec::new(),
            deadline: Deadline::Unset,
            timer: None,
            after: After::Fill,
        }
    }
}

/// The stream of batches.
///
/// Between polls `filling` holds the open batch. The clock starts at the end of the poll that took
/// its first delivery: a batch that fills at once never looks at it.
struct Batches<Deliveries, Message, Error> {
    deliveries: Pin<Box<Deliveries>>,
    size: usize,
    max_wait: Duration,
    filling: Vec<Message>,
    deadline: Deadline,
    /// Made when a batch first waits, then moved from deadline to deadline.
    timer: Option<Pin<Box<Sleep>>>,
    after: After<Error>,
}

/// When the open batch closes.
#[derive(Clone, Copy)]
enum Deadline {
    Unset,
    At(Instant),
    /// Beyond what the clock can tell: the batch waits for its size.
    Never,
}

/// What follows the batch that was closed last.
enum After<Error> {
    Fill,
    Fail(Error),
    End,
}

// Nothing in it is pinned in place: the inner stream and the timer sit behind their own boxes.
impl<Deliveries, Message, Error> Unpin for Batches<Deliveries, Message, Error> {}

impl<Deliveries, Message, Error> Batches<Deliveries, Message, Error> {
    fn take(&mut self, message: Message) {
        if self.filling.is_empty() {
            self.filling.reserve_exact(self.size.min(FIRST_RESERVE));
        }
        self.filling.push(message);
    }

    fn close(&mut self) -> Vec<Message> {
        self.deadline = Deadline::Unset;
        std::mem::take(&mut self.filling)
    }

    /// Ready when the open batch has waited long enough.
    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.max_wait.is_zero() {
            return Poll::Ready(());
        }
        let timer = match (self.deadline, &mut self.timer) {
            (Deadline::Never, _) => return Poll::Pending,
            (Deadline::At(_), Some(timer)) => timer,
            (Deadline::At(at), timer) => timer.insert(Box::pin(sleep_until(at))),
            (Deadline::Unset, timer) => {
                let Some(at) = Instant::now().checked_add(self.max_wait) else {
                    self.deadline = Deadline::Never;
                    return Poll::Pending;
                };
                self.deadline = Deadline::At(at);
                match timer {
                    Some(timer) => {
                        timer.as_mut().reset(at);
                        timer
                    }
                    None => timer.insert(Box::pin(sleep_until(at))),
                }
            }
        };
        timer.as_mut().poll(cx)
    }
}

impl<Deliveries, Message, Error> Stream for Batches<Deliveries, Message, Error>
where
    Deliveries: Stream<Item = Result<Message, Error>>,
{
    type Item = Result<Vec<Message>, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        match std::mem::replace(&mut this.after, After::Fill) {
            After::Fill => {}
            After::Fail(error) => return Poll::Ready(Some(Err(error))),
            After::End => {
                this.after = After::End;
                return Poll::Ready(None);
            }
        }
        // A batch that was left waiting may be due by now, whatever else is ready.
        if !this.filling.is_empty() && this.poll_deadline(cx).is_ready() {
            return Poll::Ready(Some(Ok(this.close())));
        }
        loop {
            match this.deliveries.as_mut().poll_next(cx) {
                Poll::Ready(Some(Ok(message))) => {
                    this.take(message);
                    if this.filling.len() == this.size {
                        return Poll::Ready(Some(Ok(this.close())));
                    }
                }
                Poll::Ready(Some(Err(error))) => {
                    if this.filling.is_empty() {
                        return Poll::Ready(Some(Err(error)));
                    }
                    this.after = After::Fail(error);
                    return Poll::Ready(Some(Ok(this.close())));
                }
                Poll::Ready(None) => {
                    this.after = After::End;
                    if this.filling.is_empty() {
                        return Poll::Ready(None);
                    }
                    return Poll::Ready(Some(Ok(this.close())));
                }
                Poll::Pending => {
                    if this.filling.is_empty() {
                        return Poll::Pending;
                    }
                    ready!(this.poll_deadline(cx));
                    return Poll::Ready(Some(Ok(this.close())));
                }
            }
        }
    }
}
