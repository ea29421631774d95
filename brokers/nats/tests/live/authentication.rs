//! Who connects: keys, tokens that an operator signed, and files of both.

use std::env;
use std::error::Error;
use std::fs;
use std::process;
use std::sync::Arc;

use async_nats::{ConnectError, ConnectErrorKind, ConnectOptions};
use nkeys::KeyPair;
use ruststream::{Broker, DescribeServer, IncomingMessage, Subscribe};
use ruststream_nats::{ConnectedNatsBroker, JetStreamSubject, NatsBroker, NatsError};

use crate::support::{
    Logs, Operator, Server, User, creds, next, on_every_server_with, publish, text,
};

fn broker(server: &Server, options: ConnectOptions) -> NatsBroker {
    NatsBroker::new(server.url()).with_options(options)
}

/// What is published is heard, and nothing that was shown on the way has one of `secrets` in it.
async fn works(server: &Server, options: ConnectOptions, secrets: &[&str]) -> ConnectedNatsBroker {
    let logs = Logs::start();
    let broker = broker(server, options);
    let mut shown = format!("{broker:?} {:?}", broker.describe_server());

    let connected = broker.connect().await.expect("connects");

    let mut scans = connected.subscribe("scans").await.expect("opened");
    publish(&connected, "scans", "1").await;
    assert_eq!(text(&next(&mut scans).await), "1");
    shown += &logs.all().concat();
    shows_none(&shown, secrets);
    let described = connected.server_spec();
    shows_none(&format!("{connected:?} {described:?} {scans:?}"), secrets);
    connected
}

/// The connect fails so, with where and why, and without one of `secrets`.
async fn refused(
    server: &Server,
    options: ConnectOptions,
    kind: ConnectErrorKind,
    secrets: &[&str],
) {
    let logs = Logs::start();

    let error = broker(server, options)
        .connect()
        .await
        .expect_err("refused");

    assert!(matches!(error, NatsError::Connect(_)), "{error:?}");
    let cause = error.source().expect("a cause");
    let cause = cause
        .downcast_ref::<ConnectError>()
        .expect("the client's error");
    assert_eq!(cause.kind(), kind, "{error}");
    let said = error.to_string();
    let host = format!("at 127.0.0.1:{}", server.port());
    assert!(said.starts_with("nats connect failed: "), "{said}");
    assert!(
        said.contains(&host) && said.contains(&kind.to_string()),
        "{said}"
    );
    let mut shown = format!("{error} {error:?}");
    shown += &logs.all().concat();
    shows_none(&shown, secrets);
}

fn shows_none(shown: &str, secrets: &[&str]) {
    for secret in secrets {
        assert!(!shown.contains(secret), "`{secret}` is in {shown}");
    }
}

// NATS-14, NATS-15, NATS-20
#[tokio::test]
async fn a_key_that_the_server_knows_connects_and_no_other_does() {
    let known = KeyPair::new_user();
    let config = format!(
        "authorization {{ users = [ {{ nkey: {} }} ] }}",
        known.public_key()
    );
    on_every_server_with(&config, async |server| {
        let seed = known.seed().expect("a seed");
        works(&server, ConnectOptions::with_nkey(seed.clone()), &[&seed]).await;

        let other = KeyPair::new_user().seed().expect("a seed");
        let unknown = ConnectOptions::with_nkey(other.clone());
        let kind = ConnectErrorKind::AuthorizationViolation;
        refused(&server, unknown, kind, &[&other]).await;

        let no_seed = format!("{}X", &seed[..seed.len() - 1]);
        let broken = ConnectOptions::with_nkey(no_seed.clone());
        refused(
            &server,
            broken,
            ConnectErrorKind::Authentication,
            &[&no_seed],
        )
        .await;
    })
    .await;
}

/// A `.creds` file of one test.
struct File(std::path::PathBuf);

impl File {
    fn with(text: &str) -> Self {
        let path = env::temp_dir().join(format!("ruststream-{}.creds", process::id()));
        fs::write(&path, text).expect("written");
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _gone = fs::remove_file(&self.0);
    }
}

// NATS-14, NATS-15, NATS-20
#[tokio::test]
async fn a_user_of_an_operator_connects_by_file_by_text_and_by_a_signature() {
    let operator = Operator::new();
    on_every_server_with(&operator.config(), async |server| {
        let user = operator.user(None);
        let (seed, token) = (user.seed(), user.token.clone());
        let secrets = [seed.as_str(), token.as_str()];

        let file = File::with(&user.creds());
        let from_file = ConnectOptions::with_credentials_file(&file.0).await;
        works(&server, from_file.expect("read"), &secrets).await;

        let from_text = ConnectOptions::with_credentials(&user.creds());
        let connected = works(&server, from_text.expect("read"), &secrets).await;
        // Its account has streams of its own, and the consumer belongs to it.
        let context = connected.jetstream();
        let config = async_nats::jetstream::stream::Config {
            name: "LEDGER".to_owned(),
            subjects: vec!["ledger.*".to_owned()],
            ..Default::default()
        };
        context.create_stream(config).await.expect("created");
        let source = JetStreamSubject::new("ledger.*", "LEDGER").durable("book");
        let mut ledger = connected.subscribe_with(source).await.expect("opened");
        publish(&connected, "ledger.a", "1").await;
        let delivery = next(&mut ledger).await;
        delivery.ack().await.expect("acknowledged");

        let key = Arc::new(KeyPair::from_seed(&seed).expect("a key"));
        let signed = ConnectOptions::with_jwt(token.clone(), move |nonce| {
            let key = Arc::clone(&key);
            async move { key.sign(&nonce).map_err(async_nats::AuthError::new) }
        });
        works(&server, signed, &secrets).await;
    })
    .await;
}

// NATS-15, NATS-20
#[tokio::test]
async fn a_token_that_is_not_the_operators_not_the_users_or_over_is_refused() {
    let operator = Operator::new();
    on_every_server_with(&operator.config(), async |server| {
        let (user, stranger) = (operator.user(None), User::stranger());
        let over = operator.user(Some(1_700_000_060));
        let stolen = creds(&user.token, &stranger.seed());
        for creds in [stranger.creds(), over.creds(), stolen] {
            let options = ConnectOptions::with_credentials(&creds).expect("read");
            let lines: Vec<_> = creds.lines().filter(|line| line.len() > 40).collect();
            assert_eq!(lines.len(), 2, "a token and a seed");

            let kind = ConnectErrorKind::AuthorizationViolation;
            refused(&server, options, kind, &lines).await;
        }
    })
    .await;
}
