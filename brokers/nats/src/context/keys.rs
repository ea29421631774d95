//! The keys of a delivery's context. Each has a constant of its own.

use ruststream::{ContextField, Field};

use super::{JetStreamBatchContext, JetStreamContext, Told};

macro_rules! number_key {
    ($(#[doc = $doc:literal] $key:ident, $constant:ident, $number:ty, $field:ident;)+) => {$(
        #[doc = $doc]
        ///
        /// `None` on a Core delivery.
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $key;

        #[doc = concat!("The key [`", stringify!($key), "`].")]
        pub const $constant: $key = $key;

        impl Field<JetStreamContext> for $key {
            type Value<'a> = Option<$number>;

            fn get(self, src: &JetStreamContext) -> Option<$number> {
                src.told.as_ref().map(|told| told.$field)
            }
        }

        impl ContextField for $key {
            type Context = JetStreamContext;
            type Value = Option<$number>;

            fn read(self, src: &JetStreamContext) -> Option<$number> {
                self.get(src)
            }
        }
    )+};
}

macro_rules! name_key {
    ($(#[doc = $doc:literal] $key:ident, $constant:ident, $field:ident;)+) => {$(
        #[doc = $doc]
        ///
        /// `None` on a Core delivery.
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $key;

        #[doc = concat!("The key [`", stringify!($key), "`].")]
        pub const $constant: $key = $key;

        impl Field<JetStreamContext> for $key {
            type Value<'a> = Option<&'a str>;

            fn get(self, src: &JetStreamContext) -> Option<&str> {
                src.told.as_ref().map(Told::$field)
            }
        }

        impl Field<JetStreamBatchContext> for $key {
            type Value<'a> = Option<&'a str>;

            fn get(self, src: &JetStreamBatchContext) -> Option<&str> {
                src.told.as_ref().map(Told::$field)
            }
        }

        impl ContextField for $key {
            type Context = JetStreamContext;
            type Value = Option<String>;

            fn read(self, src: &JetStreamContext) -> Option<String> {
                Field::<JetStreamContext>::get(self, src).map(str::to_owned)
            }
        }
    )+};
}

name_key! {
    #[doc = "The name of the stream."]
    Stream, STREAM, stream;
    #[doc = "The name of the consumer; made by the server for an ephemeral one."]
    Consumer, CONSUMER, consumer;
}

number_key! {
    #[doc = "The sequence in the stream, the same in every redelivery."]
    StreamSequence, STREAM_SEQUENCE, u64, stream_sequence;
    #[doc = "Counts the deliveries of the consumer, redeliveries included."]
    ConsumerSequence, CONSUMER_SEQUENCE, u64, consumer_sequence;
    #[doc = "How often this message was delivered; the first delivery is `1`."]
    Delivered, DELIVERED, i64, delivered;
    #[doc = "How many messages the consumer has behind this one."]
    Pending, PENDING, u64, pending;
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_nats::Subject;

    fn told() -> JetStreamContext {
        JetStreamContext {
            told: Some(Told {
                ack_subject: Subject::from_static("$JS.ACK.LEDGER.book.2.11.14.17.3"),
                stream: (8, 14),
                consumer_end: 19,
                delivered: 2,
                stream_sequence: 11,
                consumer_sequence: 14,
                pending: 3,
            }),
        }
    }

    // NATS-170, CORE-192
    #[test]
    fn every_key_reads_borrowed_and_owned() {
        let context = told();

        assert_eq!(
            Field::<JetStreamContext>::get(STREAM, &context),
            Some("LEDGER")
        );
        assert_eq!(
            Field::<JetStreamContext>::get(CONSUMER, &context),
            Some("book")
        );
        assert_eq!(STREAM.read(&context).as_deref(), Some("LEDGER"));
        assert_eq!(CONSUMER.read(&context).as_deref(), Some("book"));
        assert_eq!(
            (DELIVERED.get(&context), DELIVERED.read(&context)),
            (Some(2), Some(2))
        );
        assert_eq!(
            (PENDING.get(&context), PENDING.read(&context)),
            (Some(3), Some(3))
        );
        assert_eq!(STREAM_SEQUENCE.read(&context), Some(11));
        assert_eq!(CONSUMER_SEQUENCE.read(&context), Some(14));
    }

    // NATS-171
    #[test]
    fn without_an_ack_subject_every_key_reads_nothing() {
        let context = JetStreamContext::default();

        assert_eq!(STREAM.read(&context), None);
        assert_eq!(CONSUMER.read(&context), None);
        assert_eq!(DELIVERED.read(&context), None);
        assert_eq!(PENDING.read(&context), None);
        assert_eq!(STREAM_SEQUENCE.read(&context), None);
        assert_eq!(CONSUMER_SEQUENCE.read(&context), None);
    }
}
