//! What must not compile, beyond the examples of the types themselves.
//!
//! NATS-40 is held by the examples of `CoreSubject`, `JetStreamSubject` and `NonZeroDuration`.

/// NATS-43: a stream's subscription needs two names, so its kind alone names none.
///
/// ```compile_fail,E0277
/// use ruststream_nats::prelude::*;
///
/// #[subscriber(JetStreamSubject)]
/// async fn book(_entry: &u64) {}
///
/// fn mount(b: &mut ruststream::runtime::BrokerScope<NatsBroker>) {
///     b.include(book.name("ledger.*"));
/// }
/// ```
struct KindAlone;

/// NATS-54: a step of the other model.
///
/// ```compile_fail,E0599
/// use ruststream_nats::prelude::*;
///
/// #[subscriber(CoreSubject::new("scans"))]
/// async fn sort(_entry: &u64) {}
///
/// let _ = sort.durable("sorters");
/// ```
///
/// ```compile_fail,E0599
/// use ruststream_nats::prelude::*;
///
/// #[subscriber(JetStreamSubject::new("ledger.*", "LEDGER"))]
/// async fn book(_entry: &u64) {}
///
/// let _ = book.queue_group("books");
/// ```
struct OtherModel;

/// NATS-111: a slot with JetStream's options on the plain policy.
///
/// ```compile_fail,E0271
/// use ruststream_nats::prelude::*;
///
/// #[subscriber(CoreSubject::new("scans"))]
/// async fn sort(
///     entry: &u64,
///     Out(out): Out<impl Publisher<Options = JetStreamOptions>>,
/// ) {
///     let _ = out.message(&vec![*entry]).to("sorted").message_id("1").publish().await;
/// }
///
/// fn mount(b: &mut ruststream::runtime::BrokerScope<NatsBroker>) {
///     b.include(sort).out(DefaultSlot, Publish).build();
/// }
/// ```
struct OtherPolicy;

/// NATS-174: there is no position to start at.
///
/// ```compile_fail,E0277
/// use ruststream_nats::prelude::*;
///
/// #[subscriber(JetStreamSubject::new("ledger.*", "LEDGER"))]
/// async fn book(_entry: &u64) {}
///
/// fn mount(b: &mut ruststream::runtime::BrokerScope<NatsBroker>) {
///     b.include(book.start_at(7_u64));
/// }
/// ```
struct StartAt;

/// NATS-130: a stream's publisher makes no requests.
///
/// ```compile_fail,E0277
/// use ruststream::RequestReply;
/// use ruststream_nats::JetStreamPublisher;
///
/// fn requests<T: RequestReply>() {}
/// requests::<JetStreamPublisher>();
/// ```
struct NoRequests;

/// `NatsSubscription` is closed, and says what there is.
///
/// ```compile_fail,E0277
/// use ruststream_nats::ConnectedNatsBroker;
///
/// async fn open(broker: &ConnectedNatsBroker) {
///     let _ = broker.subscribe_with("scans").await;
/// }
/// ```
struct NotADescriptor;
