//! Which servers there are to test against.

use std::env;
use std::path::PathBuf;

use crate::Server;

/// The binaries, separated by colons.
const LISTED: &str = "RUSTSTREAM_NATS_SERVERS";
/// Set where a test without a server is a failure and not skipped.
const REQUIRED: &str = "RUSTSTREAM_REQUIRE_LIVE";

/// The binaries of `RUSTSTREAM_NATS_SERVERS`, separated by colons, else the one on the path.
///
/// # Panics
///
/// Where there is none and `RUSTSTREAM_REQUIRE_LIVE` is set.
#[must_use]
pub fn binaries() -> Vec<PathBuf> {
    let listed = env::var(LISTED).unwrap_or_default();
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
    if found.is_empty() {
        let hint = format!("no nats-server to test against: set {LISTED}=$(scripts/nats-servers)");
        let required = env::var(REQUIRED).is_ok_and(|set| !set.is_empty());
        assert!(!required, "{hint}");
        eprintln!("skipped: {hint}");
    }
    found
}

/// Runs `test` against a server of each version, one after the other.
pub async fn on_every_server(test: impl AsyncFn(Server)) {
    on_every_server_with("", test).await;
}

/// As [`on_every_server`], with lines added to the server's configuration.
pub async fn on_every_server_with(config: &str, test: impl AsyncFn(Server)) {
    for binary in binaries() {
        eprintln!("against {}", binary.display());
        Box::pin(test(Server::start_with(&binary, config))).await;
    }
}
