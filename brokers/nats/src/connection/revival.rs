//! Another client in place of one whose task panicked.

use std::sync::{Arc, Weak};
use std::time::Duration;

use async_nats::{Client, ConnectOptions, ServerAddr};

use super::Connection;
use super::epoch::Epoch;
use super::replies::End;
use super::subscription::Subscription;
use crate::about::about;
use crate::error::NatsError;

const FIRST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_secs(4);

/// How a client is made.
pub(crate) struct Dial {
    pub(crate) addrs: Vec<ServerAddr>,
    /// The addresses as logs and errors tell them, without credentials.
    pub(crate) hosts: String,
    pub(crate) options: ConnectOptions,
}

impl Dial {
    pub(crate) async fn client(&self) -> Result<Client, NatsError> {
        let options = self.options.clone();
        let client = options.connect(self.addrs.as_slice()).await;
        client.map_err(|error| NatsError::connect(about(error, format!("at {}", self.hosts))))
    }
}

/// The epoch of that number has ended.
pub(super) fn ended(connection: &Weak<Connection>, number: u64, end: End) {
    let Some(connection) = connection.upgrade() else {
        return;
    };
    let server = connection.place();
    if connection.is_closed() {
        return connection.epochs.finish();
    }
    match end {
        End::Meant if connection.is_connected() => {
            tracing::warn!(
                target: "ruststream::nats", server,
                "the nats client was drained by another holder; its subscriptions end"
            );
            return connection.epochs.finish();
        }
        End::Meant => {
            tracing::error!(
                target: "ruststream::nats", server,
                "the nats client gave up reconnecting; its subscriptions end"
            );
            return connection.epochs.finish();
        }
        End::Accident if connection.dial.is_none() => {
            tracing::error!(
                target: "ruststream::nats", server,
                "the adopted nats client stopped at a frame that it cannot read; its subscriptions end"
            );
            return connection.epochs.finish();
        }
        End::Accident => {}
    }
    tracing::error!(
        target: "ruststream::nats", server,
        "the nats client stopped at a frame that it cannot read; connecting anew"
    );
    tokio::spawn(revive(Weak::clone(&connection.this), number));
}

async fn revive(connection: Weak<Connection>, number: u64) {
    let mut wait = FIRST_WAIT;
    loop {
        let Some(connection) = connection.upgrade() else {
            return;
        };
        let Some(dial) = connection.dial.as_ref().filter(|_| !connection.is_closed()) else {
            return connection.epochs.finish();
        };
        match dial.client().await {
            Ok(_) if connection.is_closed() => return connection.epochs.finish(),
            Ok(client) => {
                connection.epochs.succeed(Epoch::new(number + 1, client));
                tracing::info!(
                    target: "ruststream::nats", server = connection.place(), "connected anew"
                );
                return;
            }
            Err(error) => {
                tracing::warn!(target: "ruststream::nats", %error, "connecting anew failed");
            }
        }
        drop(connection);
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

impl Connection {
    /// Opens a subscription on the epoch after `epoch`; none if nothing follows.
    pub(crate) async fn reopen(
        self: Arc<Self>,
        subject: String,
        group: Option<String>,
        mut epoch: u64,
    ) -> Option<(Subscription, u64)> {
        while self.follows(epoch).await {
            match self.subscribe(&subject, group.as_deref()).await {
                Ok(opened) => return Some(opened),
                // That epoch is over as well.
                Err(_) => epoch = self.epoch().number(),
            }
        }
        None
    }

    /// Waits for the epoch after `number`; `false` if none follows.
    async fn follows(&self, number: u64) -> bool {
        let mut life = self.epochs.life();
        let settled = life.wait_for(|life| life.epoch > number || life.over).await;
        settled.is_ok_and(|life| life.epoch > number)
    }
}
