//! Which driver runs a subscription.

use std::pin::pin;

use super::crew::crew;
use super::intake::Intake;
use super::work::Work;
use super::{pool, sequential, threads};
use crate::app::{BoxError, DispatchLoop, Service};
use crate::workers::{Placement, Workers};

/// Workers that one subscription may have; each is made at its start, with room for what it takes.
const MOST_WORKERS: usize = 1 << 16;

/// A number of workers that nobody means.
#[derive(Debug, thiserror::Error)]
#[error(
    "subscription `{subscription}` asks for {asked} workers, and at most {MOST_WORKERS} can be had, since \
     each is made at the start: ask for fewer"
)]
struct TooManyWorkers {
    subscription: String,
    asked: usize,
}

/// The loop of a subscription under its concurrency.
///
/// # Errors
///
/// More workers than can be had; a dedicated thread that cannot be made.
pub(crate) fn dispatch<I, W>(
    mut intake: I,
    work: W,
    workers: Workers,
) -> Result<DispatchLoop, BoxError>
where
    I: Intake,
    W: Work<I::Item>,
{
    let (count, by_key) = (workers.count().get(), workers.by_key() && W::KEYED);
    if count > MOST_WORKERS {
        return Err(Box::new(TooManyWorkers {
            subscription: work.subscription().to_owned(),
            asked: count,
        }));
    }
    Ok(match placement(workers, work.service()) {
        Placement::Threads => {
            let crew = crew(work, threads::shape(count), by_key, Placement::Threads);
            threads::start(intake, crew)?
        }
        Placement::Runtime if count > 1 => {
            let crew = crew(work, pool::shape(count, by_key), by_key, Placement::Runtime);
            pool::start(intake, crew)
        }
        // RUN-221: one worker, with or without keys, is a sequence.
        Placement::Runtime => {
            Box::pin(async move { sequential::run(pin!(intake.items()), work).await })
        }
    })
}

/// Where the workers run; the one place in which a test harness turns threads into tasks (RUN-241).
fn placement(workers: Workers, service: &Service) -> Placement {
    if service.observed().threads_are_tasks() {
        return Placement::Runtime;
    }
    workers.placement()
}
