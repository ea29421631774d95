//! What the server says of a pull instead of sending messages.

use async_nats::{Message, StatusCode};

/// A status message, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Status {
    /// Nothing to send, but the pull stands.
    Idle,
    /// The pull is over; so many of its messages will not come. `None`: all that it asked for.
    Over { unsent: Option<usize> },
    /// All pulls are gone, through no fault of the consumer: pull again once the server answers.
    Gone,
    /// The consumer does not exist any more.
    Deleted,
    /// Nobody serves the consumer; all pulls are gone.
    NobodyServes,
    /// The pull was refused.
    Refused { unsent: Option<usize> },
}

impl Status {
    pub(super) fn read(code: StatusCode, message: &Message) -> Self {
        let description = message.description.as_deref().unwrap_or_default();
        let unsent = unsent(message);
        match code {
            StatusCode::IDLE_HEARTBEAT => Self::Idle,
            StatusCode::NOT_FOUND | StatusCode::TIMEOUT => Self::Over { unsent },
            StatusCode::NO_RESPONDERS => Self::NobodyServes,
            StatusCode::REQUEST_TERMINATED => match description {
                "Consumer Deleted" => Self::Deleted,
                "Server Shutdown" | "Leadership Change" => Self::Gone,
                "Batch Completed" | "Message Size Exceeds MaxBytes" => Self::Over { unsent },
                _ => Self::Refused { unsent },
            },
            _ => Self::Refused { unsent },
        }
    }
}

fn unsent(message: &Message) -> Option<usize> {
    let pending = message.headers.as_ref()?.get("Nats-Pending-Messages")?;
    pending.as_str().parse().ok()
}
