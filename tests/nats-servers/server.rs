//! One server.

use std::env;
use std::fmt;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::watch::Watch;

/// A server with streams and a store of its own, on a free port of the loopback interface.
pub struct Server {
    binary: PathBuf,
    home: PathBuf,
    port: u16,
    process: Option<Child>,
    watch: Option<Watch>,
}

impl Server {
    /// Starts the server of this binary.
    ///
    /// # Panics
    ///
    /// If it does not come up, with what it logged.
    #[must_use]
    pub fn start(binary: &Path) -> Self {
        Self::start_with(binary, "")
    }

    /// As [`start`](Self::start), with lines added to its configuration.
    ///
    /// # Panics
    ///
    /// If it does not come up, with what it logged.
    #[must_use]
    pub fn start_with(binary: &Path, config: &str) -> Self {
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
                watch: None,
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
        let process = process.expect("the server starts");
        let watch = Watch::over(&process, &self.home);
        self.watch = Some(watch.expect("a shell to watch it"));
        self.process = Some(process);
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

    /// Where clients connect.
    #[must_use]
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The port of it, kept over restarts.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The log, for what only the server knows.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.home.join("log")).unwrap_or_default()
    }

    /// Asks it to end, and waits for that.
    pub fn stop(&mut self) {
        self.signal("TERM");
        self.wait();
    }

    /// Puts it in lame-duck mode; it ends by itself.
    pub fn lame_duck(&mut self) {
        self.signal("USR2");
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        if let Some(process) = &mut self.process {
            let _ended = process.kill();
        }
        self.wait();
    }

    /// Runs it again, on the same port and store.
    ///
    /// # Panics
    ///
    /// If it does not come up, with what it logged.
    pub fn again(&mut self) {
        self.spawn();
        assert!(
            self.is_ready(),
            "the server did not come back: {}",
            self.log()
        );
    }

    /// Whether the process is gone.
    pub fn has_ended(&mut self) -> bool {
        let running = self.process.as_mut().map(Child::try_wait);
        !matches!(running, Some(Ok(None)))
    }

    fn wait(&mut self) {
        self.watch = None;
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

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("binary", &self.binary)
            .field("port", &self.port)
            .finish_non_exhaustive()
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
