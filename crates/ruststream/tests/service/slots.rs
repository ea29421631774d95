//! Slots: what a policy becomes, and how often.

use std::collections::HashSet;

use ruststream::prelude::*;
use ruststream::runtime::{BrokerScope, Identity};

use crate::support::{Clerk, Journal, Publish, Transport, Yard, service_with};

/// Tells live values apart.
trait Which {
    fn which(&self) -> String;
}

impl Which for Clerk {
    fn which(&self) -> String {
        format!("{:p}", std::ptr::from_ref(self))
    }
}

impl<M, W: Which, E, Pipe, Body> Which for Slot<M, W, E, Pipe, Body> {
    fn which(&self) -> String {
        (**self).which()
    }
}

#[subscriber("parcels", reply("labels"))]
async fn tells(
    id: &u32,
    ctx: &mut Context<'_, (), Journal>,
    Out(slot): Out<impl Which>,
) -> Result<String, HandlerOutcome> {
    let journal = ctx.state().clone();
    journal.note(format!("through {}", slot.which()));
    tokio::task::yield_now().await;
    if id.is_multiple_of(4) && journal.beginning(&format!("again {id}")).is_empty() {
        journal.note(format!("again {id}"));
        return Err(HandlerOutcome::retry());
    }
    Ok(id.to_string())
}

type Scope = BrokerScope<Yard, Identity, (), Journal>;

/// Mounts the definition with a policy for each position.
macro_rules! mounted {
    ($b:ident, $definition:expr) => {
        $b.include($definition)
            .max_attempts(nonzero!(5u32))
            .out(DefaultSlot, Publish::named("slot"))
            .out_reply(Publish::named("reply"))
            .out_retry(Publish::named("retry"))
            .build()
    };
}

// PUB-211, PUB-506
#[tokio::test]
async fn a_policy_pairs_once_for_its_position_and_its_live_value_serves_every_worker() {
    let forms: [fn(&mut Scope); 4] = [
        |b| mounted!(b, tells),
        |b| mounted!(b, tells.workers(nonzero!(4))),
        |b| mounted!(b, tells.workers_by_key(nonzero!(4))),
        |b| mounted!(b, tells.threads(nonzero!(2))),
    ];
    for mount in forms {
        let yard = Yard::new(Transport::PLAIN);
        let journal = yard.journal().clone();
        yard.send_all("parcels", 0..40);
        let app = service_with(journal.clone()).with_broker(yard.clone(), mount);
        let running = app.start().await.expect("starts");
        journal.until_count(40, "ack").await;
        running.shutdown().await.expect("stops");

        assert_eq!(
            journal.beginning("pair"),
            ["pair reply", "pair retry", "pair slot"]
        );
        let through = journal.beginning("through");
        assert_eq!(through.len(), 50);
        assert_eq!(through.iter().collect::<HashSet<_>>().len(), 1);
    }
}

// PUB-506
#[tokio::test]
async fn registrations_of_one_definition_have_live_values_of_their_own() {
    let yard = Yard::new(Transport::PLAIN);
    let journal = yard.journal().clone();
    let app = service_with(journal.clone()).with_broker(yard.clone(), |b| {
        mounted!(b, tells);
        mounted!(b, tells);
    });
    let running = app.start().await.expect("starts");
    // Both take from one queue, each when the other one waits.
    for id in [1, 2, 3] {
        yard.send("parcels", crate::support::Letter::new(id));
    }
    journal.until_count(3, "ack").await;
    running.shutdown().await.expect("stops");

    assert_eq!(journal.beginning("pair slot").len(), 2);
    let through = journal.beginning("through");
    assert_eq!(through.iter().collect::<HashSet<_>>().len(), 2);
}
