use std::{io, net::SocketAddr, sync::Arc};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::sync::mpsc::UnboundedSender;

use crate::{shelf::Shelf, wire};

/// The server; what it keeps, it keeps in memory.
#[derive(Debug)]
pub struct ToyServer {
    listener: TcpListener,
    shelf: Arc<Shelf>,
}

impl ToyServer {
    /// Listens at `address`; port 0 takes a free one.
    pub async fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        Ok(Self {
            listener,
            shelf: Arc::default(),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until a connection cannot be accepted. Dropping it leaves the accepted ones open.
    pub async fn run(self) -> io::Result<()> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            tokio::spawn(serve(stream, Arc::clone(&self.shelf)));
        }
    }
}

/// Serves one connection until it ends.
pub(crate) async fn serve<S>(stream: S, shelf: Arc<Shelf>)
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    let (out, mut lines) = wire::split(stream);
    while let Ok(Some(line)) = lines.next_line().await {
        let answer = match obey(&shelf, &out, &line) {
            Some(()) => "OK".to_owned(),
            None => format!("ERR no such frame or no such delivery: {line}"),
        };
        drop(out.send(answer));
    }
    shelf.queues().leave(&out);
}

fn obey(shelf: &Shelf, from: &UnboundedSender<String>, line: &str) -> Option<()> {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut queues = shelf.queues();
    match verb {
        "PUB" => {
            let (queue, letter) = rest.split_once(' ')?;
            queues.publish(queue, letter);
        }
        "SUB" => queues.subscribe(rest, from),
        "UNSUB" => queues.unsubscribe(rest, from),
        "ACK" | "DROP" => queues.settle(rest.parse().ok()?, false)?,
        "REQUEUE" => queues.settle(rest.parse().ok()?, true)?,
        "PING" => {}
        _ => return None,
    }
    Some(())
}
