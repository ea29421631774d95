//! The example as a process, asked as a scraper and a load balancer ask.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::process::{Child, ChildStderr, Command, Stdio};

struct Observed {
    child: Child,
    log: BufReader<ChildStderr>,
    address: String,
}

impl Observed {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_observed"))
            .arg("127.0.0.1:0")
            .env("RUST_LOG", "observed=info")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        let address = line
            .split("http://")
            .nth(1)
            .unwrap_or_else(|| panic!("{line}"));
        let address = address.trim().trim_end_matches('/').to_owned();
        Self {
            child,
            log,
            address,
        }
    }

    fn get(&self, page: &str) -> (u16, String, String) {
        let mut answer = ureq::get(format!("http://{}{page}", self.address))
            .call()
            .unwrap();
        let kind = answer.headers()["content-type"]
            .to_str()
            .unwrap()
            .to_owned();
        (
            answer.status().as_u16(),
            kind,
            answer.body_mut().read_to_string().unwrap(),
        )
    }

    /// Waits for the log line of the second alarm, by which the first one is done.
    fn alarmed(&mut self) {
        let mut line = String::new();
        while !line.contains("the cold store is too warm celsius=9.0") {
            line.clear();
            assert_ne!(self.log.read_line(&mut line).unwrap(), 0, "it ended");
        }
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// OBS-12, OBS-15, OBS-41, API-70
#[test]
fn a_scraper_and_a_load_balancer_get_what_they_ask_for() {
    let mut observed = Observed::start();
    observed.alarmed();

    let (status, kind, page) = observed.get("/metrics");
    assert_eq!((status, kind.as_str()), (200, "text/plain; version=0.0.4"));
    for line in [
        "# TYPE ruststream_messages_consumed_total counter",
        r#"ruststream_messages_consumed_total{name="alarms",status="ack"} "#,
        r#"ruststream_messages_published_total{name="alarms",status="ok"} "#,
        "# TYPE ruststream_consume_duration_seconds histogram",
    ] {
        assert!(
            page.lines().any(|told| told.starts_with(line)),
            "{line}: {page}"
        );
    }

    for page in ["/live", "/ready"] {
        assert_eq!(observed.get(page).0, 200, "{page}");
    }
    let (status, kind, document) = observed.get("/asyncapi.json");
    assert_eq!((status, kind.as_str()), (200, "application/json"));
    assert!(document.starts_with("{\n  \"asyncapi\": \"3.1.0\","));
    assert!(document.contains("readings"));
    let (status, kind, page) = observed.get("/");
    assert_eq!((status, kind.as_str()), (200, "text/html; charset=utf-8"));
    assert!(page.contains("<html") && page.contains("readings"));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_both_with_exit_code_0() {
    let mut observed = Observed::start();
    let id = observed.child.id().to_string();

    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );

    assert_eq!(observed.child.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    observed.log.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains("observed: "), "{rest}");
}

#[test]
fn a_port_in_use_is_one_line_and_exit_code_1() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();

    let output = Command::new(env!("CARGO_BIN_EXE_observed"))
        .arg(&address)
        .output()
        .unwrap();

    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.starts_with(&format!("observed: cannot listen on {address}: ")),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1, "{told}");
}

#[test]
fn an_option_is_one_line_and_exit_code_1() {
    let output = Command::new(env!("CARGO_BIN_EXE_observed"))
        .arg("--port=80")
        .output()
        .unwrap();

    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "observed: there is no option `--port=80`: the one argument is where to listen, such as \
         `127.0.0.1:8080`\n"
    );
}
