//! A server description never shows a password that stands in its URL's user information.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ruststream_core::ServerSpec;

fuzz_target!(|input: (&str, &str, &str)| {
    let (user, password, rest) = input;
    // Bytes of every kind must come back as text.
    let _ = ServerSpec::host_from_url(rest);
    // A password of its own alphabet, so that no part of the host can be taken for one of it.
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric());
    if password.len() < 3 || !plain(password) || !plain(user) {
        return;
    }
    let secret: String = password.chars().map(|c| if c.is_ascii_digit() { 'Q' } else { 'Z' }).collect();
    for separator in ["", "/", "?", "#", "@", ":", "%2F"] {
        let url = format!("nats://{user}:{secret}{separator}{secret}@n1.example:4222/path");
        let spec = ServerSpec::from_url(&url, "nats");
        assert!(!format!("{spec:?}").contains(&secret), "{url} shows as {spec:?}");
    }
});
