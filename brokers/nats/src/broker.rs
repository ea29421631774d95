//! The broker before it is connected.

use async_nats::ConnectOptions;
use ruststream::{Broker, DescribeServer, ServerSpec};

use crate::addrs::Addrs;
use crate::connected::ConnectedNatsBroker;
use crate::connection::{Connection, Dial};
use crate::credentials;
use crate::error::NatsError;
use crate::link::Link;

/// A connection to NATS, described and not made yet.
///
/// Neither [`new`](Self::new) nor [`with_options`](Self::with_options) does I/O or needs a runtime.
///
/// ```
/// use ruststream::DescribeServer;
/// use ruststream_nats::NatsBroker;
///
/// let broker = NatsBroker::new("nats://user:secret@one:4222, nats://two:4222");
/// assert_eq!(broker.describe_server().host.as_deref(), Some("one:4222,two:4222"));
/// assert!(!format!("{broker:?}").contains("secret"));
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct NatsBroker {
    addrs: Addrs,
    options: Option<ConnectOptions>,
}

impl NatsBroker {
    /// A broker at one address, or at several separated by commas.
    ///
    /// An address is `nats://`, `tls://`, `ws://`, `wss://` or a bare `host[:port]`, with
    /// `user:password@` or `token@` where the server asks for it, special characters escaped with
    /// `%`. Of several, any one that answers is enough; the client tries them in an order of its own,
    /// and takes the first credentials among them to each.
    pub fn new(addrs: impl Into<String>) -> Self {
        Self {
            addrs: Addrs::new(addrs),
            options: None,
        }
    }

    /// Connects with these options: authentication, TLS, timeouts, reconnecting, the inbox prefix
    /// and the rest. They replace any set before, and the credentials of the addresses; the crate
    /// changes none of them.
    ///
    /// With `no_echo` a service hears none of its own Core publishes, its retry copies among them.
    /// `subscription_capacity` bounds what each subscription buffers, and how many requests may wait
    /// for their replies; the client drops what does not fit.
    pub fn with_options(self, options: ConnectOptions) -> Self {
        Self {
            options: Some(options),
            ..self
        }
    }

    /// The addresses, as they were configured.
    #[must_use]
    pub fn addrs(&self) -> &str {
        self.addrs.as_str()
    }

    /// What a connect needs, live and in process alike.
    pub(crate) fn into_dial(self) -> Result<Dial, NatsError> {
        let addrs = self.addrs.parse()?;
        let options = self.options;
        Ok(Dial {
            hosts: self.addrs.hosts(),
            options: options.unwrap_or_else(|| credentials::options(&addrs)),
            addrs,
        })
    }
}

impl Broker for NatsBroker {
    type Error = NatsError;
    type Connected = ConnectedNatsBroker;

    /// Connects once, on the current Tokio runtime, which becomes the broker's: all tasks of the
    /// client run there, whoever uses it.
    ///
    /// From then on the client reconnects by itself. With `retry_on_initial_connect` it does so from
    /// the start, and the first subscription waits for a server, without limit.
    ///
    /// # Errors
    ///
    /// [`NatsError::Connect`]: a bad address, no server answering within the options' connection
    /// timeout, refused authentication, a failure of TLS.
    async fn connect(self) -> Result<ConnectedNatsBroker, NatsError> {
        let dial = self.into_dial()?;
        let client = dial.client().await?;
        Ok(ConnectedNatsBroker::new(Link::Live(Connection::new(
            client,
            Some(dial),
        ))))
    }
}

impl DescribeServer for NatsBroker {
    fn describe_server(&self) -> ServerSpec {
        ServerSpec::new(self.addrs.hosts(), "nats")
    }
}
