//! Requests: answered, unanswered, and to nobody.

use std::fs;
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream as streams};
use ruststream::{Broker, HeaderMap, IncomingMessage, RequestReply};
use ruststream_nats::{ConnectedNatsBroker, NatsBroker, NatsError, NatsPublish, NatsPublisher};

use crate::support::{Server, connect, message, on_every_server, raw, stream, text};

/// Answers each request at `subject` after `delay`, with its payload.
async fn responder(server: &Server, subject: &'static str, delay: Duration) {
    let client = raw(server).await;
    let mut requests = client.subscribe(subject).await.expect("subscribed");
    client.flush().await.expect("flushed");
    // The answer proves that the server has registered the subscription.
    let _nobody = client.request("nobody.at.all", "".into()).await;
    tokio::spawn(async move {
        while let Some(request) = requests.next().await {
            let client = client.clone();
            tokio::spawn(async move {
                tokio::time::sleep(delay).await;
                let reply = request.reply.expect("an inbox");
                client
                    .publish(reply, request.payload)
                    .await
                    .expect("answered");
            });
        }
    });
}

async fn requester(server: &Server) -> (ConnectedNatsBroker, NatsPublisher) {
    let broker = connect(server).await;
    let requester = broker.publisher(NatsPublish);
    (broker, requester)
}

// NATS-130, NATS-T26
#[tokio::test]
async fn each_of_many_requests_gets_its_own_answer() {
    on_every_server(async |server| {
        responder(&server, "echo", Duration::ZERO).await;
        let (_broker, requester) = requester(&server).await;

        let answers = streams::iter(0..500).map(|number: u32| {
            let requester = requester.clone();
            async move {
                let asked = number.to_string();
                let answer = requester
                    .request(message("echo", &asked), Duration::from_secs(5))
                    .await;
                (asked, text(&answer.expect("answered")))
            }
        });
        let answers: Vec<_> = answers.buffer_unordered(64).collect().await;

        assert_eq!(answers.len(), 500);
        assert!(answers.iter().all(|(asked, answered)| asked == answered));
    })
    .await;
}

// NATS-132, NATS-T26
#[tokio::test]
async fn a_request_to_nobody_fails_at_once() {
    on_every_server(async |server| {
        let (_broker, requester) = requester(&server).await;
        let since = Instant::now();

        let error = requester
            .request(message("nobody", "1"), Duration::from_secs(30))
            .await;

        let error = error.expect_err("nobody there");
        assert!(matches!(error, NatsError::Publish(_)), "{error}");
        assert!(error.to_string().contains("no responders"), "{error}");
        assert!(
            since.elapsed() < Duration::from_secs(2),
            "{:?}",
            since.elapsed()
        );
    })
    .await;
}

// NATS-132: with no echo, the connection's own subscription is nobody
#[tokio::test]
async fn without_echo_its_own_subscription_does_not_answer() {
    on_every_server(async |server| {
        let options = async_nats::ConnectOptions::new().no_echo();
        let broker = NatsBroker::new(server.url()).with_options(options);
        let broker = broker.connect().await.expect("connects");
        let _own = ruststream::Subscribe::subscribe(&broker, "echo")
            .await
            .expect("opened");

        let asked = broker
            .publisher(NatsPublish)
            .request(message("echo", "1"), Duration::from_secs(5))
            .await;

        assert!(
            asked
                .expect_err("nobody else")
                .to_string()
                .contains("no responders")
        );
    })
    .await;
}

// NATS-131, NATS-T26
#[tokio::test]
async fn the_callers_timeout_is_the_only_one() {
    on_every_server(async |server| {
        responder(&server, "slow", Duration::from_secs(12)).await;
        let (_broker, requester) = requester(&server).await;
        let since = Instant::now();

        let early = requester
            .request(message("slow", "1"), Duration::from_millis(300))
            .await;
        assert!(matches!(early, Err(NatsError::RequestTimeout)), "{early:?}");
        assert!(since.elapsed() < Duration::from_secs(1));

        let answer = requester
            .request(message("slow", "2"), Duration::from_secs(15))
            .await;
        assert_eq!(text(&answer.expect("answered")), "2");
    })
    .await;
}

// NATS-133
#[tokio::test]
async fn an_answer_that_comes_too_late_is_nobodys() {
    on_every_server(async |server| {
        responder(&server, "slow", Duration::from_millis(500)).await;
        let (_broker, requester) = requester(&server).await;
        let ask =
            async |what: &str, timeout| requester.request(message("slow", what), timeout).await;

        let early = ask("1", Duration::from_millis(100)).await;
        assert!(matches!(early, Err(NatsError::RequestTimeout)), "{early:?}");
        // The first answer arrives while the second is waited for.
        let answer = ask("2", Duration::from_secs(5)).await;

        assert_eq!(text(&answer.expect("answered")), "2");
    })
    .await;
}

// NATS-133
#[tokio::test]
async fn a_request_that_cannot_be_sent_is_a_publish_error() {
    on_every_server(async |server| {
        let (_broker, requester) = requester(&server).await;
        let large = "x".repeat(1024 * 1024 + 1);
        let headers: HeaderMap = [("trace", "1\r\n2")].into_iter().collect();
        for refused in [
            message("a b", "1"),
            message("echo", &large),
            message("echo", "1").with_headers(headers),
        ] {
            let error = requester.request(refused, Duration::from_secs(5)).await;
            let error = error.expect_err("refused");
            assert!(matches!(error, NatsError::Publish(_)), "{error}");
        }
    })
    .await;
}

// NATS-134
#[tokio::test]
async fn a_stream_that_stores_the_request_answers_it() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let (_broker, requester) = requester(&server).await;

        let answer = requester
            .request(message("ledger.a", "1"), Duration::from_secs(5))
            .await;

        let answer = answer.expect("answered");
        assert!(
            text(&answer).contains(r#""stream":"LEDGER""#),
            "{}",
            text(&answer)
        );
        assert_eq!(answer.redelivery_count(), None);
    })
    .await;
}

/// What this process holds in memory, in KiB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("on Linux");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("the resident size");
    line.split_whitespace()
        .nth(1)
        .expect("a number")
        .parse()
        .expect("a number")
}

// Issue 6: 200,000 requests that are never answered
#[tokio::test]
async fn requests_that_are_never_answered_leave_nothing_behind() {
    on_every_server(async |server| {
        let client = raw(&server).await;
        let mut silent = client.subscribe("silent").await.expect("subscribed");
        let _nobody = client.request("nobody.at.all", "".into()).await;
        let taking = tokio::spawn(async move { while silent.next().await.is_some() {} });
        let (_broker, requester) = requester(&server).await;
        let ask = async |count: u32| {
            let asked = streams::iter(0..count).map(|_| {
                let requester = requester.clone();
                async move {
                    let answer = requester
                        .request(message("silent", "1"), Duration::from_millis(1))
                        .await;
                    assert!(
                        matches!(answer, Err(NatsError::RequestTimeout)),
                        "{answer:?}"
                    );
                }
            });
            asked.buffer_unordered(1000).collect::<Vec<()>>().await;
        };
        ask(20_000).await;
        let before = resident();

        ask(200_000).await;

        let grown = resident().saturating_sub(before);
        assert!(grown < 16 * 1024, "grown by {grown} KiB");
        taking.abort();
    })
    .await;
}
