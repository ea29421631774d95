//! What is extracted for a body, and who is asked in which order.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use ruststream::prelude::*;

use crate::support::{Depot, Journal, Letter, Transport, Yard, lines, run_depot as run, service};

/// Says when it is asked, and refuses where the header says so.
struct Stage<const NUMBER: u32>;

impl<const NUMBER: u32, C: Send> FromContext<C, Depot> for Stage<NUMBER> {
    type Rejection = HandlerOutcome;

    async fn from_context(ctx: &mut Context<'_, C, Depot>) -> Result<Self, HandlerOutcome> {
        let journal = ctx.state().journal.clone();
        journal.note(format!("stage {NUMBER}"));
        let refuses = ctx.headers().get_str("refuses") == Some(&NUMBER.to_string());
        if refuses {
            let hook = async move { journal.note("hook of a refusal") };
            ctx.after(HandlerOutcome::drop()).then(hook);
            return Err(HandlerOutcome::drop());
        }
        Ok(Self)
    }
}

#[subscriber("parcels")]
async fn staged(
    id: &u32,
    _one: Stage<1>,
    State(journal): State<Journal>,
    _two: Stage<2>,
    _three: Stage<3>,
) {
    journal.note(format!("body {id}"));
}

#[subscriber("parcels")]
async fn staged_batch(ids: &[u32], _one: Stage<1>, State(journal): State<Journal>, _two: Stage<2>) {
    journal.note(format!("body {ids:?}"));
}

// RUN-260 step 6, RUN-385, RUN-389
#[tokio::test]
async fn extractors_run_in_order_after_decoding_and_the_first_refusal_settles() {
    let (_, told) = run(vec![Letter::new("torn"), Letter::new(7)], |b| {
        drop(b.include(staged));
    })
    .await;
    assert_eq!(
        lines(&told),
        [
            "drop torn",
            "stage 1",
            "stage 2",
            "stage 3",
            "body 7",
            "ack 7"
        ]
    );

    let refused = Letter::new(7).with("refuses", "2");
    let (_, told) = run(vec![refused], |b| drop(b.include(staged))).await;
    assert_eq!(
        lines(&told),
        ["stage 1", "stage 2", "drop 7", "hook of a refusal"]
    );
}

/// Refuses all that it is asked for.
struct Never;

impl<C: Send> FromContext<C, Depot> for Never {
    type Rejection = HandlerOutcome;

    async fn from_context(_ctx: &mut Context<'_, C, Depot>) -> Result<Self, HandlerOutcome> {
        Err(HandlerOutcome::drop())
    }
}

#[subscriber("parcels")]
async fn never(_ids: &[u32], _never: Never) {
    unreachable!("it was refused")
}

// RUN-368, RUN-367
#[tokio::test]
async fn a_batch_is_extracted_for_once_and_refused_as_a_whole() {
    let letters = || vec![Letter::new(7).with("refuses", "1"), Letter::new(8)];
    // A batch shows no headers, so nothing here refuses.
    let (_, told) = run(letters(), |b| {
        drop(b.include(staged_batch.batch(nonzero!(8))));
    })
    .await;
    assert_eq!(
        lines(&told),
        ["stage 1", "stage 2", "body [7, 8]", "ack 7", "ack 8"]
    );

    let (_, told) = run(letters(), |b| drop(b.include(never.batch(nonzero!(8))))).await;
    assert_eq!(lines(&told), ["drop 7", "drop 8"]);
}

#[subscriber("parcels", threads(1))]
async fn on_a_thread(id: &u32, ctx: &mut Context<'_, (), Depot>, Ctx(main): Ctx<MainRuntime>) {
    let here = || std::thread::current().name().unwrap_or("none").to_owned();
    let (body, journal) = (here(), ctx.state().journal.clone());
    let ran = main.run(async move { here() }).await.expect("runs");
    let spawned = ctx
        .main_runtime()
        .spawn(async move { here() })
        .await
        .expect("runs");
    journal.note(format!(
        "{id} on {body}, run on {ran}, spawned on {spawned}"
    ));
    // Nobody polls it, and it runs nevertheless.
    drop(main.run(async move { journal.note("started at the call") }));
}

// RUN-226, RUN-229
#[tokio::test]
async fn a_body_on_a_thread_reaches_the_runtime_that_started_the_service() {
    let here = std::thread::current().name().unwrap_or("none").to_owned();

    let (yard, told) = run(vec![Letter::new(7)], |b| drop(b.include(on_a_thread))).await;

    let line = format!("7 on parcels/0, run on {here}, spawned on {here}");
    assert!(told.contains(&line), "{told:?}");
    if !told.iter().any(|line| line == "started at the call") {
        yard.journal().until_line("started at the call").await;
    }
}

// RUN-013, RUN-014, RUN-386
#[tokio::test]
async fn the_state_is_made_once_and_shared_by_bodies_and_hooks() {
    #[subscriber("parcels")]
    async fn adds(id: &u32, ctx: &mut Context<'_, (), Arc<Mutex<Vec<u32>>>>) {
        ctx.state().lock().unwrap().push(*id);
    }
    let yard = Yard::new(Transport::PLAIN);
    yard.send_all("parcels", [7, 8]);
    let app = service()
        .on_startup(async |()| Ok::<_, Infallible>(vec![1]))
        .on_startup(async |first| Ok::<_, Infallible>(Arc::new(Mutex::new(first))))
        .after_shutdown({
            let journal = yard.journal().clone();
            async move |state: Arc<Arc<Mutex<Vec<u32>>>>| {
                journal.note(format!("{:?}", state.lock().unwrap()));
                Ok::<_, Infallible>(())
            }
        })
        .with_broker(yard.clone(), |b| {
            b.include(adds);
        });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("ack 8").await;

    running.shutdown().await.expect("stops");

    assert_eq!(yard.journal().take().pop().as_deref(), Some("[1, 7, 8]"));
}
