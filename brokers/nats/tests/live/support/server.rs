//! A private server of one test.

use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The binaries of `RUSTSTREAM_NATS_SERVERS`, separated by colons, else the one on the path.
pub(crate) fn binaries() -> Vec<PathBuf> {
    let listed = env::var("RUSTSTREAM_NATS_SERVERS").unwrap_or_default();
    let mut found: Vec<PathBuf> = listed
        .split(':')
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
        .collect();
    if found.is_empty() {
        let path = env::var_os("PATH").unwrap_or_default();
        let directories = env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
        let on_the_path = directories
            .map(|directory| directory.join("nats-server"))
            .find(|file| file.is_file());
        found.extend(on_the_path);
    }
    assert!(
        !found.is_empty(),
        "no nats-server to test against: set RUSTSTREAM_NATS_SERVERS=$(scripts/nats-servers)"
    );
    found
}

/// Runs `test` against a server of each version, one after the other.
pub(crate) async fn on_every_server(test: impl AsyncFn(Server)) {
    for binary in binaries() {
        eprintln!("against {}", binary.display());
        Box::pin(test(Server::start(&binary))).await;
    }
}

/// As [`on_every_server`], with lines added to the server's configuration.
pub(crate) async fn on_every_server_with(config: &str, test: impl AsyncFn(Server)) {
    for binary in binaries() {
        eprintln!("against {}", binary.display());
        Box::pin(test(Server::start_with(&binary, config))).await;
    }
}

/// A server with JetStream and a store of its own, on a free port of the loopback interface.
pub(crate) struct Server {
    binary: PathBuf,
    home: PathBuf,
    port: u16,
    process: Option<Child>,
}

impl Server {
    pub(crate) fn start(binary: &Path) -> Self {
        Self::start_with(binary, "")
    }

    pub(crate) fn start_with(binary: &Path, config: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let home = env::temp_dir().join(format!("ruststream-nats-{}-{number}", std::process::id()));
        fs::create_dir_all(&home).expect("a directory of its own");
        for _ in 0..5 {
            let mut server = Self {
                binary: binary.to_owned(),
                home: home.clone(),
                port: free_port(),
                process: None,
            };
            server.write_config(config);
            server.spawn();
            if server.is_ready() {
                return server;
            }
            // Somebody took the port in between; the next try takes another.
            server.kill();
            std::mem::forget(server);
        }
        panic!(
            "no server came up: {}",
            fs::read_to_string(home.join("log")).unwrap_or_default()
        );
    }

    fn write_config(&self, extra: &str) {
        let store = self.home.join("store");
        let config = format!(
            "listen: 127.0.0.1:{}\njetstream {{ store_dir: \"{}\" }}\n{extra}\n",
            self.port,
            store.display()
        );
        fs::write(self.home.join("conf"), config).expect("the configuration");
    }

    fn spawn(&mut self) {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.home.join("log"))
            .expect("a log");
        let process = Command::new(&self.binary)
            .arg("-c")
            .arg(self.home.join("conf"))
            .stdout(log.try_clone().expect("the log"))
            .stderr(log)
            .stdin(Stdio::null())
            .spawn();
        self.process = Some(process.expect("the server starts"));
    }

    fn is_ready(&mut self) -> bool {
        let deadline = Instant::now() + Duration::from_secs(10);
        while Instant::now() < deadline {
            if let Ok(stream) = TcpStream::connect(("127.0.0.1", self.port)) {
                let mut line = String::new();
                let read = BufReader::new(stream).read_line(&mut line);
                if read.is_ok() && line.starts_with("INFO") {
                    return true;
                }
            }
            if self.has_ended() {
                return false;
            }
            thread::sleep(Duration::from_millis(20));
        }
        false
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// The log, for what only the server knows.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.home.join("log")).unwrap_or_default()
    }

    /// Asks it to end, and waits for that.
    pub(crate) fn stop(&mut self) {
        self.signal("TERM");
        self.wait();
    }

    /// Puts it in lame-duck mode; it ends by itself.
    pub(crate) fn lame_duck(&mut self) {
        self.signal("USR2");
    }

    /// Ends it at once.
    pub(crate) fn kill(&mut self) {
        if let Some(process) = &mut self.process {
            let _ended = process.kill();
        }
        self.wait();
    }

    /// Runs it again, on the same port and store.
    pub(crate) fn again(&mut self) {
        self.spawn();
        assert!(
            self.is_ready(),
            "the server did not come back: {}",
            self.log()
        );
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        let running = self.process.as_mut().map(Child::try_wait);
        !matches!(running, Some(Ok(None)))
    }

    fn wait(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _exit = process.wait();
        }
    }

    fn signal(&self, signal: &str) {
        let process = self.process.as_ref().expect("it runs");
        let sent = Command::new("kill")
            .arg(format!("-{signal}"))
            .arg(process.id().to_string())
            .status();
        assert!(sent.expect("kill runs").success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        if thread::panicking() {
            eprintln!("log of {}:\n{}", self.binary.display(), self.log());
        }
        let _gone = fs::remove_dir_all(&self.home);
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}
