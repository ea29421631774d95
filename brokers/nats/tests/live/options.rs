//! What the client's options and the list of addresses do to a connection.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use async_nats::ConnectOptions;
use futures_util::StreamExt;
use ruststream::{Broker, RequestReply};
use ruststream_nats::{ConnectedNatsBroker, NatsBroker, NatsError, NatsPublish};
use ruststream_nats_servers::binaries;

use crate::support::{
    SOON, Server, connect, message, next, on_every_server, on_every_server_with, publish, raw,
    text, within,
};

async fn with(server: &Server, options: ConnectOptions) -> Result<ConnectedNatsBroker, NatsError> {
    NatsBroker::new(server.url())
        .with_options(options)
        .connect()
        .await
}

async fn refused(server: &Server, options: ConnectOptions) {
    let error = with(server, options).await.expect_err("refused");
    assert!(matches!(error, NatsError::Connect(_)), "{error}");
    assert!(std::error::Error::source(&error).is_some());
}

fn user(password: &str) -> ConnectOptions {
    ConnectOptions::with_user_and_password("desk".into(), password.into())
}

// NATS-13
#[tokio::test]
async fn addresses_are_tried_in_the_written_order_where_the_options_keep_it() {
    for binary in binaries() {
        let (first, second) = (Server::start(&binary), Server::start(&binary));
        let list = format!("{},{}", first.url(), second.url());
        let ports = async |list: &str| {
            let mut ports = Vec::new();
            for _ in 0..8 {
                let options = ConnectOptions::new().retain_servers_order();
                let broker = NatsBroker::new(list).with_options(options);
                let connected = broker.connect().await.expect("connects");
                ports.push(connected.client().server_info().port);
            }
            ports
        };

        assert_eq!(ports(&list).await, [first.port(); 8]);
        let with_a_dead_one = format!("nats://127.0.0.1:1,{},{}", second.url(), first.url());
        assert_eq!(ports(&with_a_dead_one).await, [second.port(); 8]);
    }
}

// NATS-14
#[tokio::test]
async fn the_last_options_replace_those_before() {
    let config = "authorization { user: desk, password: s3cret }";
    on_every_server_with(config, async |server| {
        let broker = NatsBroker::new(server.url());
        let right = broker.clone().with_options(user("wrong"));
        let right = right.with_options(user("s3cret"));
        right.connect().await.expect("connects");

        let wrong = broker.clone().with_options(user("s3cret"));
        let wrong = wrong.with_options(ConnectOptions::new());
        let error = wrong.connect().await.expect_err("refused");
        assert!(matches!(error, NatsError::Connect(_)), "{error}");
    })
    .await;
}

// NATS-12, NATS-14
#[tokio::test]
async fn a_token_authenticates_from_the_options_and_from_the_address() {
    on_every_server_with("authorization { token: s3cret }", async |server| {
        with(&server, ConnectOptions::with_token("s3cret".into()))
            .await
            .expect("connects");
        let address = format!("nats://s3cret@127.0.0.1:{}", server.port());
        NatsBroker::new(address).connect().await.expect("connects");
        refused(&server, ConnectOptions::with_token("wrong".into())).await;
        refused(&server, ConnectOptions::new()).await;
    })
    .await;
}

// NATS-12
#[tokio::test]
async fn the_first_credentials_of_a_list_are_for_each_address_with_escapes_undone() {
    let config = "authorization { user: desk, password: \"s@c:3t\" }";
    on_every_server_with(config, async |server| {
        let here = format!("127.0.0.1:{}", server.port());
        let list = format!("nats://127.0.0.1:1,nats://desk:s%40c%3A3t@127.0.0.1:1,{here}");
        let broker = NatsBroker::new(list);

        broker.clone().connect().await.expect("connects");

        let anonymous = broker.with_options(ConnectOptions::new());
        let error = anonymous.connect().await.expect_err("refused");
        assert!(matches!(error, NatsError::Connect(_)), "{error}");
    })
    .await;
}

// NATS-14
#[tokio::test]
async fn a_callback_authenticates_each_connection() {
    let config = "authorization { user: desk, password: s3cret }";
    on_every_server_with(config, async |server| {
        let options = ConnectOptions::with_auth_callback(async move |_nonce| {
            let mut auth = async_nats::Auth::new();
            auth.username = Some("desk".to_owned());
            auth.password = Some("s3cret".to_owned());
            Ok(auth)
        });

        with(&server, options).await.expect("connects");
    })
    .await;
}

// NATS-14
#[tokio::test]
async fn the_server_is_told_the_name_of_the_client() {
    on_every_server_with("trace: true", async |server| {
        let _broker = with(&server, ConnectOptions::new().name("sorting desk"))
            .await
            .expect("connects");

        let named = r#""name":"sorting desk""#;
        assert!(server.log().contains(named), "{}", server.log());
    })
    .await;
}

// NATS-14, NATS-130
#[tokio::test]
async fn replies_come_under_the_inbox_prefix_of_the_options() {
    on_every_server(async |server| {
        let beside = raw(&server).await;
        let mut requests = beside.subscribe("echo").await.expect("subscribed");
        let _nobody = beside.request("nobody.at.all", "".into()).await;
        let options = ConnectOptions::new().custom_inbox_prefix("desk");
        let broker = with(&server, options).await.expect("connects");
        let requester = broker.publisher(NatsPublish);

        let asking = tokio::spawn(async move {
            let asked = requester.request(message("echo", "1"), SOON);
            text(&asked.await.expect("answered"))
        });
        let request = within(SOON, "the request", requests.next()).await;
        let request = request.expect("received");
        let inbox = request.reply.expect("an inbox");
        assert!(inbox.starts_with("desk."), "{inbox}");
        beside.publish(inbox, "2".into()).await.expect("answered");

        assert_eq!(asking.await.expect("asked"), "2");
    })
    .await;
}

// NATS-14, NATS-15: a failure of TLS
#[tokio::test]
async fn a_server_without_tls_is_refused_where_the_options_require_it() {
    on_every_server(async |server| {
        refused(&server, ConnectOptions::new().require_tls(true)).await;
    })
    .await;
}

// NATS-15: the client's connection timeout bounds the connect
#[tokio::test]
async fn an_address_that_never_answers_is_given_up_after_the_connection_timeout() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = silent.local_addr().expect("its address");
    let options = ConnectOptions::new().connection_timeout(Duration::from_millis(300));
    let broker = NatsBroker::new(format!("nats://{address}")).with_options(options);
    let since = Instant::now();

    let error = broker.connect().await.expect_err("nobody answers");

    assert!(matches!(error, NatsError::Connect(_)), "{error}");
    assert!(since.elapsed() >= Duration::from_millis(300));
}

// NATS-14, NATS-131: neither does the client's request timeout cut a request short
#[tokio::test]
async fn the_request_timeout_of_the_options_is_not_the_requests() {
    on_every_server(async |server| {
        let beside = raw(&server).await;
        let mut requests = beside.subscribe("slow").await.expect("subscribed");
        let _nobody = beside.request("nobody.at.all", "".into()).await;
        tokio::spawn(async move {
            let request = requests.next().await.expect("received");
            tokio::time::sleep(Duration::from_millis(600)).await;
            let inbox = request.reply.expect("an inbox");
            beside.publish(inbox, "late".into()).await.expect("sent");
        });
        let options = ConnectOptions::new().request_timeout(Some(Duration::from_millis(100)));
        let broker = with(&server, options).await.expect("connects");

        let answer = broker.publisher(NatsPublish);
        let answer = answer.request(message("slow", "1"), SOON).await;

        assert_eq!(text(&answer.expect("answered")), "late");
    })
    .await;
}

// NATS-14: a ping interval keeps an idle connection; it is the client's, and nothing of ours
#[tokio::test]
async fn an_idle_connection_is_kept() {
    on_every_server_with("ping_interval: \"100ms\"\nping_max: 2", async |server| {
        let broker = connect(&server).await;
        let mut subscriber = ruststream::Subscribe::subscribe(&broker, "scans")
            .await
            .expect("opened");

        tokio::time::sleep(Duration::from_secs(1)).await;

        publish(&broker, "scans", "1").await;
        assert_eq!(text(&next(&mut subscriber).await), "1");
        let connects = &broker.client().statistics().connects;
        let connects = connects.load(std::sync::atomic::Ordering::Relaxed);
        assert_eq!(connects, 1);
    })
    .await;
}
