//! The server: the memory broker, behind sockets.

use std::{collections::HashMap, io, net::SocketAddr, num::NonZeroUsize, pin::pin};

use futures_util::{StreamExt, stream, stream::BoxStream};
use ruststream::memory::{ConnectedMemoryBroker, MemoryBroker, MemoryMessage};
use ruststream::memory::{MemorySubscriber, Retaining, Retention};
use ruststream::{Broker, IncomingMessage, OutgoingMessage, Publisher, Subscribe, Subscriber};
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::{io::AsyncRead, io::AsyncWrite, select};
use tokio_stream::StreamMap;

use crate::wire;

pub(crate) type Bus = ConnectedMemoryBroker<Retaining>;

const GONE: &str = "that delivery is not out any more";

type Delivery = MemoryMessage<Retaining>;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Listens at `address`, in a task; port 0 takes a free one, which this returns.
pub async fn listen(address: impl ToSocketAddrs) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    // In process the log is what a test reads; here nobody does.
    let bus = MemoryBroker::retaining(Retention::Messages(NonZeroUsize::MIN));
    let bus = bus.connect().await.map_err(io::Error::other)?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(bus.clone(), stream));
        }
    });
    Ok(address)
}

/// Serves one connection until it ends.
pub(crate) async fn serve(bus: Bus, stream: impl AsyncRead + AsyncWrite + Send + 'static) {
    let (out, mut frames) = wire::split(stream);
    let mut session = Session::default();
    loop {
        let frame = select! {
            Some((reader, message)) = session.readers.next() => session.hand_out(&reader, message),
            frame = frames.next() => {
                let Some(Ok(frame)) = frame else { return };
                let obeyed = session.obey(&frame, &bus).await;
                obeyed.map_or_else(|reason| format!("ERR {reason}"), |()| "OK".to_owned())
            }
        };
        drop(out.send(frame));
    }
}

/// What a connection reads, and the deliveries that it has not settled.
#[derive(Default)]
struct Session {
    readers: StreamMap<String, BoxStream<'static, Delivery>>,
    held: HashMap<String, Delivery>,
    last: u64,
}

impl Session {
    fn hand_out(&mut self, reader: &str, message: Delivery) -> String {
        self.last += 1;
        let letter = wire::letter(message.payload(), message.headers());
        self.held.insert(self.last.to_string(), message);
        format!("MSG {reader} {} {letter}", self.last)
    }

    async fn obey(&mut self, frame: &str, bus: &Bus) -> Result<(), BoxError> {
        let words: Vec<_> = frame.splitn(3, ' ').collect();
        match words[..] {
            ["PUB", topic, letter] => {
                let (topic, (payload, headers)) = (wire::text(topic), wire::read(letter));
                let message = OutgoingMessage::assembled(&topic, payload[..].into(), headers);
                bus.publisher().publish(message, None).await?;
            }
            ["SUB", reader, topic] => {
                let subscriber = bus.subscribe(&wire::text(topic)).await?;
                let next = async |mut subscriber: MemorySubscriber<Retaining>| {
                    let message = pin!(subscriber.stream()).next().await?.ok()?;
                    Some((message, subscriber))
                };
                let messages = stream::unfold(subscriber, next).boxed();
                self.readers.insert(reader.to_owned(), messages);
            }
            ["UNSUB", reader] => drop(self.readers.remove(reader)),
            ["ACK", id] => self.held.remove(id).ok_or(GONE)?.ack().await?,
            ["DROP", id] => self.held.remove(id).ok_or(GONE)?.nack(false).await?,
            ["REQUEUE", id] => self.held.remove(id).ok_or(GONE)?.nack(true).await?,
            ["PING"] => {}
            _ => return Err("no such frame".into()),
        }
        Ok(())
    }
}
