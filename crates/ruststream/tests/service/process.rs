//! A service as a process: signals while deliveries are in flight, and what it exits with.
//!
//! The binary is both sides: with `DEPOT` set it is the service that the variable names, which prints
//! what happens to it line by line; without, it starts those services and looks on.

mod support;

use std::convert::Infallible;
use std::env;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use ruststream::prelude::*;
use ruststream::runtime::SubscriptionEnd;
use ruststream::runtime::cli::{AppRuntime, run_main_on};
use support::{Journal, Letter, Transport, Yard, service_with, tell_logs};
use tokio::time::sleep;

const DEPOT: &str = "DEPOT";

fn main() -> ExitCode {
    let runtime = AppRuntime::MultiThread;
    if env::var(DEPOT).is_ok() {
        // Before the entry point, which leaves a logger that is there alone.
        tell_logs();
    }
    match env::var(DEPOT).as_deref() {
        Ok("pool") => run_main_on(runtime, pool),
        Ok("threads") => run_main_on(runtime, threads),
        Ok("bounded") => run_main_on(runtime, || pool().shutdown_timeout(SHORT)),
        Ok("bounded threads") => run_main_on(runtime, || threads().shutdown_timeout(SHORT)),
        Ok("leaves work") => run_main_on(runtime, leaves_work),
        Ok("hook") => run_main_on(runtime, hanging_hook),
        Ok("poison") => run_main_on(runtime, poison),
        Ok("ends") => run_main_on(runtime, ends),
        Ok("unopened") => run_main_on(runtime, || failing("open")),
        Ok("unclosed") => run_main_on(runtime, || failing("shutdown")),
        Ok(other) => panic!("no service is called {other}"),
        Err(_) => checks(),
    }
}

/// A bound that is shorter than a handler takes.
const SHORT: Duration = Duration::from_millis(300);

/// A yard that prints what happens, with four parcels.
fn yard() -> Yard {
    let yard = Yard::named("yard", Transport::PLAIN, &Journal::told());
    yard.send_all("parcels", 1..=4);
    yard
}

#[subscriber("parcels", reply("labels"))]
async fn slow(id: &u32, ctx: &mut Context<'_, (), Journal>) -> Result<String, HandlerOutcome> {
    let (id, journal) = (*id, ctx.state().clone());
    journal.note(format!("handling {id}"));
    ctx.after_ack({
        let journal = journal.clone();
        async move { journal.note(format!("hook {id}")) }
    });
    sleep(Duration::from_secs(3)).await;
    if id % 2 == 0 {
        return Ok(format!("label {id}"));
    }
    Err(HandlerOutcome::ack().and_after(async move {
        sleep(Duration::from_millis(200)).await;
        journal.note(format!("continued {id}"));
    }))
}

type Depot = RustStream<ruststream::runtime::Identity, Journal>;

fn pool() -> Depot {
    let yard = yard();
    service_with(yard.journal().clone()).with_broker(yard, |b| {
        b.include(slow.workers(nonzero!(4)));
    })
}

fn threads() -> Depot {
    let yard = yard();
    service_with(yard.journal().clone()).with_broker(yard, |b| {
        b.include(slow.threads(nonzero!(4)));
    })
}

#[subscriber("parcels")]
async fn never_done(_id: &u32) -> HandlerOutcome {
    HandlerOutcome::ack().and_after(std::future::pending())
}

fn leaves_work() -> Depot {
    let yard = yard();
    service_with(yard.journal().clone()).with_broker(yard, |b| {
        b.include(never_done);
    })
}

fn hanging_hook() -> Depot {
    let hook = |line: &'static str| {
        async move |journal: std::sync::Arc<Journal>| {
            journal.note(line);
            Ok::<_, Infallible>(())
        }
    };
    pool()
        .on_shutdown(async |journal: std::sync::Arc<Journal>| {
            journal.note("hook hangs");
            std::future::pending::<Result<(), Infallible>>().await
        })
        .on_shutdown(hook("on_shutdown"))
        .after_shutdown(hook("after_shutdown"))
}

#[subscriber("parcels")]
async fn panics(id: &u32) {
    assert_ne!(*id, 1, "a poison message");
}

fn poison() -> Depot {
    let yard = yard();
    service_with(yard.journal().clone()).with_broker(yard, |b| {
        b.include(panics);
    })
}

#[subscriber("letters")]
async fn letters(_id: &u32) {}

fn ends() -> Depot {
    let yard = yard();
    yard.send("letters", Letter::new(7));
    yard.end("letters");
    service_with(yard.journal().clone())
        .on_subscription_end(SubscriptionEnd::FailFast)
        .with_broker(yard, |b| {
            b.include(letters);
        })
}

fn failing(step: &str) -> Depot {
    let yard = yard();
    yard.fail(step, 1);
    let stop = yard.journal().clone();
    service_with(yard.journal().clone())
        .with_broker(yard, |b| {
            b.include(letters);
        })
        .after_startup(async move |_| {
            stop.note("up");
            Ok::<_, Infallible>(())
        })
}

macro_rules! checks {
    ($($check:ident)+) => {
        fn checks() -> ExitCode {
            let checks: &[(&str, fn())] = &[$((stringify!($check), $check)),+];
            println!("\nrunning {} tests", checks.len());
            for (name, check) in checks {
                // A check that fails panics, and its exit code is the test's.
                check();
                println!("test {name} ... ok");
            }
            println!("\ntest result: ok. {} passed; 0 failed", checks.len());
            ExitCode::SUCCESS
        }
    };
}

#[cfg(unix)]
checks! {
    a_signal_lets_what_is_in_flight_finish_before_the_broker_closes
    a_timeout_shorter_than_a_handler_aborts_within_its_bound_and_says_so
    a_second_signal_aborts_handlers_at_once
    a_second_signal_abandons_what_deliveries_left_behind
    a_second_signal_gets_past_a_hook_that_hangs
    a_failure_is_told_in_one_line_and_exits_with_1
}

#[cfg(not(unix))]
checks! {
    a_failure_is_told_in_one_line_and_exits_with_1
}

/// A service in a process of its own.
struct Process {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
    told: Vec<String>,
}

/// How a process ended.
struct Ended {
    code: Option<i32>,
    /// What it printed.
    told: Vec<String>,
    stderr: String,
}

impl Process {
    fn start(depot: &str) -> Self {
        let mut child = Command::new(env::current_exe().expect("has a path"))
            .arg("run")
            .env(DEPOT, depot)
            .env_remove("RUST_BACKTRACE")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        Self {
            child,
            lines,
            told: Vec::new(),
        }
    }

    /// Reads until `count` lines begin so.
    fn until(&mut self, count: usize, with: &str) {
        while self
            .told
            .iter()
            .filter(|line| line.starts_with(with))
            .count()
            < count
        {
            let Some(line) = self.lines.next() else {
                panic!("it ended before `{with}`: {:#?}", self.told);
            };
            self.told.push(line.expect("is text"));
        }
    }

    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill")
            .args([signal, &id])
            .status()
            .expect("kill is there");
        assert!(sent.success());
    }

    fn ended(mut self) -> Ended {
        self.told
            .extend(self.lines.map(|line| line.expect("is text")));
        let output = self.child.wait_with_output().expect("ends");
        Ended {
            code: output.status.code(),
            told: self.told,
            stderr: String::from_utf8(output.stderr).expect("is text"),
        }
    }
}

impl Ended {
    fn count(&self, with: &str) -> usize {
        self.told
            .iter()
            .filter(|line| line.starts_with(with))
            .count()
    }

    /// The place of a line that begins so; the last one.
    fn last(&self, with: &str) -> usize {
        let place = self.told.iter().rposition(|line| line.starts_with(with));
        place.unwrap_or_else(|| panic!("no `{with}` in {:#?}", self.told))
    }
}

// RUN-031, RUN-035, RUN-070, RUN-073, RUN-240, RUN-283, CLI-09
fn a_signal_lets_what_is_in_flight_finish_before_the_broker_closes() {
    for depot in ["pool", "threads"] {
        let mut process = Process::start(depot);
        process.until(4, "handling");

        process.signal("-TERM");

        let ended = process.ended();
        assert_eq!(ended.code, Some(0), "{depot}: {}", ended.stderr);
        assert_eq!(
            (ended.count("ack"), ended.count("left")),
            (4, 0),
            "{:#?}",
            ended.told
        );
        assert_eq!(ended.count("publish labels"), 2);
        assert_eq!(
            (ended.count("continued"), ended.count("hook")),
            (2, 4),
            "{:#?}",
            ended.told
        );
        let closed = ended.last("shutdown yard");
        for before in ["ack", "publish labels", "continued", "hook"] {
            assert!(ended.last(before) < closed, "{:#?}", ended.told);
        }
        assert_eq!(
            ended.last("log: INFO ruststream::lifecycle: service stopped"),
            ended.told.len() - 1
        );
    }
}

// RUN-075, RUN-240, RUN-035
fn a_timeout_shorter_than_a_handler_aborts_within_its_bound_and_says_so() {
    for depot in ["bounded", "bounded threads"] {
        let mut process = Process::start(depot);
        process.until(4, "handling");
        let begun = Instant::now();

        process.signal("-TERM");

        let ended = process.ended();
        // Far less than the handlers would take.
        assert!(
            begun.elapsed() < Duration::from_secs(2),
            "{depot}: {:?}",
            begun.elapsed()
        );
        assert_eq!(ended.code, Some(0), "{depot}: {}", ended.stderr);
        assert_eq!(
            (ended.count("left"), ended.count("ack")),
            (4, 0),
            "{:#?}",
            ended.told
        );
        let said = "log: WARN ruststream::lifecycle: graceful shutdown timed out; aborting in-flight handlers";
        assert!(
            ended.last(said) < ended.last("shutdown yard"),
            "{:#?}",
            ended.told
        );
    }
}

// RUN-078, RUN-031
fn a_second_signal_aborts_handlers_at_once() {
    for (depot, first, second) in [
        ("pool", "-TERM", "-TERM"),
        ("pool", "-INT", "-TERM"),
        ("threads", "-TERM", "-INT"),
    ] {
        let mut process = Process::start(depot);
        process.until(4, "handling");
        process.signal(first);
        process.until(
            1,
            "log: INFO ruststream::lifecycle: shutdown signal received",
        );
        let begun = Instant::now();

        process.signal(second);

        let ended = process.ended();
        assert!(
            begun.elapsed() < Duration::from_secs(2),
            "{depot}: {:?}",
            begun.elapsed()
        );
        assert_eq!(ended.code, Some(0), "{depot}: {}", ended.stderr);
        assert_eq!(
            (ended.count("left"), ended.count("ack")),
            (4, 0),
            "{:#?}",
            ended.told
        );
        let said =
            "log: WARN ruststream::lifecycle: a second shutdown signal was received; aborting";
        assert!(
            ended.last(said) < ended.last("shutdown yard"),
            "{:#?}",
            ended.told
        );
    }
}

// RUN-078
fn a_second_signal_abandons_what_deliveries_left_behind() {
    let mut process = Process::start("leaves work");
    process.until(4, "ack");
    process.signal("-TERM");
    process.until(
        1,
        "log: INFO ruststream::lifecycle: shutdown signal received",
    );

    process.signal("-TERM");

    let ended = process.ended();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let said = "log: WARN ruststream::lifecycle: a second shutdown signal was received; abandoning \
                in-flight continuations";
    assert!(
        ended.last(said) < ended.last("shutdown yard"),
        "{:#?}",
        ended.told
    );
}

// RUN-078
fn a_second_signal_gets_past_a_hook_that_hangs() {
    let mut process = Process::start("hook");
    process.until(4, "handling");
    process.signal("-TERM");
    process.until(1, "hook hangs");

    process.signal("-TERM");

    let ended = process.ended();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let said = "log: WARN ruststream::lifecycle: a second shutdown signal was received; abandoning \
                an on_shutdown hook";
    // The hook after it still has its turn, and everything after the stop too.
    assert!(
        ended.last(said) < ended.last("on_shutdown"),
        "{:#?}",
        ended.told
    );
    assert_eq!(ended.count("left"), 4);
    assert!(
        ended.last("shutdown yard") < ended.last("after_shutdown"),
        "{:#?}",
        ended.told
    );
}

// RUN-035, RUN-071, RUN-094, RUN-305, CLI-12
fn a_failure_is_told_in_one_line_and_exits_with_1() {
    let failures = [
        ("poison", "dispatch failed: parcels: handler panicked: "),
        (
            "ends",
            "dispatch failed: letters: the subscription's stream ended",
        ),
        (
            "unopened",
            "subscription failed: the yard refuses: open letters",
        ),
        #[cfg(unix)]
        (
            "unclosed",
            "broker shutdown failed: the yard refuses: shutdown yard",
        ),
    ];
    for (depot, text) in failures {
        let mut process = Process::start(depot);
        if depot == "unclosed" {
            process.until(1, "up");
            process.signal("-TERM");
        }

        let ended = process.ended();

        assert_eq!(ended.code, Some(1), "{depot}: {}", ended.stderr);
        // A panic prints itself first.
        let told = ended
            .stderr
            .lines()
            .find(|line| line.starts_with("ruststream: "));
        let told = told.unwrap_or_else(|| panic!("{depot}: {}", ended.stderr));
        assert!(told.starts_with(&format!("ruststream: {text}")), "{told}");
        if depot != "unopened" {
            assert_eq!(
                ended.count("close letters") + ended.count("close parcels"),
                1
            );
        }
        assert_eq!(ended.count("shutdown yard"), 1, "{:#?}", ended.told);
    }
}
