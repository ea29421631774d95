//! Copies: where they go, and what is put on them.

use ruststream::prelude::*;
use ruststream::runtime::{
    BrokerScope, Outgoing, OutgoingKind, PublishContext, RETRY_COUNT_HEADER, RustStreamError,
};

use crate::support::{
    Berth, Filter, Letter, Publish, Transport, Yard, answers, copies, lines, serve, service,
};

fn retries() -> impl Handle<u32> {
    answers(|_, _| HandlerOutcome::retry())
}

/// Writes what it sees of the delivery into the copy.
#[derive(Clone, Copy)]
struct Trace;

impl<C, Options> PublishTransform<ForReply<C>, Options> for Trace {
    type Destination = Reads;

    fn apply(
        &self,
        out: &mut Outgoing<'_>,
        options: &mut Option<Options>,
        cx: &PublishContext<'_, C>,
    ) {
        assert!(options.is_none(), "a copy has no call that sets options");
        let count = cx.headers().get_str(RETRY_COUNT_HEADER).unwrap_or("none");
        let seen = format!("{} {count}", cx.name());
        out.headers_mut().insert("seen", seen);
    }
}

/// Sends copies beside the subscription they belong to.
#[derive(Clone, Copy)]
struct Beside;

impl<C, Options> PublishTransform<ForReply<C>, Options> for Beside {
    type Destination = Names;

    fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, cx: &PublishContext<'_, C>) {
        let tenant = cx.headers().get_str("tenant").unwrap_or("nobody");
        let name = format!("{}.{tenant}", cx.name());
        out.set_name(name);
    }
}

// RUN-334, RUN-331
#[tokio::test]
async fn copies_go_where_the_descriptor_says_which_is_asked_once_at_startup() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send_all("parcels", [7, 8]);

    let served = serve(&yard, 1, "drop 8", |b| {
        b.include(subscriber(Berth::new("parcels"), retries()).build())
            .max_attempts(nonzero!(2u32));
    })
    .await;

    let sent = yard.waiting("parcels.back");
    assert_eq!(
        sent.iter().map(Letter::text).collect::<Vec<_>>(),
        ["7", "8"]
    );
    let asked = served
        .journal
        .iter()
        .filter(|line| *line == "address parcels");
    assert_eq!(asked.count(), 1);
}

// RUN-334, RUN-346, trap 45
#[tokio::test]
async fn a_named_destination_wins_over_the_descriptors_and_is_none_of_a_dead_letters() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    yard.send("parcels", Letter::new(8).with(RETRY_COUNT_HEADER, "1"));

    let served = serve(&yard, 1, "drop 8", |b| {
        b.include(subscriber(Berth::new("parcels"), retries()).build())
            .max_attempts(nonzero!(2u32))
            .dead_letter("parcels.dead")
            .out_retry(Publish::default())
            .to("elsewhere");
    })
    .await;

    let expected = [
        "publish elsewhere 7 x-ruststream-retry-count=1",
        "drop 7",
        "publish parcels.dead 8 x-ruststream-retry-count=1",
        "drop 8",
    ];
    assert_eq!(lines(&served.dealings), expected);
}

// RUN-332, RUN-345, RUN-346, PUB-125
#[tokio::test]
async fn base_headers_lie_under_a_copy_and_transforms_see_the_delivery_as_it_came() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7).with("tenant", "north"));

    let served = serve(&yard, 2, "drop 7", |b| {
        let body = answers(|_, ctx| {
            ctx.headers_mut().insert(RETRY_COUNT_HEADER, "41");
            HandlerOutcome::retry()
        });
        b.include(subscriber("parcels", body).build())
            .max_attempts(nonzero!(2u32))
            .dead_letter("parcels.dead")
            .out_retry(
                Publish::named("retry")
                    .base("tenant", "nobody")
                    .base("via", "depot"),
            )
            .transform(Trace);
    })
    .await;

    let copy = "publish parcels 7 tenant=north via=depot x-ruststream-retry-count=1 \
                seen=parcels none";
    // What the service itself puts on that publisher applies to a dead letter too.
    let dead = "publish parcels.dead 7 tenant=north via=depot x-ruststream-retry-count=1 \
                seen=parcels 1";
    assert_eq!(lines(&served.dealings), [copy, "drop 7", dead, "drop 7"]);
}

async fn refusal(mount: impl FnOnce(&mut BrokerScope<Yard>)) -> (String, Vec<String>) {
    let yard = Yard::new(Transport::PLAIN);
    let app = service().with_broker(yard.clone(), mount);
    let Err(RustStreamError::Subscribe(refused)) = app.start().await else {
        panic!("not refused");
    };
    (refused.to_string(), yard.journal().take())
}

// RUN-335, RUN-331, RUN-051, trap 9
#[tokio::test]
async fn a_descriptor_that_cannot_address_copies_needs_a_destination_though_nothing_retries() {
    let refusals = [
        refusal(|b| drop(b.include(subscriber(Filter::new("parcels.*"), retries()).build()))).await,
        refusal(|b| {
            b.include(subscriber(Filter::new("parcels.*"), retries()).build())
                .out_retry(Publish::default())
                .transform(Trace);
        })
        .await,
    ];
    for (text, journal) in refusals {
        for part in [
            "`parcels.*`",
            "Filter`",
            "`Copies = NamedCopies`",
            ".out_retry(policy).to(\"name\")",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert_eq!(
            journal.iter().find(|line| line.starts_with("open")),
            None,
            "{journal:?}"
        );
    }
}

// RUN-334, RUN-335
#[tokio::test]
async fn a_destination_of_copies_that_have_no_address_is_a_name_or_a_transform_of_each_delivery() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("by name", Letter::new(7));
    yard.send("by transform", Letter::new(8).with("tenant", "north"));
    yard.send("by transform", Letter::new(9));

    let served = serve(&yard, 3, "drop", |b| {
        b.include(subscriber(Filter::new("by name"), retries()).build())
            .max_attempts(nonzero!(2u32))
            .out_retry(Publish::default())
            .to("again");
        b.include(subscriber(Filter::new("by transform"), retries()).build())
            .max_attempts(nonzero!(2u32))
            .out_retry(Publish::default())
            .transform(Beside);
    })
    .await;

    let mut published = served.dealings;
    published.retain(|line| line.starts_with("publish"));
    published.sort();
    let expected = [
        "publish again 7 x-ruststream-retry-count=1",
        "publish by transform.nobody 9 x-ruststream-retry-count=1",
        "publish by transform.north 8 tenant=north x-ruststream-retry-count=1",
    ];
    assert_eq!(lines(&published), expected);
}

// RUN-346, RUN-334
#[tokio::test]
async fn a_transform_that_names_retry_copies_does_not_move_a_dead_letter() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7).with(RETRY_COUNT_HEADER, "1"));

    let served = serve(&yard, 1, "drop 7", |b| {
        b.include(subscriber(Filter::new("parcels"), retries()).build())
            .max_attempts(nonzero!(2u32))
            .dead_letter("parcels.dead")
            .out_retry(Publish::default())
            .transform(Trace)
            .transform(Beside);
    })
    .await;

    let dead = "publish parcels.dead 7 x-ruststream-retry-count=1 seen=parcels 1";
    assert_eq!(lines(&served.dealings), [dead, "drop 7"]);
}

// RUN-130, RUN-331, RUN-341
#[tokio::test]
async fn a_route_of_a_router_makes_copies_as_a_mount_in_the_scope_does() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    let routes = Router::new()
        .include(subscriber("parcels", retries()).build())
        .max_attempts(nonzero!(2u32))
        .dead_letter("parcels.dead")
        .build();

    let served = serve(&yard, 2, "drop 7", |b| b.include_router(routes)).await;

    let copy = "publish parcels 7 x-ruststream-retry-count=1";
    let dead = "publish parcels.dead 7 x-ruststream-retry-count=1";
    assert_eq!(lines(&served.dealings), [copy, "drop 7", dead, "drop 7"]);
}

// RUN-344, trap 53
#[tokio::test]
async fn a_copy_may_be_handled_before_its_original_is_settled() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));

    let served = serve(&yard, 1, "ack 7", |b| {
        let body = answers(|_, ctx| match copies(ctx) {
            0 => HandlerOutcome::retry(),
            _ => HandlerOutcome::ack(),
        });
        b.include(subscriber("parcels", body).workers(nonzero!(2)).build())
            .max_attempts(nonzero!(5u32));
    })
    .await;

    let mut settled = served.dealings;
    settled.sort();
    let copy = "publish parcels 7 x-ruststream-retry-count=1";
    assert_eq!(lines(&settled), ["ack 7", "drop 7", copy]);
}

// RUN-355
#[test]
fn the_metadata_names_the_destinations_that_are_known_at_the_mount() {
    let app = service().with_broker(Yard::new(Transport::PLAIN), |b| {
        b.include(subscriber("parcels", retries()).build())
            .max_attempts(nonzero!(2u32))
            .dead_letter("parcels.dead")
            .out_retry(Publish::default())
            .to("parcels.again");
        b.include(subscriber("labels", retries()).build())
            .max_attempts(nonzero!(2u32));
    });

    let told = |at: usize| -> Vec<_> {
        let outgoing = app.handlers()[at].outgoing.iter();
        outgoing
            .map(|entry| (entry.channel.to_string(), entry.kind, entry.content_type))
            .collect()
    };
    let json = Some("application/json");
    let dead = ("parcels.dead".to_owned(), OutgoingKind::DeadLetter, json);
    let again = ("parcels.again".to_owned(), OutgoingKind::RetryCopy, json);
    let mut parcels = told(0);
    parcels.sort_by(|one, other| other.0.cmp(&one.0));
    assert_eq!(parcels, [dead, again]);
    assert_eq!(told(1), []);
}
