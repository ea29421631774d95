//! The shapes a broker crate implements, as it would write them.

use std::future::{Ready, ready};
use std::time::Duration;

use ruststream_core::{
    AckError, Broker, BuildBatchContext, BuildContext, Carries, CarriesBatch, Connected,
    ConnectedBroker, ContextField, Field, FieldMut, HeaderMap, IncomingMessage, Lend,
    OutgoingMessage, Partitioned, Positioned, Publisher, RequestReply,
};

use crate::support::{ConnectedDepot, Depot, Parcel, Refused, now};

// CORE-010
#[test]
fn each_step_of_the_ladder_consumes_the_one_before() {
    let connected: Connected<Depot> = now(Depot.connect()).unwrap();
    connected.note("published");

    let closed: <ConnectedDepot as ConnectedBroker>::Closed = now(connected.shutdown()).unwrap();
    assert_eq!(closed, 1);
}

macro_rules! settles {
    ($delivery:ident, $ack:item) => {
        struct $delivery;

        #[allow(refining_impl_trait, reason = "a concrete future is one of the ways")]
        impl IncomingMessage for $delivery {
            fn payload(&self) -> &[u8] {
                &[]
            }

            fn headers(&self) -> &HeaderMap {
                static NONE: HeaderMap = HeaderMap::new();
                &NONE
            }

            $ack

            async fn nack(self, _: bool) -> Result<(), AckError> {
                Ok(())
            }
        }
    };
}

settles!(
    Async,
    async fn ack(self) -> Result<(), AckError> {
        Ok(())
    }
);
settles!(
    Opaque,
    fn ack(self) -> impl Future<Output = Result<(), AckError>> + Send {
        ready(Ok(()))
    }
);
settles!(
    Concrete,
    fn ack(self) -> Ready<Result<(), AckError>> {
        ready(Ok(()))
    }
);

// CORE-007
#[test]
fn a_future_is_written_in_any_form_and_can_be_sent() {
    fn settled<M: IncomingMessage>(message: M) -> bool {
        fn sent<F: Future + Send>(future: F) -> F {
            future
        }
        now(sent(message.ack())).is_ok()
    }

    assert!(settled(Async) && settled(Opaque) && settled(Concrete));
}

struct Requester;

impl Publisher for Requester {
    type Payload = Lend;
    type Error = Refused;
    type Options = ();

    async fn publish(&self, _: OutgoingMessage<'_, &[u8]>, _: Option<&()>) -> Result<(), Refused> {
        Ok(())
    }
}

impl RequestReply for Requester {
    type Reply = Parcel;

    async fn request(
        &self,
        _: OutgoingMessage<'_, &[u8]>,
        timeout: Duration,
    ) -> Result<Parcel, Refused> {
        if timeout.is_zero() {
            Err(Refused("no reply in time"))
        } else {
            Ok(Parcel(1))
        }
    }
}

// CORE-160
#[test]
fn a_request_resolves_with_its_reply_or_fails() {
    let ask = |timeout| now(Requester.request(OutgoingMessage::new("ask", b""), timeout));

    assert_eq!(ask(Duration::from_secs(1)), Ok(Parcel(1)));
    assert_eq!(ask(Duration::ZERO), Err(Refused("no reply in time")));
}

/// A delivery of a log with keys and values already read.
#[derive(Debug)]
struct Keyed {
    offset: u64,
    reading: Option<f64>,
    headers: HeaderMap,
}

impl IncomingMessage for Keyed {
    fn payload(&self) -> &[u8] {
        &[]
    }

    fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    fn partition_key(&self) -> Option<&[u8]> {
        Partitioned::partition_key(self)
    }

    async fn ack(self) -> Result<(), AckError> {
        Ok(())
    }

    async fn nack(self, _: bool) -> Result<(), AckError> {
        Err(AckError::Unsupported)
    }
}

impl Partitioned for Keyed {
    fn partition_key(&self) -> Option<&[u8]> {
        Some(b"north")
    }
}

impl Positioned for Keyed {
    type Position = u64;

    fn position(&self) -> u64 {
        self.offset
    }
}

impl Carries<f64> for Keyed {
    fn carried(&self) -> Option<&f64> {
        self.reading.as_ref()
    }
}

struct Readings {
    first: u64,
    values: Vec<f64>,
}

impl CarriesBatch<f64> for Readings {
    fn carried(&self) -> &[f64] {
        &self.values
    }
}

#[derive(Debug, PartialEq)]
struct LogContext {
    offset: u64,
    scratch: Option<String>,
}

impl BuildContext<Keyed> for LogContext {
    fn build(msg: &Keyed) -> Self {
        Self {
            offset: msg.position(),
            scratch: None,
        }
    }
}

impl BuildBatchContext<Readings> for LogContext {
    fn build(first: &Readings) -> Self {
        Self {
            offset: first.first,
            scratch: None,
        }
    }
}

#[derive(Default)]
struct Offset;

impl Field<LogContext> for Offset {
    type Value<'a> = &'a u64;

    fn get(self, src: &LogContext) -> &u64 {
        &src.offset
    }
}

impl ContextField for Offset {
    type Context = LogContext;
    type Value = u64;

    fn read(self, src: &LogContext) -> u64 {
        src.offset
    }
}

struct Scratch;

impl Field<LogContext> for Scratch {
    type Value<'a> = Option<&'a str>;

    fn get(self, src: &LogContext) -> Option<&str> {
        src.scratch.as_deref()
    }
}

impl FieldMut<LogContext> for Scratch {
    type Owned = String;

    fn set(self, src: &mut LogContext, value: String) {
        src.scratch = Some(value);
    }
}

fn keyed(offset: u64) -> Keyed {
    Keyed {
        offset,
        reading: Some(1.5),
        headers: HeaderMap::new(),
    }
}

// CORE-170, CORE-172, CORE-180
#[test]
fn a_delivery_has_a_key_a_position_and_a_value() {
    let delivery = keyed(7);

    assert_eq!(
        IncomingMessage::partition_key(&delivery),
        Some(&b"north"[..])
    );
    assert_eq!(delivery.position(), 7);
    assert_eq!(delivery.carried(), Some(&1.5));
    assert_eq!(
        Readings {
            first: 1,
            values: vec![1.5]
        }
        .carried(),
        [1.5]
    );
}

// CORE-191, CORE-192, CORE-193
#[test]
fn a_context_is_built_afresh_and_read_by_keys() {
    let mut context = <LogContext as BuildContext<_>>::build(&keyed(7));
    assert_eq!((*Offset.get(&context), Offset.read(&context)), (7, 7));
    assert_eq!(Scratch.get(&context), None);
    Scratch.set(&mut context, "seen".to_owned());
    assert_eq!(Scratch.get(&context), Some("seen"));

    assert_eq!(
        Scratch.get(&<LogContext as BuildContext<_>>::build(&keyed(8))),
        None
    );
}

// CORE-195
#[test]
fn a_batch_context_may_be_built_from_the_batch_itself() {
    let batch = Readings {
        first: 3,
        values: Vec::new(),
    };

    assert_eq!(
        <LogContext as BuildBatchContext<_>>::build(&batch).offset,
        3
    );
}

// CORE-194
#[test]
fn a_broker_with_nothing_to_offer_has_the_unit_context() {
    fn built<M: ?Sized>(message: &M) {
        <() as BuildContext<M>>::build(message);
        <() as BuildBatchContext<M>>::build(message);
    }

    built("a delivery of any type");
}
