//! Several brokers in one service.

use futures_util::StreamExt;
use ruststream::memory::prelude::*;
use ruststream::runtime::{OutgoingKind, RustStreamError};
use ruststream::{OutgoingMessage, ServerSpec, Subscriber};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::support::{
    self, Backwards, Journal, Letter, Logs, Transport, Yard, answers, copies, lines, service,
    service_with,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
struct Parcel {
    id: u32,
}

/// What reached the end of its way.
type Arrivals = UnboundedSender<String>;

#[subscriber("parcels")]
async fn forwards(parcel: &Parcel, Out(out): Out<impl Publisher>) -> HandlerOutcome {
    match out.message(parcel).to("forwarded").publish().await {
        Ok(()) => HandlerOutcome::ack(),
        Err(_) => HandlerOutcome::retry(),
    }
}

#[subscriber("forwarded", reply("labels"))]
async fn labels(parcel: &Parcel) -> Parcel {
    Parcel { id: parcel.id + 1 }
}

#[subscriber("labels")]
async fn arrives(parcel: &Parcel, ctx: &mut Context<'_, (), Arrivals>) {
    ctx.state()
        .send(format!("label {}", parcel.id))
        .expect("the test waits");
}

// PUB-750, PUB-751, RUN-015, RUN-050
#[tokio::test]
async fn tokens_carry_messages_to_another_broker_and_back() {
    let (arrivals, mut arrived) = unbounded_channel();
    let memory = MemoryBroker::new();
    let bindable = memory.clone().bindable();
    let back = bindable.bind(Publish);
    let yard = Yard::new(Transport::PLAIN);
    let south = yard.clone().bindable();
    // Bound before the broker it belongs to is connected.
    let there = south.bind(support::Publish::named("there"));
    let app = service_with(arrivals)
        .with_broker(bindable, |b| {
            b.include(forwards).out(DefaultSlot, there).build();
            b.include(arrives);
        })
        .with_broker(south, |b| {
            b.include(labels).out_reply(back);
        });
    let running = app.start().await.expect("starts");

    memory
        .publisher()
        .message(&Parcel { id: 41 })
        .to("parcels")
        .publish()
        .await
        .expect("publishes");

    assert_eq!(arrived.recv().await.as_deref(), Some("label 42"));
    running.shutdown().await.expect("stops");
    assert_eq!(yard.journal().beginning("ack"), [r#"ack {"id":41}"#]);
    assert_eq!(yard.journal().beginning("shutdown"), ["shutdown yard"]);
}

// PUB-751, RUN-332, RUN-334
#[tokio::test]
async fn a_token_brings_retry_copies_to_another_broker() {
    let journal = Journal::default();
    let north = Yard::named("north", Transport::PLAIN, &journal);
    let south = Yard::named("south", Transport::PLAIN, &journal);
    north.send("parcels", Letter::new(7));
    let bindable = south.clone().bindable();
    let token = bindable.bind(support::Publish::named("south's"));
    let app = service()
        .with_broker(north.clone(), |b| {
            b.include(subscriber("parcels", answers(|_, _| HandlerOutcome::retry())).build())
                .max_attempts(nonzero!(3u32))
                .out_retry(token)
                .to("quarantine");
        })
        .with_broker(bindable, |b| {
            let body = answers(|_, ctx| {
                assert_eq!(copies(ctx), 1);
                HandlerOutcome::ack()
            });
            b.include(subscriber("quarantine", body).build());
        });
    let running = app.start().await.expect("starts");

    journal.until_line("ack 7").await;

    running.shutdown().await.expect("stops");
    assert_eq!(
        journal.beginning("shutdown"),
        ["shutdown south", "shutdown north"]
    );
    assert!(north.waiting("quarantine").is_empty());
}

// RUN-033, PUB-752, RUN-014
#[tokio::test]
async fn the_handle_publishes_on_any_of_the_brokers_and_on_no_other() {
    let (one, other) = (
        MemoryBroker::new().bindable(),
        MemoryBroker::new().bindable(),
    );
    let stranger = MemoryBroker::new().bindable();
    let tokens = [one.bind(Publish), other.bind(Publish)];
    let strange = stranger.bind(Publish);
    let mut inboxes = [one.broker(), other.broker()].map(|broker| broker.subscribe("parcels"));
    let app = service().with_broker(one, |_| {}).register_broker(other);
    let running = app.start().await.expect("starts");

    for (id, token) in (1..).zip(tokens) {
        let publisher = running.publisher(token).await.expect("pairs");
        publisher
            .message(&Parcel { id })
            .to("parcels")
            .publish()
            .await
            .expect("publishes");
    }

    for (id, inbox) in (1..).zip(&mut inboxes) {
        use futures_util::StreamExt as _;
        use ruststream::Subscriber as _;
        let delivery = std::pin::pin!(inbox.stream())
            .next()
            .await
            .expect("is there")
            .expect("reads");
        assert_eq!(delivery.payload(), format!(r#"{{"id":{id}}}"#).as_bytes());
        delivery.ack().await.expect("acks");
    }
    let refused = running
        .publisher(strange)
        .await
        .expect_err("is none of the service's");
    assert!(refused.to_string().contains("not connected"), "{refused}");
    running.shutdown().await.expect("stops");
}

#[subscriber("parcels")]
async fn counted(_id: &u32) {}

// RUN-016, RUN-017, RUN-050 step 3
#[tokio::test]
async fn a_label_names_a_broker_in_logs_servers_and_metadata() {
    let journal = Journal::default();
    let yard = |name| Yard::named(name, Transport::PLAIN, &journal);
    let explicit = ServerSpec::new("depot.example", "nosj");
    let app = service()
        .server("south", explicit.clone())
        .with_broker_labeled("north", yard("host of north"), |b| {
            b.include(counted);
        })
        .with_broker_labeled_codec("south", yard("host of south"), Backwards, |b| {
            b.include(counted);
        })
        .with_broker(yard("host of nobody"), |b| {
            b.include(counted);
        });
    let servers: Vec<_> = app
        .handlers()
        .iter()
        .map(|meta| meta.server.as_deref())
        .collect();
    assert_eq!(servers, [Some("north"), Some("south"), None]);
    assert_eq!(
        app.servers()["north"].host.as_deref(),
        Some("host of north")
    );
    assert_eq!(app.servers()["south"], explicit);
    assert_eq!(app.servers().len(), 2);
    let logs = Logs::start();

    app.start()
        .await
        .expect("starts")
        .shutdown()
        .await
        .expect("stops");

    let connected = logs.with("broker connected");
    assert_eq!(connected.len(), 3);
    for (line, name) in connected
        .iter()
        .zip(["broker=\"north\"", "broker=\"south\"", "Yard\""])
    {
        assert!(
            line.starts_with("INFO ruststream::lifecycle: ") && line.ends_with(name),
            "{line}"
        );
    }
    let closed = logs.with("broker shut down");
    assert!(
        closed[0].contains("Yard") && closed[2].ends_with("broker=\"north\""),
        "{closed:?}"
    );
}

// RUN-011, RUN-100, RUN-101
#[test]
fn a_scope_lends_its_broker_and_the_builder_has_no_state_of_its_own() {
    use ruststream::runtime::{BrokerScope, Identity, PublishIdentity, Setup};

    let app: RustStream<Identity, (), PublishIdentity, Setup> =
        RustStream::new(AppInfo::new("depot", "1.0.0"));
    let mut shown = String::new();
    let mut seen = None;
    let _ = app.with_broker(MemoryBroker::new(), |b| {
        // Nothing is named yet: no layer, no codec, no state, no publish layer.
        let b: &mut BrokerScope<MemoryBroker, Identity, (), (), PublishIdentity> = b;
        shown = format!("{b:?}");
        seen = Some(b.broker().clone());
    });

    assert!(shown.starts_with("BrokerScope"), "{shown}");
    assert!(seen.is_some());
}

// RUN-119, RUN-118
#[tokio::test]
async fn one_definition_is_mounted_as_often_as_it_is_included() {
    let journal = Journal::default();
    let north = Yard::named("north", Transport::PLAIN, &journal);
    let south = Yard::named("south", Transport::PLAIN, &journal);
    let app = service()
        .with_broker(north.clone(), |b| {
            b.broker().send_all("parcels", [1]);
            b.include(counted);
            b.include(counted);
        })
        .with_broker(south.clone(), |b| {
            b.broker().send_all("parcels", [2]);
            b.include_router(Router::new().include(counted));
        });
    let running = app.start().await.expect("starts");

    journal.until_count(2, "ack").await;

    running.shutdown().await.expect("stops");
    let mut told = journal.take();
    told.retain(|line| line.starts_with("open") || line.starts_with("pair"));
    let once = ["pair default", "open parcels"];
    assert_eq!(lines(&told), [once, once, once].concat());
}

/// It knows of no broker.
mod bodies {
    use ruststream::prelude::*;

    #[subscriber("parcels", reply("labels"))]
    pub(super) async fn notes(id: &u32, Out(audit): Out<impl Publisher>) -> String {
        let _ = audit.message(&vec![*id]).to("audit").publish().await;
        id.to_string()
    }
}

/// The yard's prelude, as its crate would have one.
mod yard {
    pub(crate) use ruststream::prelude::*;

    pub(crate) use crate::support::{Publish, Yard as TheBroker};
}

mod memory {
    pub(crate) use ruststream::memory::prelude::*;

    pub(crate) type TheBroker = MemoryBroker;
}

/// A routes file, over and over but for the one import.
macro_rules! routes {
    ($file:ident imports $prelude:ident) => {
        mod $file {
            use super::$prelude::*;
            use ruststream::runtime::BrokerScope;

            pub(super) fn mount(b: &mut BrokerScope<TheBroker>) {
                b.include(super::bodies::notes)
                    .out(DefaultSlot, <Publish as Default>::default())
                    .max_attempts(nonzero!(2u32))
                    .build();
            }
        }
    };
}

routes!(routes_of_the_yard imports yard);
routes!(routes_in_memory imports memory);

// CORE-278
#[tokio::test]
async fn changing_brokers_changes_one_import_of_the_routes() {
    let (at_yard, in_memory) = (Yard::new(Transport::PLAIN), MemoryBroker::new());
    let mut replies = in_memory.subscribe("labels");
    let app = service()
        .with_broker(at_yard.clone(), routes_of_the_yard::mount)
        .with_broker(in_memory.clone(), routes_in_memory::mount);
    let running = app.start().await.expect("starts");

    at_yard.send("parcels", Letter::new(7));
    let publisher = in_memory.publisher();
    let body = OutgoingMessage::new("parcels", b"7");
    Publisher::publish(&publisher, body, None)
        .await
        .expect("publishes");

    let label = replies.stream().next().await.expect("open");
    assert_eq!(label.expect("infallible").payload(), b"\"7\"");
    at_yard.journal().until_line("ack 7").await;
    running.shutdown().await.expect("stops");
    let replied = &at_yard.waiting("labels")[0];
    assert_eq!(replied.text(), "\"7\"");
    assert_eq!(at_yard.waiting("audit")[0].text(), "[7]");
}

#[subscriber("parcels", reply("labels"))]
async fn echoes(id: &u32) -> u32_label::Label {
    u32_label::Label(*id)
}

mod u32_label {
    use ruststream::prelude::*;
    use serde::Serialize;

    #[derive(Debug, Serialize, Outgoing)]
    pub(super) struct Label(pub(super) u32);
}

// RUN-161, RUN-117, RUN-015, RUN-193
#[tokio::test]
async fn the_codec_of_a_definition_wins_over_the_scopes_and_replies_follow_neither() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new("21"));
    yard.send("plain", Letter::new("12"));
    let app = service().with_broker_codec(yard.clone(), Backwards, |b| {
        b.include(echoes);
        let body = answers(|number, _| {
            assert_eq!(number, 12);
            HandlerOutcome::ack()
        });
        let json = ruststream::codec::JsonCodec;
        b.include(subscriber("plain", body).codec(json).build())
            .dead_letter("plain.dead");
    });
    let types: Vec<_> = app
        .handlers()
        .iter()
        .map(|meta| meta.content_type)
        .collect();
    assert_eq!(types, [Some("application/nosj"), Some("application/json")]);
    let outgoing = |at: usize, kind| {
        let all = &app.handlers()[at].outgoing;
        all.iter()
            .find(|entry| entry.kind == kind)
            .map(|entry| entry.content_type)
    };
    assert_eq!(
        outgoing(0, OutgoingKind::Answer),
        Some(Some("application/json"))
    );
    assert_eq!(
        outgoing(1, OutgoingKind::DeadLetter),
        Some(Some("application/json"))
    );
    let running = app.start().await.expect("starts");

    yard.journal().until_count(2, "ack").await;

    running.shutdown().await.expect("stops");
    assert_eq!(yard.waiting("labels")[0].text(), "12");
}

// RUN-050 step 3, RUN-002
#[tokio::test]
async fn brokers_connect_in_order_and_the_first_that_does_not_ends_the_start() {
    let journal = Journal::default();
    let yards =
        ["north", "east", "south"].map(|name| Yard::named(name, Transport::PLAIN, &journal));
    yards[1].fail("connect", 1);
    let [north, east, south] = yards;
    let app = service()
        .register_broker(north)
        .register_broker(east)
        .register_broker(south);

    let Err(RustStreamError::Connect(error)) = app.start().await else {
        panic!("connected");
    };

    assert_eq!(error.to_string(), "the yard refuses: connect east");
    assert_eq!(
        lines(&journal.take()),
        ["connect north", "connect east!", "shutdown north"]
    );
}
