//! Retries of batch elements, each a delivery of its own (RUN-351, RUN-352, RUN-364, RUN-366).

use ruststream_core::{BuildBatchContext, Field, nonzero};
use ruststream_runtime::{
    Context, ForReply, HandlerOutcome, Outgoing, PublishContext, PublishTransform, Reads,
    SubscriberSettings, subscriber,
};

use crate::depot::{Hub, Over, Parcel, Publish, each, lines, parcel, run};

const COUNT: &str = "x-ruststream-retry-count";

fn nonzero_u32(n: u32) -> std::num::NonZeroU32 {
    std::num::NonZeroU32::new(n).expect("not zero")
}

// RUN-364, RUN-341, RUN-345, RUN-346
#[tokio::test]
async fn each_element_is_retried_and_carried_away_by_its_own_count() {
    let batch = vec![
        parcel(0),
        parcel(1)
            .with_header(COUNT, "1")
            .with_header("tenant", "north"),
        parcel(2).delivered(1),
        parcel(3).delivered(2),
    ];
    let hub = Hub::with(vec![batch]);
    let ran = run(&hub, |scope| {
        let body = each(HandlerOutcome::retry);
        scope
            .include(
                subscriber("parcels", body)
                    .batch(nonzero!(8))
                    .undocumented()
                    .build(),
            )
            .max_attempts(nonzero_u32(2))
            .dead_letter("parcels.lost");
    })
    .await;

    let expected = [
        "publish parcels 0 x-ruststream-retry-count=1",
        "drop 0",
        "publish parcels.lost 1 tenant=north x-ruststream-retry-count=1",
        "drop 1",
        "requeue 2",
        "publish parcels.lost 3",
        "drop 3",
    ];
    assert_eq!(lines(&ran.journal), expected);
}

// RUN-351, RUN-352, RUN-362, trap 52
#[tokio::test]
async fn what_has_used_up_its_attempts_is_carried_away_before_anything_is_decoded() {
    let batch = vec![
        parcel(0).holding("torn"),
        parcel(1).delivered(3).holding("torn"),
        parcel(2).delivered(2),
        parcel(3).with_header(COUNT, "2"),
    ];
    let hub = Hub::with(vec![batch, vec![parcel(4).delivered(9)]]);
    let ran = run(&hub, |scope| {
        let body = Over(|input: &[u32], _: &mut Context<'_>| {
            assert_eq!(input, [2]);
            async { Ok(()) }
        });
        scope
            .include(
                subscriber("parcels", body)
                    .batch(nonzero!(8))
                    .undocumented()
                    .build(),
            )
            .max_attempts(nonzero_u32(2))
            .dead_letter("parcels.lost");
    })
    .await;

    let expected = [
        "publish parcels.lost torn",
        "drop 1",
        "publish parcels.lost 3 x-ruststream-retry-count=2",
        "drop 3",
        "drop 0",
        "ack 2",
        "publish parcels.lost 4",
        "drop 4",
    ];
    assert_eq!(lines(&ran.journal), expected);
    ran.result.unwrap();
}

/// The number of a delivery.
struct Number(u32);

impl BuildBatchContext<Parcel> for Number {
    fn build(first: &Parcel) -> Self {
        Self(first.id)
    }
}

struct Id;

impl Field<Number> for Id {
    type Value<'a> = u32;
    fn get(self, number: &Number) -> u32 {
        number.0
    }
}

/// Writes the context it sees into a header.
struct Stamp;

impl<Options> PublishTransform<ForReply<Number>, Options> for Stamp {
    type Destination = Reads;
    fn apply(
        &self,
        out: &mut Outgoing<'_>,
        _: &mut Option<Options>,
        cx: &PublishContext<'_, Number>,
    ) {
        let tenant = cx.headers().get_str("tenant").unwrap_or("none");
        let seen = format!("{} {} {tenant}", cx.name(), cx.context(Id));
        out.headers_mut().insert("seen", seen);
    }
}

// RUN-366, CORE-195, RUN-332
#[tokio::test]
async fn a_copy_is_made_under_the_context_of_its_own_delivery() {
    let batch = vec![parcel(0), parcel(1).with_header("tenant", "north")];
    let hub = Hub::with(vec![batch]);
    let ran = run(&hub, |scope| {
        let body = Over(|_: &[u32], ctx: &mut Context<'_, Number>| {
            ctx.headers_mut().insert("tenant", "nobody");
            std::future::ready(Err(vec![HandlerOutcome::ack(), HandlerOutcome::retry()]))
        });
        let body = unit(body);
        scope
            .include(
                subscriber("parcels", body)
                    .batch(nonzero!(8))
                    .undocumented()
                    .build(),
            )
            .max_attempts(nonzero_u32(3))
            .out_retry(Publish::default())
            .transform(Stamp)
            .to("parcels.again");
    })
    .await;

    let copy = "publish parcels.again 1 seen=parcels 1 north tenant=north \
                x-ruststream-retry-count=1";
    assert_eq!(lines(&ran.journal), ["ack 0", copy, "drop 1"]);
}

/// Fixes that the body has no reply.
fn unit<F>(body: Over<F>) -> Over<F>
where
    Over<F>: ruststream_runtime::Handle<[u32], (), (), Number>,
{
    body
}

// RUN-344, RUN-364
#[tokio::test(start_paused = true)]
async fn a_copy_that_does_not_leave_gives_its_own_element_back() {
    let hub = Hub::with(vec![vec![parcel(0), parcel(1)]]);
    hub.fail("publish parcels 0");
    let ran = run(&hub, |scope| {
        let body = each(HandlerOutcome::retry);
        scope
            .include(
                subscriber("parcels", body)
                    .batch(nonzero!(8))
                    .undocumented()
                    .build(),
            )
            .max_attempts(nonzero_u32(3));
    })
    .await;

    let expected = [
        "publish parcels 0 x-ruststream-retry-count=1!",
        "requeue 0",
        "publish parcels 1 x-ruststream-retry-count=1",
        "drop 1",
    ];
    assert_eq!(lines(&ran.journal), expected);
}
