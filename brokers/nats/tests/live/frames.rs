//! Frames that no sensible publisher sends.

use std::time::{Duration, Instant};

use ruststream::{IncomingMessage, nonzero};
use ruststream_nats::{CoreWildcard, JetStreamSubject, NonZeroDuration};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::support::{Server, connect, next, on_every_server, publish, stream, text};

/// A connection that speaks the protocol by hand.
struct Wire(TcpStream);

impl Wire {
    async fn to(server: &Server) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", server.port()))
            .await
            .expect("connects");
        let mut wire = Self(stream);
        wire.send(b"CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true}\r\n")
            .await;
        wire
    }

    async fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.expect("sent");
    }

    async fn header_block(&mut self, subject: &str, block: &[u8], payload: &[u8]) {
        let total = block.len() + payload.len();
        self.send(format!("HPUB {subject} {} {total}\r\n", block.len()).as_bytes())
            .await;
        self.send(block).await;
        self.send(payload).await;
        self.send(b"\r\n").await;
    }

    /// Returns once the server has read everything.
    async fn flush(&mut self) {
        self.send(b"PING\r\n").await;
        let mut lines = BufReader::new(&mut self.0).lines();
        while let Some(line) = lines.next_line().await.expect("read") {
            if line == "PONG" {
                return;
            }
        }
    }
}

/// A good message after the frames arrives soon.
async fn survives(frames: impl AsyncFn(&mut Wire)) {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let source = CoreWildcard::new("scans.>");
        let mut subscriber = broker.subscribe_with(source).await.expect("opened");
        let mut wire = Wire::to(&server).await;

        frames(&mut wire).await;
        wire.flush().await;

        let since = Instant::now();
        // What is published while the client is away is lost; so it is published until it is heard.
        let beside = crate::support::raw(&server).await;
        let good = tokio::spawn(async move {
            loop {
                beside
                    .publish("scans.good", "good".into())
                    .await
                    .expect("sent");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
        while text(&next(&mut subscriber).await) != "good" {}
        good.abort();
        assert!(
            since.elapsed() < Duration::from_secs(5),
            "{:?}",
            since.elapsed()
        );
        // The broker's other handles work as well.
        publish(&broker, "scans.own", "own").await;
        while text(&next(&mut subscriber).await) != "own" {}
    })
    .await;
}

// Issue 6: raw frames
#[tokio::test]
async fn a_lone_carriage_return_in_a_header_value() {
    survives(async |wire| {
        wire.header_block("scans.bad", b"NATS/1.0\r\ntrace: a\rb\r\n\r\n", b"bad")
            .await;
    })
    .await;
}

// Issue 6: raw frames
#[tokio::test]
async fn header_names_with_signs_and_without_letters() {
    survives(async |wire| {
        wire.header_block("scans.bad", b"NATS/1.0\r\n$x_y: 1\r\n\r\n", b"bad")
            .await;
        wire.header_block("scans.bad", b"NATS/1.0\r\nx.y: 1\r\n\r\n", b"bad")
            .await;
        wire.header_block("scans.bad", b"NATS/1.0\r\n: 1\r\n\r\n", b"bad")
            .await;
    })
    .await;
}

// Issue 6: raw frames
#[tokio::test]
async fn a_header_block_without_its_version_line() {
    survives(async |wire| {
        wire.header_block("scans.bad", b"trace: 1\r\n\r\n", b"bad")
            .await;
    })
    .await;
}

// Issue 6: raw frames
#[tokio::test]
async fn a_subject_that_is_not_utf8() {
    survives(async |wire| {
        wire.send(b"PUB scans.\xff\xfe 3\r\nbad\r\n").await;
    })
    .await;
}

// Issue 6: raw frames, in a stream, where the bad message comes again and again
#[tokio::test]
async fn a_message_of_a_stream_that_the_client_cannot_read_does_not_stop_the_others() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let source = JetStreamSubject::new("ledger.*", "LEDGER")
            .durable("book")
            .ack_wait(NonZeroDuration::from_secs(nonzero!(1)));
        let mut subscriber = broker.subscribe_with(source).await.expect("opened");
        publish(&broker, "ledger.a", "before").await;
        next(&mut subscriber)
            .await
            .ack()
            .await
            .expect("acknowledged");
        let mut wire = Wire::to(&server).await;

        wire.header_block("ledger.a", b"NATS/1.0\r\ntrace: a\rb\r\n\r\n", b"bad")
            .await;
        wire.flush().await;
        let beside = async_nats::jetstream::new(crate::support::raw(&server).await);
        beside
            .publish("ledger.a", "after".into())
            .await
            .expect("sent")
            .await
            .expect("stored");

        let since = Instant::now();
        while text(&next(&mut subscriber).await) != "after" {}
        assert!(
            since.elapsed() < Duration::from_secs(5),
            "{:?}",
            since.elapsed()
        );
    })
    .await;
}
