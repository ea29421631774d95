//! A definition is a value: its settings, and what it says about itself when it is mounted.

use ruststream::memory::ConnectedMemoryBroker;
use ruststream::memory::prelude::*;
use ruststream::runtime::{Declared, HandlerMetadata, OutgoingKind, Placement};
use serde::{Deserialize, Serialize};

/// A parcel was scanned.
#[derive(Debug, Clone, Serialize, Deserialize, Outgoing)]
#[outgoing(name = "depot.{city}.scans")]
struct Scan {
    parcel: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, Outgoing)]
#[outgoing(name = "labels")]
struct Label {
    parcel: u64,
}

#[derive(Debug, Serialize, Outgoing)]
struct Note {
    parcel: u64,
}

#[derive(OutSlot)]
#[publishes(Scan, Label)]
struct Audit;

#[derive(Debug, Deserialize)]
struct Meta {
    gate: u32,
}

/// Books a parcel
///
/// into the warehouse.
#[subscriber("parcels", workers(4, by_key), on_failure(panic = skip))]
async fn book(scan: &Scan) {
    let _ = scan.parcel;
}

#[subscriber(MemorySource::new("parcels"), threads(2))]
async fn on_threads(_scan: &Scan) {}

#[subscriber]
async fn unnamed(_scan: &Scan) {}

#[subscriber("parcels", workers(configured()))]
async fn configured_to_zero(_scan: &Scan) {}

fn configured() -> usize {
    0
}

#[subscriber("parcels", reply("ignored"))]
async fn label(scan: &Scan) -> Label {
    Label {
        parcel: scan.parcel,
    }
}

#[subscriber("parcels", publish("notes"))]
async fn note(scan: &Scan, Out(audit): Out<impl Publisher, Audit, (Label,)>) -> Note {
    let _ = audit
        .message(&Label {
            parcel: scan.parcel,
        })
        .publish()
        .await;
    Note {
        parcel: scan.parcel,
    }
}

#[subscriber("parcels")]
async fn audited(
    scan: &Scan,
    Out(audit): Out<impl Publisher, Audit>,
    Headers(meta): Headers<Meta>,
) {
    let _ = (scan, meta.gate);
    let _ = audit.message(scan).to().city("Oslo").publish().await;
}

fn mounted<D>(
    mount: impl FnOnce(&mut ruststream::runtime::BrokerScope<MemoryBroker>) -> D,
) -> HandlerMetadata {
    let app =
        RustStream::new(AppInfo::new("parcels", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
            mount(b);
        });
    let [handler] = app.handlers() else {
        panic!("one handler is mounted")
    };
    handler.clone()
}

// MAC-32, MAC-34, MAC-14
#[test]
fn a_clause_is_the_builder_step_of_the_same_name() {
    let settings = book.declare();
    assert_eq!(settings.dispatch(), Workers::keyed(nonzero!(4)));
    assert_eq!(settings.batch_size(), None);
    assert_eq!(
        settings.subscription_name::<ConnectedMemoryBroker>(),
        "parcels"
    );
    assert_eq!(
        on_threads.declare().dispatch().placement(),
        Placement::Threads
    );
    let named = unnamed.name("parcels").workers(nonzero!(3));
    assert_eq!(named.dispatch(), Workers::pool(nonzero!(3)));
}

// MAC-14, trap 8
#[test]
#[should_panic(expected = "`workers(..)` on the subscriber `configured_to_zero`")]
fn a_count_that_comes_out_as_zero_names_its_clause_and_handler() {
    let _ = configured_to_zero.declare();
}

// MAC-30
#[test]
fn one_definition_mounts_any_number_of_times() {
    let app = RustStream::new(AppInfo::new("parcels", "1.0.0"))
        .with_broker(MemoryBroker::new(), |b| {
            b.include(book);
            b.include(book);
        })
        .with_broker(MemoryBroker::new(), |b| {
            b.include(book);
        });
    assert_eq!(app.handlers().len(), 3);
}

// MAC-05, MAC-37
#[test]
fn the_doc_comment_and_the_message_describe_the_handler() {
    let handler = mounted(|b| {
        b.include(book);
    });
    assert_eq!(
        handler.description.as_deref(),
        Some("Books a parcel\n\ninto the warehouse.")
    );
    assert_eq!(handler.message_name.as_deref(), Some("Scan"));
    assert_eq!(
        handler.message_description.as_deref(),
        Some("A parcel was scanned.")
    );
    assert!(handler.outgoing.is_empty());
}

// MAC-13, MAC-37, PUB-307
#[test]
fn a_reply_is_documented_at_the_destination_its_type_fixes() {
    let handler = mounted(|b| {
        b.include(label);
    });
    let [answer] = handler.outgoing.as_slice() else {
        panic!("{:?}", handler.outgoing)
    };
    assert_eq!(answer.channel, "labels");
    assert_eq!(answer.kind, OutgoingKind::Answer);
    assert_eq!(answer.message_name, Some("Label"));
    assert!(!answer.serialized);
}

// MAC-37, CORE-125
#[test]
fn a_narrowed_slot_is_documented_with_what_it_publishes() {
    let handler = mounted(|b| {
        b.include(note).out(Audit, Publish).build();
    });
    let channels: Vec<_> = handler
        .outgoing
        .iter()
        .map(|entry| (&*entry.channel, entry.kind))
        .collect();
    assert_eq!(
        channels,
        [
            ("notes", OutgoingKind::Answer),
            ("labels", OutgoingKind::SlotEntry)
        ]
    );
}

// MAC-37, MAC-53, MAC-56
#[test]
fn an_open_slot_is_documented_with_what_its_marker_lists() {
    let handler = mounted(|b| {
        b.include(audited).out(Audit, Publish).build();
    });
    let channels: Vec<_> = handler
        .outgoing
        .iter()
        .map(|entry| &*entry.channel)
        .collect();
    assert_eq!(channels, ["depot.{city}.scans", "labels"]);
    assert_eq!(handler.outgoing[0].parameters, ["city"]);
    assert_eq!(
        handler.outgoing[0].message_description,
        Some("A parcel was scanned.")
    );
}
