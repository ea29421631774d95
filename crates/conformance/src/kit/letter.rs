use std::fmt::{self, Display};
use std::time::Duration;

use ruststream_core::{AckError, HeaderMap, OutgoingMessage, Publisher};

use super::{Sample, Step};

/// Publishes `payload` to `name`.
pub(crate) async fn send<P: Publisher>(
    publisher: &P,
    name: &str,
    payload: &[u8],
) -> Result<(), P::Error> {
    publisher
        .publish(OutgoingMessage::new(name, payload), None)
        .await
}

/// Publishes `payload` to `name` with headers.
pub(crate) async fn send_with<P: Publisher>(
    publisher: &P,
    name: &str,
    payload: &[u8],
    headers: HeaderMap,
) -> Result<(), P::Error> {
    let message = OutgoingMessage::new(name, payload).with_headers(headers);
    publisher.publish(message, None).await
}

/// Publishes `sample`, which must be taken, though its headers may be refused; what was taken of it.
pub(crate) async fn taken<P: Publisher>(
    step: Step<'_>,
    limit: Duration,
    publisher: &P,
    name: &str,
    sample: Sample,
    options: Option<&P::Options>,
) -> Sample {
    let [first, second, last] = sample.offers();
    for offer in [first, second] {
        let message =
            OutgoingMessage::new(name, &offer.payload).with_headers(offer.headers.clone());
        let publishing = publisher.publish(message, options);
        if step.within(limit, publishing).await.is_ok() {
            return offer;
        }
    }
    let message = OutgoingMessage::new(name, &last.payload).with_headers(last.headers.clone());
    step.done(limit, publisher.publish(message, options)).await;
    last
}

/// Waits for a settlement. Whether it took effect; `false` where the transport has none of its kind.
pub(crate) async fn settled(
    step: Step<'_>,
    limit: Duration,
    settlement: impl Future<Output = Result<(), AckError>>,
) -> bool {
    match step.within(limit, settlement).await {
        Err(AckError::Unsupported) => false,
        answer => {
            step.accepted(answer);
            true
        }
    }
}

/// A payload in a failure's message: readable, and not endless.
pub(crate) struct Shown<'p>(pub(crate) &'p [u8]);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ENOUGH: usize = 80;
        let start = &self.0[..self.0.len().min(ENOUGH)];
        write!(f, "\"{}\"", start.escape_ascii())?;
        if self.0.len() > ENOUGH {
            write!(f, ".. ({} bytes)", self.0.len())?;
        }
        Ok(())
    }
}
