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
}

impl Broker for ToyBroker {
    type Error = ToyError;
    type Connected = ConnectedToy;

    async fn connect(self) -> Result<ConnectedToy, ToyError> {
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
