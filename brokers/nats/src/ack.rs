//! What is said on an ack subject, and what the ack subject itself says.

use std::time::Duration;

use bytes::Bytes;

/// A settlement, as the server reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Done,
    Again,
    AgainAfter(Duration),
    Never,
}

impl Answer {
    /// The payload for the ack subject.
    ///
    /// NOTE: servers read a delay in integer nanoseconds and nothing else: any other form is an
    /// immediate redelivery. Old servers ignore a `+TERM` with a reason.
    pub(crate) fn bytes(self) -> Bytes {
        match self {
            Self::Done => Bytes::from_static(b"+ACK"),
            Self::Again => Bytes::from_static(b"-NAK"),
            Self::AgainAfter(delay) => {
                let delay = i64::try_from(delay.as_nanos()).unwrap_or(i64::MAX);
                Bytes::from(format!(r#"-NAK {{"delay":{delay}}}"#))
            }
            Self::Never => Bytes::from_static(b"+TERM"),
        }
    }
}

const PREFIX: &str = "$JS.ACK.";

/// What the ack subject of a delivery tells about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeliveryInfo<'a> {
    /// Where the stream's name begins; a dot and the consumer's follow it.
    pub(crate) names_at: usize,
    pub(crate) stream: &'a str,
    pub(crate) consumer: &'a str,
    pub(crate) delivered: i64,
    pub(crate) stream_sequence: u64,
    pub(crate) consumer_sequence: u64,
    pub(crate) pending: u64,
}

impl<'a> DeliveryInfo<'a> {
    /// Reads both forms: with and without a domain and an account's hash after `$JS.ACK`.
    pub(crate) fn parse(ack_subject: &'a str) -> Option<Self> {
        let rest = ack_subject.strip_prefix(PREFIX)?;
        let mut tokens = rest.split('.');
        let mut names_at = PREFIX.len();
        match rest.bytes().filter(|byte| *byte == b'.').count() + 1 {
            7 => {}
            9 | 10 => {
                let (domain, account) = (tokens.next()?, tokens.next()?);
                names_at += domain.len() + account.len() + 2;
            }
            _ => return None,
        }
        let stream = tokens.next()?;
        let consumer = tokens.next()?;
        let delivered = tokens.next()?.parse().ok()?;
        let stream_sequence = tokens.next()?.parse().ok()?;
        let consumer_sequence = tokens.next()?.parse().ok()?;
        let _timestamp = tokens.next()?;
        let pending = tokens.next()?.parse().ok()?;
        Some(Self {
            names_at,
            stream,
            consumer,
            delivered,
            stream_sequence,
            consumer_sequence,
            pending,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // NATS-71
    #[test]
    fn the_words_are_exact() {
        let bytes = |answer: Answer| String::from_utf8(answer.bytes().to_vec()).expect("ASCII");

        assert_eq!(bytes(Answer::Done), "+ACK");
        assert_eq!(bytes(Answer::Again), "-NAK");
        assert_eq!(bytes(Answer::Never), "+TERM");
        let half = Answer::AgainAfter(Duration::from_millis(500));
        assert_eq!(bytes(half), r#"-NAK {"delay":500000000}"#);
    }

    // NATS-70
    #[test]
    fn a_delay_beyond_the_servers_range_is_clamped() {
        let bytes = Answer::AgainAfter(Duration::MAX).bytes();

        assert_eq!(
            &bytes[..],
            format!(r#"-NAK {{"delay":{}}}"#, i64::MAX).as_bytes()
        );
    }

    // NATS-170, NATS-F01
    #[test]
    fn both_forms_of_the_ack_subject_are_read() {
        for subject in [
            "$JS.ACK.LEDGER.book.2.11.14.1700000000000000000.3",
            "$JS.ACK._.hash.LEDGER.book.2.11.14.1700000000000000000.3",
            "$JS.ACK.hub.hash.LEDGER.book.2.11.14.1700000000000000000.3.token",
        ] {
            let told = DeliveryInfo::parse(subject).expect(subject);
            assert_eq!(
                (told.stream, told.consumer),
                ("LEDGER", "book"),
                "{subject}"
            );
            assert_eq!((told.delivered, told.pending), (2, 3), "{subject}");
            assert_eq!(
                (told.stream_sequence, told.consumer_sequence),
                (11, 14),
                "{subject}"
            );
            assert!(
                subject[told.names_at..].starts_with("LEDGER.book."),
                "{subject}"
            );
        }
    }

    // NATS-73, NATS-171
    #[test]
    fn another_subject_tells_nothing() {
        for subject in [
            "",
            "_INBOX.x",
            "$JS.ACK.a.b",
            "$JS.ACK.a.b.x.1.1.1.1",
            "$JS.ACK.a.b.1.1.1.1",
        ] {
            assert_eq!(DeliveryInfo::parse(subject), None, "{subject}");
        }
    }
}
