//! Deliveries of which no input can be made: lane by lane, policy by policy.

use std::time::Duration;

use ruststream::MessageInfo;
use ruststream::prelude::*;
use ruststream::runtime::{BrokerScope, Identity, RustStreamError, typed};
use ruststream::{ConnectedBroker, Subscribe};
use serde::Deserialize;

use crate::support::{
    Delivery, Journal, Letter, Logs, Transport, Weight, Yard, answers, lines, serve, service_with,
};

type Scope = BrokerScope<Yard, Identity, (), Journal>;
type Told<'a, 'c> = &'a mut Context<'c, (), Journal>;

/// It holds delays, so that every verdict shows.
const HOLDS: Transport = Transport {
    holds: true,
    ..Transport::PLAIN
};

#[derive(Debug, Deserialize, MessageInfo)]
struct Parcel(u32);

#[derive(Debug, Deserialized)]
#[wire(decode = digits)]
struct Digits(u32);

fn digits(payload: &[u8]) -> Result<Digits, std::num::ParseIntError> {
    String::from_utf8_lossy(payload).parse().map(Digits)
}

#[derive(Debug, Deserialize)]
struct Meta {
    tenant: u32,
}

#[derive(Debug, InMessages)]
#[in_messages(header = "kind")]
enum Goods {
    #[in_messages(value = "parcel")]
    Parcel(Parcel),
}

macro_rules! bodies {
    ($($single:ident $batch:ident over $input:ty, $item:ident => $number:expr;)+) => {$(
        #[subscriber("parcels")]
        async fn $single($item: &$input, ctx: &mut Context<'_, (), Journal>) {
            ctx.state().note(format!("body {}", $number));
        }

        #[subscriber("parcels")]
        async fn $batch(items: &[$input], ctx: &mut Context<'_, (), Journal>) {
            let numbers: Vec<_> = items.iter().map(|$item| $number).collect();
            ctx.state().note(format!("body {numbers:?}"));
        }
    )+};
}

bodies! {
    decoded decoded_batch over Parcel, item => item.0;
    built built_batch over Digits, item => item.0;
    pair pair_batch over Message<Meta, Parcel>, item => { let _ = item.headers.tenant; item.body.0 };
    set set_batch over Goods, item => { let Goods::Parcel(parcel) = item; parcel.0 };
    carried carried_batch over Weight, item => item.0;
}

#[subscriber("parcels")]
async fn extracted(id: &u32, ctx: &mut Context<'_, (), Journal>, Headers(meta): Headers<Meta>) {
    let _ = meta.tenant;
    ctx.state().note(format!("body {id}"));
}

/// Every lane reads it.
fn good(id: u32) -> Letter {
    Letter::new(id)
        .with("kind", "parcel")
        .with("tenant", "1")
        .with("weight", id.to_string())
}

/// The good one, with something taken away.
fn without(header: &str) -> Letter {
    let mut letter = good(7);
    letter.headers.remove(header);
    letter
}

fn torn() -> Letter {
    Letter {
        payload: b"torn".into(),
        ..good(7)
    }
}

/// What is wrong, how it is told, the field that names the type, and the reason of a fail-fast.
struct Case {
    wrong: fn() -> Letter,
    log: &'static str,
    field: &'static str,
    reason: &'static str,
    mount: fn(&mut Scope, FailurePolicies),
}

macro_rules! cases {
    ($($wrong:expr, $log:literal, $field:literal, $reason:literal, $def:expr;)+) => {
        [$(Case {
            wrong: || $wrong,
            log: $log,
            field: $field,
            reason: $reason,
            mount: |b, policies| drop(b.include($def.on_failure(policies))),
        }),+]
    };
}

fn single() -> [Case; 9] {
    cases! {
        torn(), "codec decode failed", "message_type=", "decode failed: ", decoded;
        torn(), "payload construction failed", "message_type=", "payload construction failed: ", built;
        torn(), "codec decode failed", "message_type=", "decode failed: ", pair;
        without("tenant"), "typed header extraction failed", "headers_type=",
            "header extraction failed: ", pair;
        without("tenant"), "typed header extraction failed", "headers_type=",
            "header extraction failed: ", extracted;
        without("kind"), "codec decode failed", "message_type=",
            "decode failed: the message set `Goods` reads its variant from the `kind` header", set;
        without("weight"), "the delivery carries no value", "message_type=",
            "delivery carries no value: the delivery carries no `", carried;
        good(7).unreadable("torn in two"), "the broker reports the delivery does not decode",
            "message_type=", "decode failed: torn in two", carried;
        good(7).unreadable("torn in two"), "the broker reports the delivery does not decode",
            "message_type=", "decode failed: torn in two", built;
    }
}

/// How each policy settles; what is given back is looked at only once.
const SETTLED: [(FailurePolicy, &str); 4] = [
    (FailurePolicy::Drop, "drop"),
    (FailurePolicy::Retry, "requeue"),
    (
        FailurePolicy::RetryAfter(Duration::from_secs(5)),
        "after 5s",
    ),
    (FailurePolicy::Skip, "ack"),
];

// RUN-300 to RUN-303, RUN-432, RUN-480, CORE-181, trap 50
#[tokio::test(start_paused = true)]
async fn a_delivery_without_an_input_is_logged_once_and_settled_by_the_policy() {
    for case in single() {
        for (policy, settled) in SETTLED {
            let yard = Yard::new(HOLDS);
            let wrong = (case.wrong)();
            let end = format!("{settled} {}", wrong.text());
            yard.send("parcels", wrong);
            yard.send("parcels", good(8));
            let logs = Logs::start();
            let policies = FailurePolicies::default().with_decode(policy);
            let app = service_with(yard.journal().clone())
                .with_broker(yard.clone(), |b| (case.mount)(b, policies));
            let running = app.start().await.expect("starts");

            yard.journal().until_line("ack 8").await;

            running.shutdown().await.expect("nothing failed");
            let mut told = yard.journal().take();
            told.retain(|line| {
                line.starts_with("body") || line.contains(settled) || line == "ack 8"
            });
            assert_eq!(told[0], end, "{}, {policy:?}", case.log);
            assert_eq!(
                told.iter().filter(|line| line.starts_with("body")).count(),
                1,
                "{told:?}"
            );
            let line = &logs.with(case.log)[0];
            assert!(line.starts_with("WARN ruststream::dispatch: "), "{line}");
            for field in ["subscription=parcels", case.field, "error="] {
                assert!(line.contains(field), "{line}");
            }
        }
    }
}

// RUN-303, RUN-307, trap 2
#[tokio::test]
async fn under_fail_fast_a_delivery_without_an_input_is_dropped_and_tears_the_service_down() {
    for case in single() {
        let yard = Yard::new(HOLDS);
        yard.send("parcels", (case.wrong)());
        let policies = FailurePolicies::default().with_decode(FailurePolicy::FailFast);
        let app = service_with(yard.journal().clone())
            .with_broker(yard.clone(), |b| (case.mount)(b, policies));

        let Err(RustStreamError::Dispatch(reason)) = app.run_until(std::future::pending()).await
        else {
            panic!("{}: no failure", case.log);
        };

        assert!(
            reason.starts_with(&format!("parcels: {}", case.reason)),
            "{reason}"
        );
        assert_eq!(yard.journal().beginning("drop").len(), 1, "{reason}");
        assert_eq!(yard.journal().beginning("body"), [""; 0]);
    }
}

macro_rules! batch_cases {
    ($($wrong:expr, $reason:literal, $def:ident;)+) => {
        [$((
            $wrong,
            $reason,
            (|b, policies| drop(b.include($def.batch(nonzero!(8)).on_failure(policies))))
                as fn(&mut Scope, FailurePolicies),
        )),+]
    };
}

type BatchCase = (Letter, &'static str, fn(&mut Scope, FailurePolicies));

fn batches() -> [BatchCase; 6] {
    batch_cases! {
        torn(), "batch decode failed: ", decoded_batch;
        without("tenant"), "batch header extraction failed: ", pair_batch;
        without("kind"), "batch decode failed: the message set", set_batch;
        good(7).unreadable("torn in two"), "batch decode failed: torn in two", decoded_batch;
        torn(), "batch payload construction failed: ", built_batch;
        without("weight"), "batch delivery carries no value: ", carried_batch;
    }
}

// RUN-302, RUN-303, RUN-362, RUN-364, RUN-433, trap 28
#[tokio::test(start_paused = true)]
async fn elements_without_an_input_are_left_out_and_settled_by_the_policy() {
    for (wrong, reason, mount) in batches() {
        for (policy, settled) in SETTLED {
            let yard = Yard::new(HOLDS);
            let end = format!("{settled} {}", wrong.text());
            // A carried batch lends its values up to the first that is missing.
            let lends = reason.contains("carries");
            yard.send("parcels", good(1));
            if lends {
                yard.send("parcels", good(2));
                yard.send("parcels", wrong.clone());
            } else {
                yard.send("parcels", wrong.clone());
                yard.send("parcels", good(2));
            }
            let policies = FailurePolicies::default().with_decode(policy);
            let app = service_with(yard.journal().clone())
                .with_broker(yard.clone(), |b| mount(b, policies));
            let running = app.start().await.expect("starts");
            yard.journal().until_line("ack 2").await;
            yard.journal().until_line(&end).await;

            running.shutdown().await.expect("nothing failed");
            let mut told = yard.journal().take();
            told.retain(|line| {
                ["body", "ack", "drop", "requeue", "after"]
                    .iter()
                    .any(|start| line.starts_with(start))
            });
            let (body, one, two) = ("body [1, 2]", "ack 1", "ack 2");
            let expected = if reason.contains("construction") {
                [body, one, &end, two]
            } else if lends {
                [body, one, two, &end]
            } else {
                [&end, body, one, two]
            };
            assert_eq!(lines(&told)[..4], expected, "{reason} {policy:?}");
        }
    }
}

// RUN-303, RUN-307
#[tokio::test]
async fn under_fail_fast_an_element_without_an_input_is_dropped_and_the_others_are_handled() {
    for (wrong, reason, mount) in batches() {
        let yard = Yard::new(HOLDS);
        yard.send_all("parcels", []);
        yard.send("parcels", good(1));
        yard.send("parcels", wrong);
        let policies = FailurePolicies::default().with_decode(FailurePolicy::FailFast);
        let app =
            service_with(yard.journal().clone()).with_broker(yard.clone(), |b| mount(b, policies));

        let failure = app
            .run_until(std::future::pending())
            .await
            .expect_err("fails")
            .to_string();

        assert!(
            failure.starts_with(&format!("dispatch failed: parcels: {reason}")),
            "{failure}"
        );
        assert_eq!(yard.journal().beginning("drop").len(), 1);
        assert_eq!(yard.journal().beginning("body"), ["body [1]"]);
        assert_eq!(yard.journal().beginning("ack"), ["ack 1"]);
    }
}

// RUN-303, RUN-341
#[tokio::test]
async fn a_retry_of_the_policy_ends_at_the_cap_as_one_of_a_body_does() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new("torn"));

    let served = serve(&yard, 2, "drop torn", |b| {
        let body = answers(|_, _| unreachable!("nothing decodes"));
        let policies = FailurePolicies::default().with_decode(FailurePolicy::Retry);
        b.include(subscriber("parcels", body).on_failure(policies).build())
            .max_attempts(nonzero!(2u32))
            .dead_letter("parcels.dead");
    })
    .await;

    let copy = "publish parcels torn x-ruststream-retry-count=1";
    let dead = "publish parcels.dead torn x-ruststream-retry-count=1";
    assert_eq!(
        lines(&served.dealings),
        [copy, "drop torn", dead, "drop torn"]
    );
}

/// A handler of numbers around which `typed` decodes.
// Handlers take what they handle by reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn note(id: &u32, ctx: &mut Context<'_, (), Journal>) -> std::future::Ready<HandlerOutcome> {
    told(ctx, *id);
    std::future::ready(HandlerOutcome::ack())
}

fn told(ctx: Told<'_, '_>, id: u32) {
    ctx.state().note(format!("body {id}"));
}

// RUN-445, RUN-104
#[tokio::test]
async fn an_adapted_handler_decodes_for_a_raw_subscriber_under_a_policy_of_its_own() {
    for (policy, settled) in [(None, "drop torn"), (Some(FailurePolicy::Skip), "ack torn")] {
        let yard = Yard::new(Transport::PLAIN);
        let connected = yard.clone().connect().await.expect("connects");
        let parcels = Subscribe::subscribe(&connected, "parcels")
            .await
            .expect("opens");
        yard.send("parcels", Letter::new("torn"));
        yard.send("parcels", Letter::new(8));
        let mut handler = typed::<Delivery, u32, _, _>(ruststream::codec::JsonCodec, note);
        if let Some(policy) = policy {
            handler = handler.on_decode_failure(policy);
        }
        let app = service_with(yard.journal().clone()).with_broker(yard.clone(), |b| {
            b.handle(
                parcels,
                handler,
                ruststream::runtime::HandlerMetadata::typed::<u32>("parcels"),
            );
        });
        let running = app.start().await.expect("starts");

        yard.journal().until_line("ack 8").await;

        running.shutdown().await.expect("stops");
        let mut told = yard.journal().take();
        told.retain(|line| line.starts_with("body") || line.ends_with("torn") || line == "ack 8");
        assert_eq!(lines(&told), [settled, "body 8", "ack 8"]);
        connected.shutdown().await.expect("closes");
    }
}
