use proptest::prelude::*;
use proptest::sample::select;
use ruststream_core::ServerSpec;

// CORE-231
#[test]
fn the_table_of_urls() {
    for (url, host) in [
        ("amqp://svc:pw@mq:5672/prod", "mq:5672"),
        ("amqp://svc:p@w@mq:5672", "mq:5672"),
        ("redis://:pw@cache:6379", "cache:6379"),
        ("nats://token@n1:4222", "n1:4222"),
        ("nats://n1:4222/a@b", "n1:4222"),
        ("nats://n1:4222/?t=a@b", "n1:4222"),
        ("nats://n1:4222#a@b", "n1:4222"),
        ("mq:5672", "mq:5672"),
        ("mqtt://u:p@edge", "edge"),
        ("amqp://[::1]:5672/v", "[::1]:5672"),
        ("amqp://u:p/w@mq:5672", "mq:5672"),
        ("", ""),
    ] {
        assert_eq!(ServerSpec::host_from_url(url), host, "{url}");
    }
}

// CORE-231: where the guard applies, and where it does not.
#[test]
fn a_cut_inside_a_password_is_recognised_by_what_cannot_be_a_port() {
    for (url, host) in [
        ("amqp://u:p?w@mq:5672", "mq:5672"),
        ("amqp://u:p#w@mq:5672/prod", "mq:5672"),
        ("amqp://u:/w@mq:5672", "mq:5672"),
        ("amqp://u:12345678/w@mq:5672", "mq:5672"),
        ("amqp://u:a://w@mq:5672", "mq:5672"),
        ("amqp://u:p/w@[::1]:5672/v", "[::1]:5672"),
        ("amqp://[x]:p/w@mq:5672", "mq:5672"),
        ("amqp://u@example.org:p/w@mq:5672", "mq:5672"),
        ("amqp://u:p@[::1]/a@b", "[::1]"),
        ("nats://u:p@h1:4222,nats://u:p@h2:4222", "h2:4222"),
        ("amqp://[::1]/a@b", "[::1]"),
        ("amqp://[fe80::1%25eth0]:5672/a@b", "[fe80::1%25eth0]:5672"),
        ("amqp://edge/a@b", "edge"),
        ("h1:9092,h2:9092", "h1:9092,h2:9092"),
        ("mongodb://u:p@h1:1,h2:2/db", "h1:1,h2:2"),
    ] {
        assert_eq!(ServerSpec::host_from_url(url), host, "{url}");
    }
}

// CORE-231: never a failure.
#[test]
fn text_that_is_no_url_gives_something() {
    for text in [
        "://",
        "@",
        "@@",
        ":",
        "/",
        "[",
        "]",
        "[]",
        "a:@",
        "://:@:/",
        "é://ü:ß@ö",
    ] {
        let _ = ServerSpec::host_from_url(text);
    }
}

/// An alphabet that no host, scheme, user or path below has a letter of.
const PASSWORD: &str = "[XYZ]{3,8}";

fn separator() -> impl Strategy<Value = String> {
    select(vec![
        "", "/", "?", "#", "@", ":", "%2F", "%40", "/@", ":/", "#?", "//",
    ])
    .prop_map(str::to_owned)
}

/// A password that begins with letters, with separators inside it, escaped and not.
///
/// Left out is what CORE-231 cannot tell from a host: an unescaped `/`, `?` or `#` behind an
/// unescaped `@`, which is a host with an `@` in its path.
fn password() -> impl Strategy<Value = String> {
    (PASSWORD, separator(), PASSWORD, separator(), PASSWORD)
        .prop_map(|(a, x, b, y, c)| format!("{a}{x}{b}{y}{c}"))
        .prop_filter("a cut behind an @", |password| {
            password
                .find('@')
                .is_none_or(|at| !password[at..].contains(['/', '?', '#']))
        })
}

fn host() -> impl Strategy<Value = String> {
    select(vec![
        "mq",
        "mq:5672",
        "10.0.0.1:6379",
        "[::1]:5672",
        "[2001:db8::1]",
        "a.b.example:1",
    ])
    .prop_map(str::to_owned)
}

fn user() -> impl Strategy<Value = String> {
    select(vec!["", "svc", "user@example.org", "s%2Fc"]).prop_map(str::to_owned)
}

fn path() -> impl Strategy<Value = String> {
    select(vec!["", "/", "/prod", "?t=1", "#f", "/prod?t=1#f"]).prop_map(str::to_owned)
}

prop_compose! {
    fn url()(
        scheme in select(vec!["", "amqp://", "nats+tls://"]),
        user in user(),
        password in password(),
        host in host(),
        path in path(),
    ) -> (String, String) {
        (format!("{scheme}{user}:{password}@{host}{path}"), host)
    }
}

/// A part of a password, long enough to be one.
fn leaks(text: &str) -> bool {
    text.as_bytes()
        .windows(3)
        .any(|part| part.iter().all(|byte| b"XYZ".contains(byte)))
}

proptest! {
    // CORE-230, CORE-231
    #[test]
    fn no_part_of_a_password_is_in_a_description((url, host) in url()) {
        let spec = ServerSpec::from_url(&url, "amqp");

        prop_assert_eq!(spec.host.as_deref(), Some(&*host));
        prop_assert!(!leaks(&format!("{spec:?}")), "{spec:?}");
    }

    // CORE-230, CORE-232
    #[test]
    fn nor_in_that_of_a_cluster(urls in proptest::collection::vec(url(), 1..4)) {
        let spec = ServerSpec::from_urls(urls.iter().map(|(url, _)| url), "amqp");

        let hosts: Vec<_> = urls.iter().map(|(_, host)| &**host).collect();
        prop_assert_eq!(spec.host.as_deref(), Some(&*hosts.join(",")));
        prop_assert!(!leaks(&format!("{spec:?}")), "{spec:?}");
    }

    // CORE-231
    #[test]
    fn no_text_makes_it_fail_and_what_it_gives_is_part_of_it(text in ".{0,60}") {
        let host = ServerSpec::host_from_url(&text);

        prop_assert!(text.contains(&host));
        prop_assert!(!host.contains(['@', '/', '?', '#']));
    }
}
