//! The first line of each error says what the specification promises, whatever the rest of the
//! snapshot becomes: RUN-116 and RUN-475 row by row, PUB 17, CORE-290.

use std::fs;
use std::path::Path;

/// A case under `tests/ui`, and what the first line of its first error contains.
const TEXTS: &[(&str, &str)] = &[
    // RUN-475
    (
        "settings/named_twice",
        "this subscriber's subscription is already named",
    ),
    (
        "settings/workers_twice",
        "this subscriber's worker policy is already fixed",
    ),
    (
        "settings/failures_twice",
        "this subscriber's failure policies are already fixed",
    ),
    (
        "settings/start_at_twice",
        "this subscriber's start position is already fixed",
    ),
    (
        "settings/batch_twice",
        "this subscriber's batch size is already named",
    ),
    (
        "settings/batch_of_single_messages",
        "this subscriber has no batches to size",
    ),
    (
        "settings/batch_of_single_messages_with_slots",
        "this subscriber has no batches to size",
    ),
    (
        "settings/batch_without_size",
        "this batch subscriber has no batch size",
    ),
    (
        "settings/unnamed",
        "`Unnamed<Name>` does not open a subscription on",
    ),
    (
        "settings/batch_without_batches",
        "does not deliver messages in batches",
    ),
    (
        "settings/not_a_source",
        "does not name a subscription source",
    ),
    (
        "settings/undocumented_twice",
        "this registration is already undocumented",
    ),
    (
        "documents/input_without_schema",
        "has no JSON Schema for the generated document",
    ),
    (
        "documents/reply_without_schema",
        "has no JSON Schema for the generated document",
    ),
    ("slots/unbound", "this registration is not ready to mount"),
    (
        "slots/unbound_on_a_router",
        "this registration is not ready to mount",
    ),
    (
        "slots/unbound_by_hand",
        "this registration is not ready to mount",
    ),
    (
        "slots/unknown_marker",
        "this registration has no unbound publish position marked",
    ),
    (
        "slots/bound_twice",
        "this registration has no unbound publish position marked",
    ),
    (
        "slots/unknown_marker_without_slots",
        "this registration has no unbound publish position marked",
    ),
    (
        "reply/bound_twice",
        "this registration has no unbound publish position marked",
    ),
    (
        "reply/bound_without_reply",
        "this registration has no unbound publish position marked",
    ),
    (
        "retry/retry_bound_twice",
        "this registration has no unbound publish position marked",
    ),
    (
        "retry/cap_twice",
        "`max_attempts(..)` has nothing to declare here",
    ),
    (
        "retry/cap_after_out_retry",
        "`max_attempts(..)` has nothing to declare here",
    ),
    (
        "retry/dead_letter_twice",
        "`dead_letter(..)` has nothing to declare here",
    ),
    (
        "retry/dead_letter_after_out_retry",
        "`dead_letter(..)` has nothing to declare here",
    ),
    (
        "retry/destination_of_nothing",
        "`.to(..)` has no destination to name here",
    ),
    (
        "retry/destination_of_a_reply",
        "`.to(..)` has no destination to name here",
    ),
    (
        "retry/destination_twice",
        "`.to(..)` has no destination to name here",
    ),
    (
        "retry/broker_moves",
        "descriptor `Queue` publishes no retry copy in this process",
    ),
    (
        "retry/router_without_destination",
        "this registration does not say where its retry copies go",
    ),
    (
        "retry/router_with_reading_transform",
        "this registration does not say where its retry copies go",
    ),
    (
        "retry/naming_an_addressed_copy",
        "`Retry` does not let a transform name the destination",
    ),
    (
        "retry/naming_a_named_copy",
        "`Retry` does not let a transform name the destination",
    ),
    (
        "reply/batch_transform_off_the_reply",
        "`.batch_transform(..)` and `.transactional()` ride the reply position",
    ),
    (
        "reply/transactional_off_the_reply",
        "`.batch_transform(..)` and `.transactional()` ride the reply position",
    ),
    (
        "slots/batch_steps",
        "`.batch_transform(..)` and `.transactional()` ride the reply position",
    ),
    ("mount/not_an_input", "`Parcel` is not a handler input"),
    ("reply/not_a_reply", "`Label` is not a reply value"),
    (
        "reply/undeclared",
        "`Label` does not declare where it is published",
    ),
    (
        "reply/template",
        "`Label` does not declare where it is published",
    ),
    (
        "reply/unnamed",
        "`Label` does not declare where it is published",
    ),
    (
        "reply/naming_a_declared_reply",
        "`Label` declares where it is published, so a transform cannot name its destination",
    ),
    (
        "reply/serialized_in_a_batch",
        "this reply's wire does not mount on this input family",
    ),
    (
        "publish/outside_the_list",
        "the `Audit` slot does not publish `Letter`",
    ),
    (
        "mount/carried_elsewhere",
        "the subscription `Name` does not carry `Frame`",
    ),
    (
        "mount/carried_batch_elsewhere",
        "does not lend batches of `Frame`",
    ),
    (
        "mount/set_under_another_codec",
        "the message set `Goods` does not decode with the codec `Plain`",
    ),
    ("mount/layer_of_an_app", "`Timing` cannot wrap"),
    ("mount/layer_of_a_router", "`Timing` cannot wrap"),
    ("mount/layer_of_a_route", "`Everywhere` cannot wrap"),
    // PUB 17
    ("publish/no_destination", "publish has no destination"),
    (
        "publish/no_destination_on_a_slot",
        "publish has no destination",
    ),
    (
        "publish/no_destination_in_a_transaction",
        "publish has no destination",
    ),
    ("publish/unbound_segment", "MissingSegment<Region>"),
    ("publish/no_headers", "WithHeaders<Meta>"),
    ("publish/no_headers_in_a_template", "WithHeaders<Meta>"),
    ("publish/headers_of_another_type", "WithHeaders<Meta>"),
    ("publish/headers_in_a_map", "WithHeaders<Meta>"),
    ("publish/no_wire", "`Label` has no wire to leave on"),
    (
        "publish/codec_of_own_bytes",
        "<Label as MessageWire>::Wire == EncodedWire",
    ),
    (
        "publish/outside_the_set",
        "`Letter` is not in the message set `(Label, Note)`",
    ),
    (
        "publish/outside_the_enum",
        "`Letter` is not in the message set `Goods`",
    ),
    ("publish/not_a_set", "the message set `Goods`"),
    (
        "publish/set_member_unpublishable",
        "`Label` cannot be published through the slot `Audit`",
    ),
    (
        "reply/codec_twice",
        "`.codec(..)` has no codec to name here",
    ),
    (
        "slots/codec_twice",
        "`.codec(..)` has no codec to name here",
    ),
    (
        "reply/transactional_twice",
        "this reply position is already transactional",
    ),
    (
        "reply/transactional_without_transactions",
        "`MemoryRequester` has no transactions",
    ),
    (
        "reply/transform_before_a_position",
        "no publish position precedes this step",
    ),
    (
        "slots/transform_before_a_position",
        "no publish position precedes this step",
    ),
    (
        "slots/reply_transform",
        "`ToInbox` is not a publish transform for this position",
    ),
    (
        "slots/transform_of_other_options",
        "`Urgent` is not a publish transform for this position",
    ),
    (
        "reply/slot_transform",
        "`Stamp` is not a publish transform for this position",
    ),
    (
        "reply/transform_of_other_options",
        "`Urgent` is not a publish transform for this position",
    ),
    (
        "reply/naming_a_batch_reply",
        "`Vec<Label>` does not let a transform name the destination",
    ),
    (
        "slots/naming_a_declared_slot",
        "`Audit` does not let a transform name the destination",
    ),
    (
        "slots/naming_the_default_slot",
        "DefaultSlot` does not let a transform name the destination",
    ),
    (
        "reply/naming_twice",
        "a transform on this position names the destination already",
    ),
    (
        "slots/naming_twice",
        "a transform on this position names the destination already",
    ),
    (
        "retry/naming_twice",
        "a transform on this position names the destination already",
    ),
    (
        "slots/naming_and_requests",
        "NamedDestinationSend<MemoryRequester>` cannot send requests",
    ),
    (
        "slots/naming_and_transactions",
        "NamedDestinationSend<MemoryPublisher>` has no transactions",
    ),
    (
        "slots/no_requests",
        "`MemoryPublisher` cannot send requests",
    ),
    (
        "slots/no_requests_on_a_router",
        "`MemoryPublisher` cannot send requests",
    ),
    (
        "slots/no_requests_by_hand",
        "`MemoryPublisher` cannot send requests",
    ),
    (
        "slots/no_transactions",
        "`MemoryRequester` has no transactions",
    ),
    (
        "slots/no_owned_transactions",
        "`MemoryRequester` opens no transactions of its own",
    ),
    (
        "slots/not_built",
        "unused `MountingSlots` that must be used",
    ),
    // The remedy, where a newcomer reads no further.
    ("macros/app_async", "remove `async`"),
    (
        "macros/subscriber_reply_error",
        "`.map_err(|_| HandlerOutcome::retry())`",
    ),
    (
        "mount/hook_with_a_boxed_error",
        "make its error one type that implements `Error + Send + Sync`",
    ),
    ("mount/layer_after_a_broker", "come before the first broker"),
    ("mount/state_after_a_broker", "come before the first broker"),
    (
        "mount/not_a_definition",
        "is its `#[subscriber(..)]` missing?",
    ),
    ("mount/not_an_input", "derive `serde::Deserialize`"),
    (
        "mount/not_an_outcome",
        "return `()` or a `HandlerOutcome`, or say `reply`",
    ),
    (
        "mount/extractor_of_another_state",
        "make the state in `on_startup`",
    ),
    (
        "mount/not_a_codec",
        "turn on the feature `json`, or name one",
    ),
    ("publish/destination_twice", "remove `.to(..)`"),
    ("publish/headers_by_value", "`&value`"),
    ("publish/no_wire", "derive `serde::Serialize`"),
    ("publish/not_declared", "derive `Outgoing`"),
    ("reply/unreplied", "does its definition say `reply`?"),
    (
        "settings/batch_without_size",
        "`handler.batch(nonzero!(64))`",
    ),
    ("settings/unbuilt", "finish it with `.build()`"),
    ("slots/unbound", "`.out(Marker, policy)`"),
    ("settings/codec_twice", "keep one `.codec(..)`"),
    ("publish/headers_twice", "keep one `.with_headers(..)`"),
    ("reply/named_twice", "keep one `.to(..)`"),
    // CORE-290, CORE-302, CORE-054
    (
        "retry/unaddressed",
        "`Unaddressed` declares `AddressedCopies` but says no address",
    ),
    (
        "retry/no_default_publish",
        "`ConnectedElsewhere` has no default publish policy",
    ),
    (
        "reply/no_default_publish",
        "`ConnectedElsewhere` has no default publish policy",
    ),
    (
        "settings/start_at_without_positions",
        "does not open a subscription on",
    ),
    (
        "publish/not_declared",
        "`Label` does not declare its destination",
    ),
];

// CORE-292
#[test]
fn the_first_line_says_what_is_wrong() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    for (case, text) in TEXTS {
        let snapshot = fs::read_to_string(cases.join(case).with_extension("stderr"))
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        let first = snapshot
            .lines()
            .find(|line| line.starts_with("error"))
            .unwrap_or_default();
        assert!(
            first.contains(text),
            "{case}: `{first}` does not say `{text}`"
        );
    }
}

/// What a row of PUB 17 promises beyond the first line: a case, and what its snapshot contains.
const LABELS: &[(&str, &[&str])] = &[
    (
        "slots/reply_transform",
        &["of the kind `ForSlot` and its publisher's options are `()`"],
    ),
    (
        "slots/transform_of_other_options",
        &[
            "of the kind `ForSlot` and its publisher's options are `()`",
            "expected `Urgency`, found `()`",
        ],
    ),
    (
        "reply/slot_transform",
        &["of the kind `ForReply` and its publisher's options are `()`"],
    ),
    (
        "reply/transform_of_other_options",
        &[
            "of the kind `ForReply` and its publisher's options are `()`",
            "expected `Urgency`, found `()`",
        ],
    ),
    (
        "reply/transactional_without_transactions",
        &["not a `TransactionalPublisher`"],
    ),
    (
        "slots/naming_and_transactions",
        &["not a `TransactionalPublisher`"],
    ),
    ("slots/naming_and_requests", &["not a `RequestReply`"]),
    ("slots/no_requests", &["not a `RequestReply`"]),
    ("slots/no_transactions", &["not a `TransactionalPublisher`"]),
    (
        "slots/no_owned_transactions",
        &["not an `OwnedTransactions`"],
    ),
    ("slots/bound_twice", &["marked `Audit`"]),
    ("slots/unknown_marker", &["marked `Archive`"]),
    ("reply/bound_twice", &["Reply`"]),
    (
        "macros/subscriber_reply_unserializable",
        &["`Label: serde::Serialize` is not satisfied"],
    ),
    (
        "retry/router_without_destination",
        &["`.to(\"parcels.again\")`", "`type Destination = Names`"],
    ),
];

#[test]
fn what_the_first_line_leaves_open_is_said_below_it() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    for (case, texts) in LABELS {
        let snapshot = fs::read_to_string(cases.join(case).with_extension("stderr"))
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        for text in *texts {
            assert!(snapshot.contains(text), "{case} does not say `{text}`");
        }
    }
}

// Slots name what is missing in the label of their error.
#[test]
fn an_unbound_slot_is_named() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/slots");
    for case in ["unbound", "unbound_on_a_router", "unbound_by_hand"] {
        let snapshot = fs::read_to_string(cases.join(case).with_extension("stderr"))
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        assert!(snapshot.contains("MissingSlot<Audit>"), "{case}");
    }
}

/// What a snapshot says in the first line of each of its errors, and in which one it is.
fn first_lines() -> Vec<(String, String)> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let mut found = Vec::new();
    for folder in fs::read_dir(cases).expect("the cases") {
        let folder = folder.expect("readable").path();
        if !folder.is_dir() {
            continue;
        }
        for case in fs::read_dir(folder).expect("readable") {
            let case = case.expect("readable").path();
            if case.extension().is_some_and(|is| is == "stderr") {
                let snapshot = fs::read_to_string(&case).expect("a text");
                let lines = snapshot.lines().filter(|line| line.starts_with("error"));
                let name = case.display().to_string();
                found.extend(lines.map(|line| (name.clone(), line.to_owned())));
            }
        }
    }
    found
}

// RUN-475
#[test]
fn an_error_that_a_trait_of_ours_carries_names_the_remedy_in_its_first_line() {
    let carried: Vec<_> = first_lines()
        .into_iter()
        .filter_map(|(case, line)| {
            let said = line.strip_prefix("error[E0277]: ")?.to_owned();
            (!said.starts_with("the trait bound")).then_some((case, said))
        })
        .collect();
    assert!(carried.len() > 150, "{}", carried.len());

    let silent: Vec<_> = carried
        .iter()
        .filter(|(_, said)| !said.contains(": ") && !said.contains(", call "))
        .collect();
    assert!(silent.is_empty(), "{silent:#?}");
}
