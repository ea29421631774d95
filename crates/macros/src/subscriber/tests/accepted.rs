use super::{PLAIN, expand};
use crate::testkit::assert_expands;

const SETTINGS: &str = "type Settings = ::ruststream::runtime::SubscriberBuilder<";

fn accepted(args: &str, item: &str, contains: &[&str]) {
    assert_expands(expand(args, item), contains);
}

fn settings(args: &str, source: &str, workers: &str, failures: &str, position: &str) {
    let state = format!(
        "{source}, (::ruststream::runtime::{workers}, ::ruststream::runtime::{failures}, \
         ::ruststream::runtime::{position}, ::ruststream::runtime::Open,)>;"
    );
    accepted(args, PLAIN, &[SETTINGS, &state]);
}

// MAC-11, MAC-12, MAC-34
#[test]
fn the_source_decides_its_type() {
    for args in [
        "",
        "\"a\"",
        "\"a\",",
        "Orders",
        "Orders<Eu>",
        "a::Orders<Eu>,",
    ] {
        accepted(args, PLAIN, &[SETTINGS]);
    }
    settings("\"a\"", "::ruststream::Name", "Open", "Open", "Open");
    settings(
        "",
        "::ruststream::Unnamed<::ruststream::Name>",
        "Open",
        "Open",
        "Open",
    );
    settings(
        "Orders",
        "::ruststream::Unnamed<Orders>",
        "Open",
        "Open",
        "Open",
    );
    settings(
        "Orders<Eu>",
        "::ruststream::Unnamed<Orders<Eu>>",
        "Open",
        "Open",
        "Open",
    );
    settings("Orders::new(\"a\")", "Orders", "Open", "Open", "Open");
    settings(
        "a::Orders::<Eu>::new(1).durable(2).last()",
        "a::Orders::<Eu>",
        "Open",
        "Open",
        "Open",
    );
    settings(
        "a::Orders { name: \"a\" }.durable(2)",
        "a::Orders",
        "Open",
        "Open",
        "Open",
    );
    settings("<Orders>::new()", "Orders", "Open", "Open", "Open");
}

// MAC-11
#[test]
fn a_clause_word_is_a_source_where_it_cannot_be_a_clause() {
    settings(
        "workers::Orders",
        "::ruststream::Unnamed<workers::Orders>",
        "Open",
        "Open",
        "Open",
    );
}

// MAC-10, MAC-32, MAC-34
#[test]
fn clauses_come_in_any_order_and_fix_their_setting() {
    settings(
        "workers(4)",
        "::ruststream::Unnamed<::ruststream::Name>",
        "Fixed",
        "Open",
        "Open",
    );
    settings(
        "\"a\", threads(n(), by_key),",
        "::ruststream::Name",
        "Fixed",
        "Open",
        "Open",
    );
    settings(
        "\"a\", on_failure(panic = retry,)",
        "::ruststream::Name",
        "Open",
        "Fixed",
        "Open",
    );
    let args = "\"a\", start_at(At::new(3)), on_failure(decode = P::X), workers(2)";
    settings(
        args,
        "::ruststream::StartAt<::ruststream::Name, At>",
        "Fixed",
        "Fixed",
        "Fixed",
    );
    let steps = [
        "Workers::pool({ let __rs_count: usize = 2;",
        ".with_decode(P::X)",
        "apply_start_at(__rs_settings, At::new(3))",
    ];
    accepted(args, PLAIN, &steps);
}

// MAC-14
#[test]
fn concurrency_has_four_forms() {
    accepted("workers(2)", PLAIN, &["Workers::pool("]);
    accepted("workers(2, by_key)", PLAIN, &["Workers::keyed("]);
    accepted("threads(2,)", PLAIN, &["Workers::threads("]);
    accepted("threads(2, by_key,)", PLAIN, &["Workers::threads_keyed("]);
    accepted(
        "workers(n)",
        PLAIN,
        &["`workers(..)` on the subscriber `scan` came out as zero"],
    );
}

// MAC-15
#[test]
fn a_policy_is_a_word_or_a_value() {
    let args = "on_failure(panic = retry_after(Duration::ZERO), decode = config::POLICY)";
    accepted(
        args,
        PLAIN,
        &[
            "FailurePolicy::RetryAfter(Duration::ZERO)",
            ".with_decode(config::POLICY)",
        ],
    );
    accepted(
        "on_failure(panic = POLICY, decode = policy())",
        PLAIN,
        &[".with_panic(POLICY)", ".with_decode(policy())"],
    );
    for (word, variant) in [
        ("fail_fast", "FailFast"),
        ("drop", "Drop"),
        ("skip", "Skip"),
        ("retry", "Retry"),
    ] {
        accepted(
            &format!("on_failure(panic = {word})"),
            PLAIN,
            &[&format!("FailurePolicy::{variant}")],
        );
    }
}

// MAC-13, MAC-33
#[test]
fn reply_and_publish_are_one_clause() {
    let item = "async fn scan(p: &P) -> Result<Label, HandlerOutcome> { todo!() }";
    for args in [
        "\"a\", reply(\"b\")",
        "\"a\", publish(\"b\")",
        "reply(\"b\",)",
    ] {
        accepted(
            args,
            item,
            &[
                "reply_destination::<Label>(",
                "let __rs_name: &'static str = \"b\";",
            ],
        );
    }
    for args in ["\"a\", reply", "publish"] {
        accepted(
            args,
            item,
            &[
                "declared_reply_destination::<Label>()",
                "probed_reply_def(self",
            ],
        );
    }
}

// MAC-20, MAC-31
#[test]
fn the_input_is_the_message_type_over_its_views_lifetime() {
    accepted(
        "",
        "fn f(P { id, .. }: &P) {}",
        &["impl<__RsState> ::ruststream::runtime::Handle<P, (), (), (), __RsState> for f"],
    );
    accepted(
        "",
        "fn f(p: &[P]) {}",
        &[
            "Handle<[P], (), (), (), __RsState>",
            "batch_verdict(f(__rs_input)",
        ],
    );
    let view = "async fn f(p: &[a::Frame<'_>]) {}";
    let parts = [
        "impl<'__rs_view, __RsState>",
        "Handle<[a::Frame<'__rs_view>], ",
        "<[a::Frame<'static>] as ::ruststream::runtime::Input>::Axis",
    ];
    accepted("", view, &parts);
}

// MAC-35
#[test]
fn the_form_follows_from_slots_and_the_reply() {
    let slot = "async fn f(p: &P, Out(out): Out<impl Publisher>)";
    let forms = [
        ("", "fn f(p: &P) {}".to_owned(), "::EagerForm;"),
        ("", format!("{slot} {{}}"), "::SlotForm;"),
        ("reply", "fn f(p: &P) -> R {}".to_owned(), ">>::Form;"),
        ("reply", format!("{slot} -> R {{}}"), "::SlotForm;"),
    ];
    for (args, item, form) in forms {
        accepted(args, &item, &["type Form = ", form]);
    }
    let route = "type Form = <R as ::ruststream::runtime::ReplyRoute<";
    accepted("reply", "fn f(p: &P) -> R {}", &[route]);
}

// MAC-21
#[test]
fn the_context_axis_is_named_inferred_or_empty() {
    let handle = |axes: &str| format!("Handle<P, (), (), {axes}> for f");
    accepted(
        "",
        "fn f(p: &P, c: &mut Context<'_>) {}",
        &[
            &handle("(), __RsState"),
            "c: &mut Context<'_, (), __RsState>",
        ],
    );
    accepted(
        "",
        "fn f(p: &P, c: &mut Context) {}",
        &["c: &mut Context<'_, (), __RsState>"],
    );
    accepted(
        "",
        "fn f(p: &P, c: &mut a::Context<'_, D>) {}",
        &[&handle("D, __RsState"), "&mut a::Context<'_, D, __RsState>"],
    );
    accepted(
        "",
        "fn f(p: &P, c: &mut Context<'_, D, Db>) {}",
        &["impl<> ::ruststream", &handle("D, Db")],
    );
    let inferred = "fn f(p: &P, m: Ctx<MainRuntime>, k: Ctx<a::Key>, l: Ctx<Other>) {}";
    accepted(
        "",
        inferred,
        &[&handle(
            "<a::Key as ::ruststream::ContextField>::Context, __RsState",
        )],
    );
}

// MAC-21, MAC-22
#[test]
fn extractors_run_in_order_and_bound_the_state() {
    let item = "async fn f(p: &P, State(db): State<Db>, Headers(h): Headers<H>, own: Own) {}";
    let parts = [
        "State<Db>: ::ruststream::runtime::FromContext<(), __RsState>,",
        "let __rs_arg0 = match <State<Db> as",
        "let __rs_arg1 = match ::ruststream::runtime::Headers::<H>::extract(__rs_ctx, __rs_policy)",
        "let __rs_arg2 = match <Own as",
        "f(__rs_input, __rs_arg0, __rs_arg1, __rs_arg2).await",
    ];
    accepted("", item, &parts);
    accepted(
        "",
        "fn f(p: &[P], own: Own) {}",
        &["uniform_batch(::core::convert::Into"],
    );
}

// MAC-23, MAC-36
#[test]
fn slots_are_lent_by_marker() {
    let item = "async fn f(p: &P, Out(a): Out<impl Publisher + Lanes, Audit, (A, B)>, whole: Out<impl Publisher>) {}";
    let parts = [
        "a: &::ruststream::runtime::Slot<Audit, __RsWire0, __RsCodec0, __RsPipe0, (A, B,)>",
        "whole: &::ruststream::runtime::Slot<::ruststream::runtime::DefaultSlot, __RsWire1, __RsCodec1, __RsPipe1, ()>",
        "__RsWire0: Publisher + Lanes + ::core::marker::Send",
        "type Markers = (Audit, ::ruststream::runtime::DefaultSlot,);",
        "SubscriberBuilder<f, ",
        "<A as ::ruststream::runtime::OutMessages<Audit>>::outgoing()",
        "<::ruststream::runtime::DefaultSlot as ::ruststream::runtime::OutSlot>::outgoing()",
        "PhantomData<Out<(), Audit, (A, B,)>>",
    ];
    accepted("", item, &parts);
    let batch = "async fn f(p: &[P], o: Out<impl A>) -> Vec<Label> { vec![] }";
    accepted(
        "reply(\"b\")",
        batch,
        &[
            "CapsBatches for f",
            "DeclaresReply for f { type Reply = ::std::vec::Vec<Label>;",
        ],
    );
}

// MAC-24, MAC-25
#[test]
fn the_return_type_makes_the_verdict() {
    accepted(
        "",
        "fn f(p: &P) -> Result<(), E> { Ok(()) }",
        &["into_outcome(f(__rs_input))", "-> Result<(), E>"],
    );
    let fallible = "async fn f(p: &P) -> Result<Label, m::HandlerOutcome> { x }";
    accepted(
        "reply(\"b\")",
        fallible,
        &["{ f(__rs_input).await }", "Handle<P, Label,"],
    );
    let of_one = "async fn f(p: &P) -> own::Result<Label> { x }";
    accepted(
        "reply(\"b\")",
        of_one,
        &[
            "Result::Ok(f(__rs_input).await)",
            "Handle<P, own::Result<Label>,",
        ],
    );
    let batch = "async fn f(p: &[P]) -> Result<Vec<Label>, HandlerOutcome> { x }";
    accepted(
        "reply(\"b\")",
        batch,
        &[
            "Handle<[P], ::std::vec::Vec<Label>,",
            "map_err(|__rs_outcome|",
        ],
    );
}

// MAC-30, "Open to improve"
#[test]
fn attributes_go_where_they_mean_something() {
    let item = r#"
        /// Scans.
        #[deprecated(note = "old")]
        #[allow(dead_code)]
        #[expect(dead_code, unused_variables, reason = "r")]
        #[cfg(feature = "x")]
        #[cfg_attr(test, tracing::instrument(skip_all), allow(unused))]
        pub(crate) async fn scan(p: &P) {}
    "#;
    let parts = [
        r#"#[doc = " Scans."] #[deprecated(note = "old")] #[allow(dead_code)] #[expect(dead_code, reason = "r")]"#,
        "#[cfg_attr(test, allow(unused))] #[derive(",
        "pub(crate) struct scan;",
        r#"#[allow(deprecated)] #[allow(dead_code)] #[expect(unused_variables, reason = "r")] #[cfg(feature = "x")]"#,
        "#[cfg_attr(test, tracing::instrument(skip_all))] async fn scan",
        r#"description: ::core::option::Option::Some("Scans.")"#,
    ];
    accepted("", item, &parts);
}

// MAC-37
#[test]
fn the_document_describes_the_body_of_a_pair_and_its_headers() {
    let item = "async fn f(p: &Message<Meta, Parcel>) -> Message<Meta, Label> { x }";
    let parts = [
        "input_schema: ::ruststream::__private::Probe::<Parcel>::new().schema_json()",
        "headers_schema: ::ruststream::__private::Probe::<Meta>::new().schema_json()",
        "type_name::<Label>()",
        "OutgoingKind::Answer",
    ];
    accepted("reply(\"b\")", item, &parts);
    accepted(
        "",
        "fn f(p: &P, h: Headers<H>) {}",
        &[
            "headers_schema: ::ruststream::__private::Probe::<H>::new().schema_json()",
            "outgoing: ::core::option::Option::None",
        ],
    );
}
