//! The service on NATS servers of the test's own.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::{Command, Output};
use std::thread;

use ruststream_nats_servers::{Server, binaries};

const WEEK: &str = "1707 received, 1679 handled, 28 dropped, 85 alerts\n\
                    top networks: ci 386, nc 370, ak 297\n";

fn quakes(url: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quakes"))
        .args(["run", "--nats", url])
        .env_remove("RUST_LOG")
        .output()
        .unwrap()
}

/// A connection that speaks the protocol by hand, and has subscribed to `subject`.
fn observer(server: &Server, subject: &str) -> BufReader<TcpStream> {
    let mut wire = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    write!(
        wire,
        "CONNECT {{\"verbose\":false}}\r\nSUB {subject} 1\r\nPING\r\n"
    )
    .unwrap();
    let mut reader = BufReader::new(wire);
    let mut line = String::new();
    while !line.starts_with("PONG") {
        line.clear();
        reader.read_line(&mut line).unwrap();
    }
    reader
}

// Issue 6: the example on NATS
#[test]
fn the_week_comes_to_the_same_numbers() {
    for binary in binaries() {
        let server = Server::start(&binary);
        let alerts = observer(&server, "quakes.alerts");
        let counting = thread::spawn(move || {
            let lines = alerts.lines().map_while(Result::ok);
            let heard = lines.filter(|line| line.starts_with("MSG quakes.alerts "));
            heard.take(85).count()
        });

        let output = quakes(&server.url());

        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{told}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), WEEK);
        assert_eq!(counting.join().unwrap(), 85, "they went over the server");
        // RUN-282: Core settles nothing, which each of two subscriptions says once.
        assert_eq!(told.matches("WARN").count(), 2, "{told}");
    }
}

#[test]
fn a_server_that_is_not_there_is_one_line() {
    let output = quakes("nats://127.0.0.1:1");

    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("quakes: "), "{told}");
    assert!(told.contains("nats connect"), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
}
