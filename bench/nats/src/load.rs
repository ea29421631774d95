//! What feeds or answers a run, in a process of its own.

use std::env;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use futures_util::StreamExt as _;

use crate::message::{body, options};

/// How many frames are written at once.
const BLOCK: usize = 200;

/// Writes so many frames to a socket, prebuilt, and waits for the server to have read them.
pub fn publish(url: &str, subject: &str, messages: &str, length: &str) {
    let messages: usize = messages.parse().expect("a number");
    let payload = body(length.parse().expect("a number"));
    let address = url.trim_start_matches("nats://");
    let mut socket = TcpStream::connect(address).expect("connects");
    let mut frame = format!("PUB {subject} {}\r\n", payload.len()).into_bytes();
    frame.extend_from_slice(&payload);
    frame.extend_from_slice(b"\r\n");
    let block = frame.repeat(BLOCK);

    socket
        .write_all(b"CONNECT {\"verbose\":false,\"pedantic\":false}\r\n")
        .expect("written");
    let mut left = messages;
    while left > 0 {
        let now = left.min(BLOCK);
        socket
            .write_all(&block[..frame.len() * now])
            .expect("written");
        left -= now;
    }
    socket.write_all(b"PING\r\n").expect("written");
    let mut lines = BufReader::new(&mut socket).lines();
    let pong = lines.find(|line| line.as_ref().is_ok_and(|line| line == "PONG"));
    pong.expect("the server has read all").expect("read");
}

/// Answers every request at `subject` with its payload, until it is ended.
pub fn respond(url: &str, subject: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let client = Box::pin(options().connect(url)).await.expect("connects");
        let mut requests = client.subscribe(subject.to_owned()).await.expect("opened");
        let _nobody = client.request("nobody.at.all", "".into()).await;
        println!("ready");
        while let Some(request) = requests.next().await {
            let inbox = request.reply.expect("an inbox");
            client
                .publish(inbox, request.payload)
                .await
                .expect("answered");
        }
    });
}

/// A process beside the run; ended with it.
pub struct Beside(Child);

impl Beside {
    /// Publishes `messages` bodies of `length` bytes.
    pub fn publishing(url: &str, subject: &str, messages: u64, length: usize) -> Self {
        let (messages, length) = (messages.to_string(), length.to_string());
        Self::start(&["load", url, subject, &messages, &length])
    }

    /// Answers at `subject`.
    pub fn responding(url: &str, subject: &str) -> Self {
        let mut beside = Self::start(&["respond", url, subject]);
        let mut ready = [0; 6];
        let stdout = beside.0.stdout.as_mut().expect("piped");
        stdout.read_exact(&mut ready).expect("it says so");
        beside
    }

    fn start(args: &[&str]) -> Self {
        let this = env::current_exe().expect("this program");
        let child = Command::new(this).args(args).stdout(Stdio::piped()).spawn();
        Self(child.expect("a process"))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ended = self.0.kill();
        let _reaped = self.0.wait();
    }
}
