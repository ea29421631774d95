use std::time::Duration;

use ruststream::{Broker, DescribeServer, ServerSpec};
use tokio::{net::TcpStream, time::timeout};

use crate::{ConnectedToy, ToyError, link::Link};

/// How long connecting and shutting down may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// A toy server that is not connected to yet.
#[derive(Debug, Clone)]
pub struct ToyBroker(String);

impl ToyBroker {
    /// The server at `address`, written `host:port`.
    #[must_use]
    pub fn new(address: impl Into<String>) -> Self {
        Self(address.into())
    }

    /// What `connect` refuses before it dials is refused in process too.
    pub(crate) fn check(&self) -> Result<(), ToyError> {
        let (_, port) = self.0.rsplit_once(':').unwrap_or_default();
        let port = port.parse::<u16>();
        port.map(drop)
            .map_err(|_| ToyError::Address(self.0.clone()))
    }
}

impl Broker for ToyBroker {
    type Error = ToyError;
    type Connected = ConnectedToy;

    async fn connect(self) -> Result<ConnectedToy, ToyError> {
        self.check()?;
        let dialled = timeout(PATIENCE, TcpStream::connect(&self.0)).await;
        match dialled.unwrap_or_else(|late| Err(late.into())) {
            Ok(stream) => Ok(ConnectedToy::new(Link::over(stream))),
            Err(error) => Err(ToyError::Connect(self.0, error)),
        }
    }
}

impl DescribeServer for ToyBroker {
    fn describe_server(&self) -> ServerSpec {
        ServerSpec::from_url(&self.0, "toy")
    }
}
