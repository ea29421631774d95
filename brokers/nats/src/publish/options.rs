use std::str::FromStr;

use async_nats::header::{
    NATS_EXPECTED_LAST_MESSAGE_ID, NATS_EXPECTED_LAST_SEQUENCE,
    NATS_EXPECTED_LAST_SUBJECT_SEQUENCE, NATS_EXPECTED_STREAM, NATS_MESSAGE_ID,
};
use async_nats::{HeaderMap, HeaderName, HeaderValue};

use crate::error::NatsError;

/// What one publish to a stream asks of it.
///
/// Set at a call site by the steps of [`JetStreamPublishSteps`](crate::JetStreamPublishSteps). The
/// stream refuses a message whose expectation is not met; nothing falls back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JetStreamOptions {
    /// The identity of the message: within its window the stream stores one of each.
    pub message_id: Option<String>,
    /// The last sequence of the stream.
    pub expect_last_sequence: Option<u64>,
    /// The last sequence under the message's subject; zero where there is none yet.
    pub expect_last_subject_sequence: Option<u64>,
    /// The identity of the stream's last message.
    pub expect_last_message_id: Option<String>,
}

/// Adds what is asked of the stream to the application's headers.
///
/// NOTE: the server compares these names with their case, and the framework's map has none. So a
/// header of the application never means anything to the server; only what is added here does.
pub(super) fn ask(
    headers: &mut Option<HeaderMap>,
    expected_stream: Option<&str>,
    options: Option<&JetStreamOptions>,
) -> Result<(), NatsError> {
    let mut add = |name: HeaderName, value: Result<HeaderValue, _>| {
        let value = value.map_err(|_: async_nats::header::ParseHeaderValueError| {
            NatsError::publish(format!("the value of `{name}` has a line break"))
        })?;
        headers.get_or_insert_default().insert(name, value);
        Ok(())
    };
    if let Some(stream) = expected_stream {
        add(NATS_EXPECTED_STREAM, HeaderValue::from_str(stream))?;
    }
    let Some(options) = options else {
        return Ok(());
    };
    if let Some(id) = &options.message_id {
        add(NATS_MESSAGE_ID, HeaderValue::from_str(id))?;
    }
    if let Some(sequence) = options.expect_last_sequence {
        add(NATS_EXPECTED_LAST_SEQUENCE, Ok(HeaderValue::from(sequence)))?;
    }
    if let Some(sequence) = options.expect_last_subject_sequence {
        add(
            NATS_EXPECTED_LAST_SUBJECT_SEQUENCE,
            Ok(HeaderValue::from(sequence)),
        )?;
    }
    if let Some(id) = &options.expect_last_message_id {
        add(NATS_EXPECTED_LAST_MESSAGE_ID, HeaderValue::from_str(id))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    // NATS-108
    #[test]
    fn what_is_asked_travels_beside_the_applications_headers() {
        let mut headers = Some(HeaderMap::new());
        headers.get_or_insert_default().insert("trace", "7");
        let options = JetStreamOptions {
            message_id: Some("a-1".into()),
            expect_last_sequence: Some(4),
            expect_last_subject_sequence: Some(0),
            expect_last_message_id: Some("a-0".into()),
        };

        ask(&mut headers, Some("LEDGER"), Some(&options)).expect("carried");

        let headers = headers.expect("some");
        let expected = [
            ("trace", "7"),
            ("Nats-Expected-Stream", "LEDGER"),
            ("Nats-Msg-Id", "a-1"),
            ("Nats-Expected-Last-Sequence", "4"),
            ("Nats-Expected-Last-Subject-Sequence", "0"),
            ("Nats-Expected-Last-Msg-Id", "a-0"),
        ];
        for (name, value) in expected {
            assert_eq!(
                headers.get(name).map(HeaderValue::as_str),
                Some(value),
                "{name}"
            );
        }
        assert_eq!(headers.len(), expected.len());
    }

    // NATS-110
    #[test]
    fn nothing_asked_adds_nothing() {
        let mut headers = None;

        ask(&mut headers, None, None).expect("nothing");
        ask(&mut headers, None, Some(&JetStreamOptions::default())).expect("nothing");

        assert_eq!(headers, None);
    }

    // NATS-108, CORE-117, PUB-153
    #[test]
    fn an_identity_that_cannot_be_carried_fails_the_publish() {
        let options = JetStreamOptions {
            message_id: Some("a\r\nb".into()),
            ..JetStreamOptions::default()
        };

        let error = ask(&mut None, None, Some(&options)).expect_err("refused");

        assert!(matches!(error, NatsError::Publish(_)), "{error}");
    }
}
