//! What a killed test leaves behind: nothing.

use std::env;
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ruststream_nats_servers::{Server, binaries};

const STARTED: &str = "RUSTSTREAM_NATS_SERVERS_STARTED";

/// A process with a server, which is killed by the test below.
#[test]
#[ignore = "a part of the test below"]
fn starts_a_server_and_stays() {
    if env::var_os(STARTED).is_none() {
        return;
    }
    let server = Server::start(&binaries()[0]);
    println!("port {}", server.port());
    thread::sleep(Duration::from_mins(1));
}

// NATS-T00
#[test]
fn a_server_ends_with_the_process_that_started_it() {
    if binaries().is_empty() {
        return;
    }
    let mut starting = Command::new(env::current_exe().expect("this test"))
        .args([
            "starts_a_server_and_stays",
            "--exact",
            "--ignored",
            "--nocapture",
        ])
        .env(STARTED, "1")
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process");
    let lines = BufReader::new(starting.stdout.take().expect("piped")).lines();
    let port: u16 = lines
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("port ").map(str::to_owned))
        .and_then(|port| port.parse().ok())
        .expect("its port");
    TcpStream::connect(("127.0.0.1", port)).expect("it runs");

    starting.kill().expect("killed");
    starting.wait().expect("ended");

    let deadline = Instant::now() + Duration::from_secs(10);
    while TcpStream::connect(("127.0.0.1", port)).is_ok() {
        assert!(Instant::now() < deadline, "the server lives on");
        thread::sleep(Duration::from_millis(20));
    }
}
