//! Whatever the addresses are, no part of a password is shown.
#![cfg(feature = "testing")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use ruststream::DescribeServer;
use ruststream::testing::InProcess;
use ruststream_nats::NatsBroker;

/// An alphabet that no host, scheme, user or path below has a letter of.
const PASSWORD: &str = "[XYZ]{3,8}";

/// A part of a password, long enough to be one.
fn leaks(text: &str) -> bool {
    text.as_bytes()
        .windows(3)
        .any(|part| part.iter().all(|byte| b"XYZ".contains(byte)))
}

fn separator() -> impl Strategy<Value = &'static str> {
    select(vec![
        "", "/", "?", "#", "@", ":", ",", "%2F", "%40", "%2C", "/@", ":/", "#?", "//",
    ])
}

/// Left out is what CORE-231 cannot tell from a host: an unescaped `/`, `?` or `#` behind an
/// unescaped `@`, which is a host with an `@` in its path.
fn password() -> impl Strategy<Value = String> {
    (PASSWORD, separator(), PASSWORD, separator(), PASSWORD)
        .prop_map(|(a, x, b, y, c)| format!("{a}{x}{b}{y}{c}"))
        .prop_filter("a cut behind an @", |password| {
            password
                .find('@')
                .is_none_or(|at| !password[at..].contains(['/', '?', '#', ',']))
        })
}

prop_compose! {
    fn address()(
        scheme in select(vec!["", "nats://", "tls://", "http://"]),
        user in select(vec!["", "svc", "s%2Fc"]),
        password in password(),
        host in select(vec!["mq", "mq:4222", "10.0.0.1:4222", "[::1]:4222", "[2001:db8::1]", "a.b:1"]),
        path in select(vec!["", "/", "/prod", "?t=1"]),
    ) -> String {
        format!("{scheme}{user}:{password}@{host}{path}")
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // NATS-20, CORE-230, CORE-231, CORE-232
    #[test]
    fn no_part_of_a_password_is_shown_by_broker_description_or_error(
        addresses in vec(address(), 1..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let broker = NatsBroker::new(addresses.join(","));
        let server = broker.describe_server();
        for shown in [format!("{broker:?}"), format!("{server:?}")] {
            prop_assert!(!leaks(&shown), "{shown} shows a part of {addresses:?}");
        }
        let shown = match runtime.block_on(broker.connect_in_process()) {
            Ok(connected) => format!("{connected:?}"),
            Err(error) => format!("{error} {error:?}"),
        };
        prop_assert!(!leaks(&shown), "{shown} shows a part of {addresses:?}");
    }
}
