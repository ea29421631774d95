use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use futures_util::{Stream, stream};
use ruststream_core::{BatchSubscriber, Seekable, Seeker, Subscriber};

use super::super::honest::{Reader, SeekHandle, ToyError};
use super::super::twist::Twist;
use super::{ToyBatch, ToyMessage};

pub(crate) struct ToySubscriber {
    reader: Option<Reader>,
    twist: Arc<dyn Twist>,
}

impl ToySubscriber {
    pub(super) fn new(reader: Reader, twist: &Arc<dyn Twist>) -> Self {
        Self {
            reader: Some(reader),
            twist: Arc::clone(twist),
        }
    }

    fn parts(&mut self) -> (&mut Reader, &Arc<dyn Twist>) {
        let reader = self.reader.as_mut().expect("taken by the drop alone");
        (reader, &self.twist)
    }
}

impl Drop for ToySubscriber {
    fn drop(&mut self) {
        if let Some(reader) = self.reader.take() {
            self.twist.leave(reader);
        }
    }
}

impl fmt::Debug for ToySubscriber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.twist.shown("ToySubscriber"))
    }
}

impl Subscriber for ToySubscriber {
    type Message = ToyMessage;
    type Error = ToyError;

    fn stream(&mut self) -> impl Stream<Item = Result<ToyMessage, ToyError>> + Send + '_ {
        stream::unfold(self, |this| async move {
            let (reader, twist) = this.parts();
            let next = twist.next(reader).await?;
            let next = next.map(|delivery| ToyMessage::new(twist, delivery));
            Some((next, this))
        })
    }
}

impl BatchSubscriber for ToySubscriber {
    type Batch = ToyBatch;

    fn batches(
        &mut self,
        size: NonZeroUsize,
    ) -> impl Stream<Item = Result<ToyBatch, ToyError>> + Send + '_ {
        stream::unfold(self, move |this| async move {
            let (reader, twist) = this.parts();
            let next = twist.next_batch(reader, size.get()).await?;
            let batch = next.map(|deliveries| {
                let (values, deliveries) = twist.carried_batch(deliveries);
                let of = |delivery| ToyMessage::new(twist, delivery);
                ToyBatch {
                    values,
                    messages: deliveries.into_iter().map(of).collect(),
                }
            });
            Some((batch, this))
        })
    }
}

impl Seekable for ToySubscriber {
    type Seeker = ToySeeker;

    fn seeker(&self) -> ToySeeker {
        let reader = self.reader.as_ref().expect("taken by the drop alone");
        ToySeeker {
            handle: reader.seek_handle(),
            twist: Arc::clone(&self.twist),
        }
    }
}

#[derive(Clone)]
pub(crate) struct ToySeeker {
    handle: SeekHandle,
    twist: Arc<dyn Twist>,
}

impl Seeker for ToySeeker {
    type Position = usize;
    type Error = ToyError;

    async fn seek(&self, to: usize) -> Result<(), ToyError> {
        self.twist.seek(&self.handle, to).await
    }
}
