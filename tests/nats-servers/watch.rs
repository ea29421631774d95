//! The end of a server whose test is killed.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A shell that waits for the end of this process, and then ends a server and removes its files.
///
/// NOTE: it learns of the end by its standard input, whose other end this process alone holds. It is
/// ended before its server is reaped, so the id it knows is never another process's.
pub(crate) struct Watch(Child);

const SCRIPT: &str = "read -r _; kill -9 \"$0\"; rm -rf -- \"$1\"";

impl Watch {
    pub(crate) fn over(server: &Child, home: &Path) -> io::Result<Self> {
        let watching = Command::new("sh")
            .args(["-c", SCRIPT])
            .arg(server.id().to_string())
            .arg(home)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self(watching))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ended = self.0.kill();
        let _reaped = self.0.wait();
    }
}
