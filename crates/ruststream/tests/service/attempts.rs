//! Deliveries that have used up their attempts before they arrive.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ruststream::prelude::*;
use ruststream::runtime::{BrokerScope, RETRY_COUNT_HEADER, RustStreamError};

use crate::support::{
    Letter, Logs, Transport, Yard, answers, copies, dealings, lines, serve, service,
};

/// It counts, and holds nothing back.
const COUNTS: Transport = Transport {
    counts: true,
    ..Transport::PLAIN
};

type Mount = fn(&mut BrokerScope<Yard>);

// RUN-351, RUN-352, trap 52
#[tokio::test]
async fn what_arrives_past_its_cap_does_not_run_and_the_last_attempt_does() {
    let arrivals = [
        (
            COUNTS,
            Letter::new(7).delivered(3),
            Letter::new(8).delivered(2),
        ),
        (
            Transport::PLAIN,
            Letter::new(7).with(RETRY_COUNT_HEADER, "2"),
            Letter::new(8).with(RETRY_COUNT_HEADER, "1"),
        ),
    ];
    macro_rules! form {
        ($($workers:ident)?) => {
            |b| {
                let body = answers(|number, _| {
                    assert_eq!(number, 8, "its attempts are used up");
                    HandlerOutcome::ack()
                });
                let def = subscriber("parcels", body)$(.$workers(nonzero!(2)))?.build();
                b.include(def).max_attempts(nonzero!(2u32)).dead_letter("parcels.dead");
            }
        };
    }
    let forms: [Mount; 5] = [
        form!(),
        form!(workers),
        form!(workers_by_key),
        form!(threads),
        form!(threads_by_key),
    ];
    for (transport, spent, last) in arrivals {
        for mount in forms {
            let yard = Yard::new(transport);
            yard.send("parcels", spent.clone());
            yard.send("parcels", last.clone());

            let app = service().with_broker(yard.clone(), mount);
            let running = app.start().await.expect("starts");
            yard.journal().until_line("drop 7").await;
            yard.journal().until_line("ack 8").await;
            running.shutdown().await.expect("no body ran past its cap");

            let dead = &yard.waiting("parcels.dead")[0];
            assert_eq!((dead.text(), &dead.headers), ("7".into(), &spent.headers));
        }
    }
}

/// It brings back what it holds by a copy of its own.
const COPIES: Transport = Transport {
    holds: true,
    copies: true,
    ..Transport::PLAIN
};

// CORE-070, RUN-340, RUN-342
#[tokio::test(start_paused = true)]
async fn copies_that_the_broker_makes_are_attempts_by_the_header_where_nothing_counts() {
    let yard = Yard::new(COPIES);
    yard.send("parcels", Letter::new(7));

    let served = serve(&yard, 1, "drop 7", |b| {
        let body = answers(|_, _| HandlerOutcome::retry_after(Duration::from_secs(5)));
        b.include(subscriber("parcels", body).build())
            .max_attempts(nonzero!(3u32))
            .dead_letter("parcels.dead");
    })
    .await;

    let dead = "publish parcels.dead 7 x-ruststream-retry-count=2";
    let held = "after 5s 7";
    assert_eq!(lines(&served.dealings), [held, held, dead, "drop 7"]);
}

// CORE-070, RUN-340
#[tokio::test(start_paused = true)]
async fn copies_that_the_broker_makes_begin_at_one_again_where_it_counts() {
    let yard = Yard::new(Transport {
        counts: true,
        ..COPIES
    });
    yard.send("parcels", Letter::new(7).with(RETRY_COUNT_HEADER, "9"));
    let runs = AtomicU32::new(0);

    let served = serve(&yard, 1, "ack 7", |b| {
        let body = answers(move |_, ctx| {
            assert_eq!(copies(ctx), 9, "the header is left alone");
            match runs.fetch_add(1, Ordering::Relaxed) {
                0..3 => HandlerOutcome::retry_after(Duration::from_secs(5)),
                _ => HandlerOutcome::ack(),
            }
        });
        b.include(subscriber("parcels", body).build())
            .max_attempts(nonzero!(2u32));
    })
    .await;

    let held = "after 5s 7";
    assert_eq!(lines(&served.dealings), [held, held, held, "ack 7"]);
}

// RUN-351, RUN-352, PUB-125
#[tokio::test]
async fn what_is_carried_away_passes_no_decoding_and_no_policy() {
    let yard = Yard::new(COUNTS);
    yard.send("parcels", Letter::new("torn").delivered(3));
    yard.send(
        "parcels",
        Letter::new("unreadable").delivered(3).unreadable("why"),
    );
    let logs = Logs::start();

    let served = serve(&yard, 1, "drop unreadable", |b| {
        let body = answers(|_, _| unreachable!("nothing decodes"));
        let policies = FailurePolicies::default().with_decode(FailurePolicy::FailFast);
        b.include(subscriber("parcels", body).on_failure(policies).build())
            .max_attempts(nonzero!(2u32));
    })
    .await;

    served.result.expect("no policy was asked");
    assert_eq!(lines(&served.dealings), ["drop torn", "drop unreadable"]);
    assert_eq!(logs.with("rejecting the delivery").len(), 2);
}

/// Fails fast on its one message, until it has used up its attempts.
async fn crash(yard: &Yard) -> Result<(), RustStreamError> {
    let app = service().with_broker(yard.clone(), |b| {
        let body = answers(|_, _| panic!("a poison message"));
        b.include(subscriber("parcels", body).build())
            .max_attempts(nonzero!(3u32))
            .dead_letter("parcels.dead");
    });
    let dead = async {
        yard.journal().until_count(1, "drop").await;
    };
    app.run_until(dead).await
}

// RUN-351, RUN-305
#[tokio::test]
async fn a_message_that_kills_its_service_ends_after_its_attempts_across_restarts() {
    let yard = Yard::new(COUNTS);
    yard.send("parcels", Letter::new(7).with("tenant", "north"));

    for run in 1..=3 {
        let failure = crash(&yard).await.expect_err("panics").to_string();
        assert_eq!(
            failure,
            "dispatch failed: parcels: handler panicked: a poison message"
        );
        assert_eq!(lines(&dealings(&yard)), ["left 7"], "run {run}");
    }
    crash(&yard)
        .await
        .expect("it is carried away before it runs again");

    let dead = "publish parcels.dead 7 tenant=north";
    assert_eq!(lines(&dealings(&yard)), [dead, "drop 7"]);
}
