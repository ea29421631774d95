//! Setting up OpenTelemetry, each case in a process of its own.
//!
//! The binary is both sides: with `CASE` set it is that case, without it it runs them all.

use std::env;
use std::process::{Command, ExitCode};

use opentelemetry::global;
use opentelemetry::trace::{Span, Tracer};
use opentelemetry_sdk::trace::SdkTracerProvider;
use ruststream::memory::prelude::*;
use ruststream::otel::{Otel, OtelInitError};
use ruststream_telemetry_tests::{Meters, Say, Scan};

const CASE: &str = "CASE";

const CASES: &[(&str, fn())] = &[
    (
        "an_endpoint_without_a_scheme_may_be_declared_insecure",
        an_endpoint_without_a_scheme_may_be_declared_insecure,
    ),
    (
        "a_dead_collector_fails_nothing",
        a_dead_collector_fails_nothing,
    ),
    ("a_second_bridge_is_refused", a_second_bridge_is_refused),
    (
        "an_installed_subscriber_stays_and_nothing_is_changed",
        an_installed_subscriber_stays_and_nothing_is_changed,
    ),
    (
        "without_the_bridge_any_subscriber_will_do",
        without_the_bridge_any_subscriber_will_do,
    ),
    (
        "an_endpoint_that_needs_tls_is_refused",
        an_endpoint_that_needs_tls_is_refused,
    ),
    (
        "attaching_changes_nothing_of_the_process",
        attaching_changes_nothing_of_the_process,
    ),
    (
        "it_can_be_set_up_inside_a_runtime_that_ends",
        it_can_be_set_up_inside_a_runtime_that_ends,
    ),
];

/// Nobody listens there.
const DEAD: &str = "http://127.0.0.1:1";

fn main() -> ExitCode {
    if let Ok(name) = env::var(CASE) {
        let case = CASES.iter().find(|(case, _)| *case == name);
        case.unwrap().1();
        return ExitCode::SUCCESS;
    }
    println!("\nrunning {} tests", CASES.len());
    let mut failed = 0;
    for (name, _) in CASES {
        let mut command = Command::new(env::current_exe().unwrap());
        let case = command.env(CASE, name).env("RUST_BACKTRACE", "0");
        // The environment of whoever runs the tests is not theirs.
        for variable in ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_INSECURE"] {
            case.env_remove(variable);
        }
        let ended = case.output().unwrap();
        if ended.status.success() {
            println!("test {name} ... ok");
        } else {
            failed += 1;
            let told = String::from_utf8_lossy(&ended.stderr);
            println!("test {name} ... FAILED\n{told}");
        }
    }
    println!(
        "\ntest result: {} passed; {failed} failed",
        CASES.len() - failed
    );
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Whether the process's tracer records.
fn traces() -> bool {
    global::tracer("test")
        .start("span")
        .span_context()
        .is_valid()
}

#[subscriber("scans")]
async fn judge(scan: &Scan) -> HandlerOutcome {
    scan.say.done().await
}

async fn serve(otel: &Otel) {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(otel.consume_layer())
        .with_broker(broker, |b| {
            b.include(judge);
        });
    let running = app.start().await.unwrap();
    publisher
        .message(&Scan {
            parcel: 41,
            say: Say::Ack,
        })
        .publish()
        .await
        .unwrap();
    running.shutdown().await.unwrap();
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

// OBS-22, OBS-25
fn a_dead_collector_fails_nothing() {
    let otel = Otel::builder()
        .service_name("depot")
        .otlp_endpoint(DEAD)
        .init()
        .unwrap();
    assert!(traces());

    runtime().block_on(serve(&otel));

    // What could not be sent is told, and only there.
    assert!(otel.shutdown().is_err());
}

// OBS-23
fn a_second_bridge_is_refused() {
    let first = Otel::builder().otlp_endpoint(DEAD).init().unwrap();

    let refused = Otel::builder().otlp_endpoint(DEAD).init().unwrap_err();

    assert!(
        matches!(refused, OtelInitError::TracingInit(_)),
        "{refused:?}"
    );
    let told = refused.to_string();
    assert!(
        told.contains("tracing_bridge(false)") && !told.contains('\n'),
        "{told}"
    );
    assert!(traces(), "the first one's provider is still there");
    drop(first);
}

// OBS-23
fn an_installed_subscriber_stays_and_nothing_is_changed() {
    ruststream::logging::init().unwrap();

    let refused = Otel::builder().otlp_endpoint(DEAD).init();

    assert!(
        matches!(refused, Err(OtelInitError::TracingInit(_))),
        "{refused:?}"
    );
    assert!(!traces());
}

// OBS-23
fn without_the_bridge_any_subscriber_will_do() {
    ruststream::logging::init().unwrap();

    let otel = Otel::builder()
        .otlp_endpoint(DEAD)
        .tracing_bridge(false)
        .init()
        .unwrap();

    assert!(traces());
    let _ = otel.shutdown();
}

// OBS-24
fn an_endpoint_that_needs_tls_is_refused() {
    for endpoint in [
        "https://localhost:4317",
        "localhost:4317",
        "not an endpoint",
    ] {
        let refused = Otel::builder().otlp_endpoint(endpoint).init();
        assert!(
            matches!(refused, Err(OtelInitError::Exporter(_))),
            "{endpoint}: {refused:?}"
        );
    }
    assert!(!traces());
    assert!(!tracing::dispatcher::has_been_set());
}

// OBS-24
fn an_endpoint_without_a_scheme_may_be_declared_insecure() {
    if env::var("OTEL_EXPORTER_OTLP_INSECURE").is_ok() {
        // What is said in the program comes before the environment's `https`.
        assert!(Otel::builder().otlp_endpoint("localhost:1").init().is_ok());
        return;
    }
    let mut command = Command::new(env::current_exe().unwrap());
    let case = command
        .env(
            CASE,
            "an_endpoint_without_a_scheme_may_be_declared_insecure",
        )
        .env("OTEL_EXPORTER_OTLP_INSECURE", "true")
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", "https://ignored");
    assert!(case.status().unwrap().success());
}

// OBS-26
fn attaching_changes_nothing_of_the_process() {
    let otel = Otel::builder().attach(SdkTracerProvider::default(), Meters::new().provider);

    assert!(!traces());
    assert!(!tracing::dispatcher::has_been_set());
    drop(otel);
}

// OBS-25
fn it_can_be_set_up_inside_a_runtime_that_ends() {
    let otel = runtime().block_on(async { Otel::builder().otlp_endpoint(DEAD).init().unwrap() });

    runtime().block_on(serve(&otel));

    runtime().block_on(async {
        // It blocks, and neither panics nor waits for this runtime.
        let _ = otel.shutdown();
    });
}
