use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::sync::mpsc::UnboundedSender;

use crate::shelf::Shelf;
use crate::sync::lock;
use crate::wire::{self, Letter};

/// The server; what it keeps, it keeps in memory.
#[derive(Debug)]
pub struct ToyServer {
    listener: TcpListener,
    shelf: Arc<Mutex<Shelf>>,
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
pub(crate) async fn serve<S>(stream: S, shelf: Arc<Mutex<Shelf>>)
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    let (out, mut lines) = wire::split(stream);
    while let Ok(Some(line)) = lines.next_line().await {
        let answer = match obey(&mut lock(&shelf), &out, &line) {
            Ok(()) => "OK".to_owned(),
            Err(reason) => format!("ERR {reason}"),
        };
        drop(out.send(answer));
    }
    lock(&shelf).leave(&out);
}

fn obey(shelf: &mut Shelf, from: &UnboundedSender<String>, line: &str) -> Result<(), &'static str> {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    match verb {
        "PUB" => {
            let (queue, letter) = rest
                .split_once(' ')
                .ok_or("a message has a queue and a letter")?;
            // Kept and passed on as it came; what no reader can read is not taken.
            Letter::read(letter).ok_or("the letter cannot be read")?;
            shelf.publish(queue, letter);
        }
        "SUB" => shelf.subscribe(rest, from),
        "UNSUB" => shelf.unsubscribe(rest, from),
        "ACK" | "DROP" | "REQUEUE" => {
            let settled = rest
                .parse()
                .is_ok_and(|id| shelf.settle(id, verb == "REQUEUE"));
            settled
                .then_some(())
                .ok_or("that delivery is not out any more")?;
        }
        "PING" => {}
        _ => return Err("no such frame"),
    }
    Ok(())
}
