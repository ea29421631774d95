//! The scans of what is described (CONF-17, CONF-31, CONF-32).

use std::panic::catch_unwind;
use std::sync::Arc;

use ruststream_conformance::{harness, message_shape};
use ruststream_core::bindings::{Binding, Bindings};
use ruststream_core::{AddressedCopies, PairError, PublishPolicy, ServerSpec, SubscriptionSource};
use serde_json::json;

use super::support::*;

const SECRET: &str = r#"hun"ter\2"#;

/// A scan must fail, begin so, and not print the secret.
fn leaks(scan: impl FnOnce() + std::panic::UnwindSafe, start: &str) {
    let verdict = catch_unwind(scan);
    if let Err(panic) = &verdict {
        let message = panic
            .downcast_ref::<String>()
            .expect("the scan fails with a message");
        assert!(!message.contains(SECRET), "{message:?} prints the secret");
    }
    judged(verdict, start, &["it holds the secret"]);
}

/// Which of the three levels tells the secret.
#[derive(Clone, Copy, PartialEq)]
enum Level {
    None,
    Channel,
    Operation,
    Message,
}

/// Bindings that tell the secret in a value, or in a key.
fn telling(secret: bool) -> Bindings {
    let body = if secret {
        json!({"nested": [{"url": format!("toy://svc:{SECRET}@depot:1")}]})
    } else {
        json!({"queue": "letters"})
    };
    let binding = Binding::extension("x-toy", &body).expect("an extension with an object");
    Bindings::new().with(binding)
}

struct Described(Level);

impl SubscriptionSource<ConnectedToy> for Described {
    type Subscriber = <Slot as SubscriptionSource<ConnectedToy>>::Subscriber;
    type Copies = AddressedCopies;

    fn name(&self) -> &'static str {
        "letters"
    }

    async fn subscribe(self, connected: &ConnectedToy) -> Result<Self::Subscriber, ToyError> {
        <Slot>::new("letters").subscribe(connected).await
    }

    fn channel_bindings(&self) -> Bindings {
        telling(self.0 == Level::Channel)
    }

    fn operation_bindings(&self) -> Bindings {
        telling(self.0 == Level::Operation)
    }

    fn message_bindings(&self) -> Bindings {
        telling(self.0 == Level::Message)
    }
}

struct Server(fn() -> ServerSpec);

impl Twist for Server {
    fn server(&self) -> ServerSpec {
        (self.0)()
    }
}

fn described(server: fn() -> ServerSpec, level: Level) {
    let broker = ToyBroker::new(
        &World::new(Kind::Each),
        &(Arc::new(Server(server)) as Arc<dyn Twist>),
    );
    harness::describes_without_credentials(&broker, &Described(level), SECRET);
}

fn clean() -> ServerSpec {
    ServerSpec::from_url(&format!("toy://svc:{SECRET}@depot:1"), "toy")
}

// API-59
#[test]
fn descriptions_without_a_secret_pass() {
    described(clean, Level::None);
}

const LABEL: &str = "describes_without_credentials: ";

// API-59, CORE-244
#[test]
fn a_password_in_a_binding_of_a_source_also_where_json_escapes_it() {
    for (level, place) in [
        (Level::Channel, "the channel bindings"),
        (Level::Operation, "the operation bindings"),
        (Level::Message, "the message bindings"),
    ] {
        leaks(
            move || described(clean, level),
            &format!("{LABEL}{place}: "),
        );
    }
}

// API-59
#[test]
fn a_password_in_the_server_description() {
    let host = || ServerSpec::new(format!("svc:{SECRET}@depot:1"), "toy");
    let described_with = |server| move || described(server, Level::None);
    leaks(
        described_with(host),
        "describes_without_credentials: the server description: ",
    );
    let text = || clean().description(format!("log in with {SECRET}"));
    leaks(
        described_with(text),
        "describes_without_credentials: the server description: ",
    );
    let bindings = || clean().bindings(telling(true));
    leaks(
        described_with(bindings),
        "describes_without_credentials: the server description: ",
    );
}

// API-59
#[test]
fn a_password_in_a_key() {
    let keyed = || {
        let body = json!({ SECRET: true });
        let binding = Binding::extension("x-toy", &body).expect("an extension with an object");
        clean().bindings(Bindings::new().with(binding))
    };
    leaks(
        move || described(keyed, Level::None),
        "describes_without_credentials: the server",
    );
}

// API-59
#[test]
fn an_empty_secret() {
    let empty = || {
        let broker = ToyBroker::honest(Kind::Each);
        harness::describes_without_credentials(&broker, &<Slot>::new("letters"), "");
    };
    judged(
        catch_unwind(empty),
        "describes_without_credentials: the secret: it is empty",
        &[],
    );
}

// Publish policies.

struct Telling {
    level: Level,
    reply: Option<&'static str>,
}

impl PublishPolicy<ConnectedToy> for Telling {
    type Live = ToyPublisher;

    async fn pair(self, connected: &ConnectedToy) -> Result<ToyPublisher, PairError> {
        Ok(connected.publisher())
    }

    fn channel_bindings(&self, _: &str) -> Bindings {
        telling(self.level == Level::Channel)
    }

    fn operation_bindings(&self, _: &str) -> Bindings {
        telling(self.level == Level::Operation)
    }

    fn message_bindings(&self, _: &str) -> Bindings {
        telling(self.level == Level::Message)
    }

    fn reply_address_location(&self) -> Option<&'static str> {
        self.reply
    }
}

fn publishes(level: Level, reply: Option<&'static str>) {
    let policy = Telling { level, reply };
    message_shape::publishes_without_credentials::<ConnectedToy, _>(&policy, SECRET);
}

#[test]
fn policies_without_a_secret_pass() {
    publishes(Level::None, Some("$message.header#/reply-to"));
    publishes(Level::None, None);
}

// CORE-244
#[test]
fn a_password_in_a_binding_of_a_policy() {
    for (level, place) in [
        (Level::Channel, "the channel bindings"),
        (Level::Operation, "the operation bindings"),
        (Level::Message, "the message bindings"),
    ] {
        let start = format!("publishes_without_credentials: {place}: ");
        leaks(move || publishes(level, None), &start);
    }
}

#[test]
fn a_password_in_a_reply_location() {
    let start = "publishes_without_credentials: the reply address location: ";
    leaks(
        || publishes(Level::None, Some(r#"toy://svc:hun"ter\2@depot"#)),
        start,
    );
}

// Several addresses.

fn addresses(describe: fn(&[&str]) -> ServerSpec) {
    struct Spec(ServerSpec);
    impl Twist for Spec {
        fn server(&self) -> ServerSpec {
            self.0.clone()
        }
    }
    let make = |urls: &[&str]| {
        let twist: Arc<dyn Twist> = Arc::new(Spec(describe(urls)));
        ToyBroker::new(&World::new(Kind::Each), &twist)
    };
    message_shape::describes_addresses_without_credentials(make, "toy");
}

const ADDRESSES: &str = "describes_addresses_without_credentials: the server description: ";

#[test]
fn several_addresses_described_by_their_hosts_pass() {
    addresses(|urls| ServerSpec::from_urls(urls, "toy"));
    addresses(|urls| ServerSpec::from_url(urls[1], "toy"));
}

#[test]
fn userinfo_in_one_of_several_addresses() {
    leaks(
        || {
            addresses(|urls| {
                let [first, second, third] = urls else {
                    unreachable!("three are handed over")
                };
                let hosts = [first, third].map(|url| ServerSpec::host_from_url(url));
                let second = second.trim_start_matches("toy://");
                ServerSpec::new([hosts[0].as_str(), second, &hosts[1]].join(","), "toy")
            });
        },
        ADDRESSES,
    );
}

#[test]
fn no_address_described() {
    let verdict = catch_unwind(|| addresses(|_| ServerSpec::new("depot", "toy")));
    judged(
        verdict,
        ADDRESSES,
        &["there is none", "by its host and port"],
    );
}
