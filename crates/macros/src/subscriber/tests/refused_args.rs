use super::{PLAIN, expand};
use crate::testkit::assert_refused;

fn refused(args: &str, place: &str, says: &[&str]) {
    assert_refused(expand(args, PLAIN), place, says);
}

const CLAUSES: [&str; 5] = [
    "reply",
    "workers(n)",
    "threads(n)",
    "on_failure(..)",
    "start_at(..)",
];

// MAC-10, MAC-11
#[test]
fn an_unknown_clause_is_met_with_the_known_ones() {
    refused(r#""a", retries(3)"#, "retries", &CLAUSES);
    refused(r#""a", "b""#, r#""b""#, &CLAUSES);
    refused("publish_raw(\"b\")", "publish_raw", &CLAUSES);
    refused("publish_raw", "publish_raw", &CLAUSES);
    refused(
        r#""a", workers(2) threads(2)"#,
        "threads",
        &["`,`", "start_at"],
    );
}

// MAC-10
#[test]
fn a_clause_is_given_once() {
    refused(
        r#""a", reply, workers(2), reply("b")"#,
        "reply",
        &["`reply` and `publish` are one"],
    );
    refused(
        r#"reply("a"), publish("b")"#,
        "publish",
        &["`publish`", "one clause"],
    );
    refused(
        "workers(2), workers(3)",
        "workers",
        &["`workers(..)`", "one of them"],
    );
    refused(
        "workers(2), threads(3)",
        "threads",
        &["`threads(..)` after `workers(..)`", "one of them"],
    );
    refused("start_at(P::a()), start_at(P::b())", "start_at", &["twice"]);
    refused(
        "on_failure(panic = drop), on_failure(decode = drop)",
        "on_failure",
        &["twice"],
    );
}

// MAC-12
#[test]
fn a_source_shows_its_type() {
    let forms = [
        "\"orders\"",
        "OrdersStream",
        "OrdersStream::new(..)",
        "OrdersStream { .. }",
    ];
    refused("open(\"a\")", "open", &forms);
    refused("orders::open(\"a\")", "orders::open", &forms);
    refused(
        "open(\"a\").durable(\"b\")",
        "open(\"a\").durable(\"b\")",
        &forms,
    );
    refused("7", "7", &forms);
    refused("concat!(\"a\", \"b\")", "concat!(\"a\", \"b\")", &forms);
    refused("(Orders::new())", "(Orders::new())", &forms);
    refused("wokers(3)", "wokers", &["free function", "workers(n)"]);
}

// MAC-12, "Open to improve"
#[test]
fn a_constant_is_no_source_and_is_told_where_it_goes() {
    refused("TOPIC", "TOPIC", &["constant", "`.name(TOPIC)`"]);
    refused(
        "names::ORDERS_IN, workers(2)",
        "names::ORDERS_IN",
        &["`.name(ORDERS_IN)`"],
    );
}

// MAC-13, PUB-300
#[test]
fn a_reply_clause_takes_one_destination() {
    refused(
        r#""a", reply()"#,
        "reply",
        &["`reply(\"name\")`", "`reply` alone"],
    );
    refused(r#""a", reply("b", "c")"#, "\"c\"", &["one destination"]);
    refused(r#""a", reply = "b""#, "=", &["`,`"]);
}

// MAC-14
#[test]
fn a_count_is_at_least_one() {
    refused("workers(0)", "0", &["`workers(0)`", "minimum is 1"]);
    refused(
        "threads(0x0, by_key)",
        "0x0",
        &["`threads(0)`", "minimum is 1"],
    );
    refused(
        "workers",
        "workers",
        &["`workers(n)`", "`workers(n, by_key)`"],
    );
    refused("threads()", "threads", &["`threads(n)`"]);
}

// MAC-14
#[test]
fn by_key_is_the_one_marker() {
    let forms = ["`by_key`", "`workers(n)`", "`workers(n, by_key)`"];
    refused("workers(8, nope)", "nope", &forms);
    refused("workers(8, 4)", "4", &forms);
    refused(
        "workers(by_key)",
        "by_key",
        &["first", "`workers(n, by_key)`"],
    );
    refused("workers(8, by_key, 9)", "9", &["`workers(n, by_key)`"]);
}

// MAC-14
#[test]
fn a_batch_has_no_key() {
    let expanded = expand("workers(2, by_key)", "async fn scan(parcels: &[Parcel]) {}");
    assert_refused(expanded, "by_key", &["single messages", "&T"]);
}

// MAC-15
#[test]
fn a_failure_policy_is_spelled_right() {
    let policies = [
        "fail_fast",
        "drop",
        "retry",
        "retry_after(delay)",
        "skip",
        "FailurePolicy",
    ];
    refused("on_failure(panic = unknown)", "unknown", &policies);
    refused(
        "on_failure(decode = retry_after)",
        "retry_after",
        &["`retry_after(delay)`"],
    );
    refused(
        "on_failure(decode = retry_after(a, b))",
        "retry_after(a, b)",
        &["exactly one"],
    );
    refused(
        "on_failure(decode = retry_after())",
        "retry_after()",
        &["exactly one"],
    );
}

// MAC-15
#[test]
fn on_failure_names_one_or_both_keys_once() {
    let keys = ["`panic = policy`", "`decode = policy`"];
    refused("on_failure(timeout = drop)", "timeout", &keys);
    refused("on_failure(panic)", "panic", &["`panic = ..`", "fail_fast"]);
    refused(
        "on_failure(panic = drop, panic = retry)",
        "panic",
        &["twice"],
    );
    refused("on_failure", "on_failure", &keys);
    refused("on_failure(panic = drop decode = drop)", "decode", &keys);
    // The end of the arguments.
    refused("on_failure()", ")", &keys);
}

// MAC-16
#[test]
fn a_start_position_is_built_in_place() {
    refused("start_at()", "start_at", &["position"]);
    refused("start_at", "start_at", &["position"]);
    refused(
        "start_at(earliest())",
        "earliest()",
        &["`Position::new(..)`", "`Position { .. }`"],
    );
    refused("start_at(START)", "START", &["`Position::new(..)`"]);
    refused("start_at(P::a(), P::b())", "P", &["one position"]);
}
