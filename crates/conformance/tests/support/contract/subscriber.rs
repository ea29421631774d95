use std::num::NonZeroUsize;
use std::sync::Arc;

use futures_util::{Stream, stream};
use ruststream_core::{BatchSubscriber, Seekable, Seeker, Subscriber};

use super::super::honest::{Reader, SeekHandle, ToyError};
use super::super::twist::Twist;
use super::{ToyBatch, ToyMessage};

pub(crate) struct ToySubscriber {
    pub(super) reader: Reader,
    pub(super) twist: Arc<dyn Twist>,
}

impl Subscriber for ToySubscriber {
    type Message = ToyMessage;
    type Error = ToyError;

    fn stream(&mut self) -> impl Stream<Item = Result<ToyMessage, ToyError>> + Send + '_ {
        stream::unfold(self, |this| async move {
            let next = this.twist.next(&mut this.reader).await?;
            Some((
                next.map(|delivery| ToyMessage::new(&this.twist, delivery)),
                this,
            ))
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
            let next = this.twist.next_batch(&mut this.reader, size.get()).await?;
            let batch = next.map(|deliveries| {
                let (values, deliveries) = this.twist.carried_batch(deliveries);
                let of = |delivery| ToyMessage::new(&this.twist, delivery);
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
        ToySeeker {
            handle: self.reader.seek_handle(),
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
