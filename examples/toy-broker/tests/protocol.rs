//! The protocol as it is on the wire.

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use toy_broker::server;

struct Session {
    lines: Lines<BufReader<OwnedReadHalf>>,
    out: OwnedWriteHalf,
}

impl Session {
    async fn open() -> Self {
        let address = server::listen("127.0.0.1:0").await.expect("a free port");
        let (reading, out) = TcpStream::connect(address)
            .await
            .expect("connected")
            .into_split();
        let lines = BufReader::new(reading).lines();
        Self { lines, out }
    }

    async fn says(&mut self, frame: &str) {
        self.out
            .write_all(format!("{frame}\n").as_bytes())
            .await
            .expect("sent");
    }

    async fn hears(&mut self, frame: &str) {
        let line = self.lines.next_line().await.expect("readable");
        assert_eq!(line.as_deref(), Some(frame));
    }
}

#[tokio::test]
async fn a_message_comes_until_it_is_settled() {
    let mut session = Session::open().await;

    session.says("SUB 1 late%20orders").await;
    session.hears("OK").await;
    session
        .says("PUB late%20orders {\"number\":7} content-type application/json")
        .await;
    session.hears("OK").await;
    session
        .hears("MSG 1 1 {\"number\":7} content-type application/json")
        .await;

    session.says("REQUEUE 1").await;
    session.hears("OK").await;
    session
        .hears("MSG 1 2 {\"number\":7} content-type application/json")
        .await;
    session.says("ACK 2").await;
    session.hears("OK").await;
}

#[tokio::test]
async fn a_message_that_nobody_reads_goes_nowhere() {
    let mut session = Session::open().await;

    session.says("PUB orders early").await;
    session.hears("OK").await;
    session.says("SUB 1 orders").await;
    session.hears("OK").await;
    session.says("UNSUB 1").await;
    session.hears("OK").await;
    session.says("PUB orders late").await;
    session.hears("OK").await;
    session.says("PING").await;
    session.hears("OK").await;
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_and_the_connection_goes_on() {
    let mut session = Session::open().await;

    for (frame, answer) in [
        ("", "ERR no such frame"),
        ("HELLO", "ERR no such frame"),
        ("PUB orders", "ERR no such frame"),
        ("ACK 1", "ERR that delivery is not out any more"),
        ("ACK one", "ERR that delivery is not out any more"),
        ("PING", "OK"),
    ] {
        session.says(frame).await;
        session.hears(answer).await;
    }
}
