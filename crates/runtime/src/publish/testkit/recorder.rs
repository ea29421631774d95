//! A publisher of either payload form that keeps what it is given.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ruststream_core::{
    AckError, HeaderMap, IncomingMessage, OutgoingFor, OwnedTransactions, PayloadForm, Publisher,
    RequestReply, Transaction, TransactionalPublisher,
};
use thiserror::Error;

/// The setting of one message, as a broker has them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Urgency(pub(crate) Option<u8>);

/// The recorder's refusal.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("refused")]
pub(crate) struct Refused;

/// One message as the publisher got it.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) name: String,
    pub(crate) name_at: usize,
    pub(crate) payload: Vec<u8>,
    pub(crate) payload_at: usize,
    pub(crate) headers: HeaderMap,
    pub(crate) options: Option<Urgency>,
}

#[derive(Default)]
struct Log {
    sent: Mutex<Vec<Sent>>,
    calls: Mutex<Vec<&'static str>>,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A publisher that keeps what it is given and refuses when told to.
pub(crate) struct Recorder<F> {
    log: Arc<Log>,
    base: Option<HeaderMap>,
    refuses: bool,
    form: PhantomData<F>,
}

impl<F> Recorder<F> {
    pub(crate) fn new() -> Self {
        Self {
            log: Arc::default(),
            base: None,
            refuses: false,
            form: PhantomData,
        }
    }

    pub(crate) fn with_base(mut self, base: HeaderMap) -> Self {
        self.base = Some(base);
        self
    }

    pub(crate) fn refusing(mut self) -> Self {
        self.refuses = true;
        self
    }

    /// Everything that arrived, transactions and requests included.
    pub(crate) fn sent(&self) -> Vec<Sent> {
        held(&self.log.sent).clone()
    }

    /// The one message that arrived.
    pub(crate) fn only(&self) -> Sent {
        let sent = self.sent();
        assert_eq!(sent.len(), 1, "exactly one message leaves");
        sent.into_iter().next().expect("counted above")
    }

    /// The calls besides publishing, in order.
    pub(crate) fn calls(&self) -> Vec<&'static str> {
        held(&self.log.calls).clone()
    }

    fn call(&self, name: &'static str) -> Result<(), Refused> {
        held(&self.log.calls).push(name);
        if self.refuses { Err(Refused) } else { Ok(()) }
    }
}

impl<F> fmt::Debug for Recorder<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

fn record<F: PayloadForm>(log: &Log, msg: OutgoingFor<'_, F>, options: Option<&Urgency>) {
    let (name, payload, headers) = msg.into_parts();
    let bytes = payload.as_ref();
    held(&log.sent).push(Sent {
        name: name.to_owned(),
        name_at: name.as_ptr() as usize,
        payload: bytes.to_vec(),
        payload_at: bytes.as_ptr() as usize,
        headers,
        options: options.copied(),
    });
}

impl<F: PayloadForm> Publisher for Recorder<F> {
    type Payload = F;
    type Error = Refused;
    type Options = Urgency;

    async fn publish(
        &self,
        msg: OutgoingFor<'_, F>,
        options: Option<&Urgency>,
    ) -> Result<(), Refused> {
        if self.refuses {
            return Err(Refused);
        }
        record::<F>(&self.log, msg, options);
        Ok(())
    }

    fn base_headers(&self) -> Option<&HeaderMap> {
        self.base.as_ref()
    }
}

impl<F: PayloadForm> TransactionalPublisher for Recorder<F> {
    async fn begin_transaction(&self) -> Result<(), Refused> {
        self.call("begin")
    }

    async fn commit(&self) -> Result<(), Refused> {
        self.call("commit")
    }

    async fn abort(&self) -> Result<(), Refused> {
        self.call("abort")
    }
}

/// An owned transaction of a recorder; it records at once and notes how it was settled.
pub(crate) struct RecorderTransaction<F>(Recorder<F>);

impl<F: PayloadForm> Transaction for RecorderTransaction<F> {
    type Payload = F;
    type Error = Refused;
    type Options = Urgency;

    async fn publish(
        &mut self,
        msg: OutgoingFor<'_, F>,
        options: Option<&Urgency>,
    ) -> Result<(), Refused> {
        self.0.publish(msg, options).await
    }

    async fn commit(self) -> Result<(), Refused> {
        self.0.call("owned commit")
    }

    async fn abort(self) -> Result<(), Refused> {
        self.0.call("owned abort")
    }

    fn base_headers(&self) -> Option<&HeaderMap> {
        self.0.base.as_ref()
    }
}

impl<F: PayloadForm> OwnedTransactions for Recorder<F> {
    type Transaction = RecorderTransaction<F>;

    async fn transaction(&self) -> Result<RecorderTransaction<F>, Refused> {
        self.call("owned begin")?;
        Ok(RecorderTransaction(Self {
            log: Arc::clone(&self.log),
            base: self.base.clone(),
            refuses: self.refuses,
            form: PhantomData,
        }))
    }
}

impl<F: PayloadForm> RequestReply for Recorder<F> {
    type Reply = Delivery;

    async fn request(
        &self,
        msg: OutgoingFor<'_, F>,
        _timeout: Duration,
    ) -> Result<Delivery, Refused> {
        self.call("request")?;
        record::<F>(&self.log, msg, None);
        Ok(Delivery {
            payload: b"answer".to_vec(),
            ..Delivery::default()
        })
    }
}

/// A delivery that counts how often its headers are asked for.
#[derive(Debug, Default)]
pub(crate) struct Delivery {
    pub(crate) payload: Vec<u8>,
    pub(crate) headers: HeaderMap,
    pub(crate) asked: Mutex<u32>,
}

impl IncomingMessage for Delivery {
    fn payload(&self) -> &[u8] {
        &self.payload
    }

    fn headers(&self) -> &HeaderMap {
        *held(&self.asked) += 1;
        &self.headers
    }

    async fn ack(self) -> Result<(), AckError> {
        Ok(())
    }

    async fn nack(self, _requeue: bool) -> Result<(), AckError> {
        Ok(())
    }
}
