//! Connections over TLS, with a certificate on each side.

use std::error::Error;

use async_nats::{ConnectError, ConnectErrorKind, ConnectOptions};
use ruststream::{Broker, Subscribe};
use ruststream_nats::{NatsBroker, NatsError};

use crate::support::{Authority, Server, next, on_every_server_with, publish, text, verifying};

async fn works(broker: NatsBroker) {
    let connected = broker.connect().await.expect("connects");
    let mut scans = connected.subscribe("scans").await.expect("opened");
    publish(&connected, "scans", "1").await;
    assert_eq!(text(&next(&mut scans).await), "1");
}

async fn refused(server: &Server, options: ConnectOptions) -> String {
    let broker = NatsBroker::new(server.url()).with_options(options);
    let error = broker.connect().await.expect_err("refused");
    assert!(matches!(error, NatsError::Connect(_)), "{error:?}");
    let cause = error.source().expect("a cause");
    let cause = cause
        .downcast_ref::<ConnectError>()
        .expect("the client's error");
    // The handshake is I/O to the client.
    let kinds = [ConnectErrorKind::Tls, ConnectErrorKind::Io];
    assert!(kinds.contains(&cause.kind()), "{error}");
    let said = error.to_string();
    let host = format!("at 127.0.0.1:{}", server.port());
    assert!(said.contains(&host), "{said}");
    said
}

// NATS-12, NATS-14, NATS-15
#[tokio::test]
async fn a_server_that_verifies_takes_a_certificate_of_its_authority_and_no_other() {
    let authority = Authority::new();
    let config = verifying(&authority.sign("server"), &authority.roots());
    on_every_server_with(&config, async |server| {
        let desk = authority.sign("desk");
        let trusting = || ConnectOptions::new().add_root_certificates(authority.roots());
        let with_desk = || trusting().add_client_certificate(desk.cert.clone(), desk.key.clone());

        works(NatsBroker::new(server.url()).with_options(with_desk())).await;
        // Asked for by the options, by the address, and by the server alone, as above.
        works(NatsBroker::new(server.url()).with_options(with_desk().require_tls(true))).await;
        let address = format!("tls://127.0.0.1:{}", server.port());
        works(NatsBroker::new(address).with_options(with_desk())).await;

        let said = refused(&server, trusting()).await;
        assert!(said.to_lowercase().contains("certificate"), "{said}");
        let elsewhere = Authority::new();
        let other = elsewhere.sign("desk");
        let foreign = trusting().add_client_certificate(other.cert.clone(), other.key.clone());
        refused(&server, foreign).await;
        // Neither does a client take a server of an authority that it does not know.
        let suspicious = ConnectOptions::new()
            .add_root_certificates(elsewhere.roots())
            .add_client_certificate(desk.cert.clone(), desk.key.clone());
        let said = refused(&server, suspicious).await;
        assert!(said.contains("UnknownIssuer"), "{said}");
    })
    .await;
}

// NATS-14, NATS-15
#[tokio::test]
async fn a_key_that_cannot_be_read_is_told_with_the_server_and_without_the_key() {
    let authority = Authority::new();
    let config = verifying(&authority.sign("server"), &authority.roots());
    on_every_server_with(&config, async |server| {
        let desk = authority.sign("desk");
        let options = ConnectOptions::new()
            .add_root_certificates(authority.roots())
            .add_client_certificate(desk.cert.clone(), desk.cert.clone());

        let said = refused(&server, options).await;

        assert!(said.contains("private key"), "{said}");
    })
    .await;
}
