use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use ruststream::{Broker, ConnectedBroker, DescribeServer, ServerSpec};
use tokio::{net::TcpStream, time::timeout};

use crate::link::Link;

/// How long connecting and shutting down may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// A toy server that is not connected to yet.
#[derive(Debug, Clone)]
pub struct ToyBroker(SocketAddr);

impl ToyBroker {
    /// The server that listens at `address`.
    pub const fn new(address: SocketAddr) -> Self {
        Self(address)
    }
}

impl Broker for ToyBroker {
    type Error = ToyError;
    type Connected = ConnectedToy;

    async fn connect(self) -> Result<ConnectedToy, ToyError> {
        let dialled = timeout(PATIENCE, TcpStream::connect(self.0)).await;
        match dialled.unwrap_or_else(|late| Err(late.into())) {
            Ok(stream) => Ok(ConnectedToy(Link::over(stream))),
            Err(error) => Err(ToyError::Connect(self.0, error)),
        }
    }
}

impl DescribeServer for ToyBroker {
    fn describe_server(&self) -> ServerSpec {
        ServerSpec::from_url(&self.0.to_string(), "toy")
    }
}

/// A live connection to a toy server.
#[derive(Debug)]
pub struct ConnectedToy(pub(crate) Arc<Link>);

impl ConnectedBroker for ConnectedToy {
    type Error = ToyError;
    type Closed = ();

    async fn shutdown(self) -> Result<(), ToyError> {
        // Answers come in order: this one says that the server has done all that was asked before.
        let flushed = timeout(PATIENCE, self.0.call("PING".to_owned())).await;
        self.0.close();
        flushed.unwrap_or(Err(ToyError::Closed))
    }
}

/// An operation on the toy broker that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToyError {
    /// Nobody answers at this address.
    #[error("no toy server answers at `{0}`: {1}")]
    Connect(SocketAddr, #[source] io::Error),
    /// The server did not do what it was asked; it says why.
    #[error("the toy server refused: {0}")]
    Refused(String),
    /// The connection was shut down or lost, or the server is silent.
    #[error("the connection to the toy server is closed")]
    Closed,
}
