//! What can cut the phases of a stop short.

use std::future::{Future, pending};
use std::pin::Pin;
use std::time::Duration;

/// The demand to stop without further patience, such as a second signal. Once made it holds.
pub(crate) struct Force<'a> {
    demand: Option<Pin<&'a mut (dyn Future<Output = ()> + Send + 'a)>>,
    demanded: bool,
}

impl<'a> Force<'a> {
    /// Nobody can demand it.
    pub(crate) const fn never() -> Self {
        Self {
            demand: None,
            demanded: false,
        }
    }

    /// It is demanded once `demand` resolves.
    pub(crate) const fn on(demand: Pin<&'a mut (dyn Future<Output = ()> + Send + 'a)>) -> Self {
        Self {
            demand: Some(demand),
            demanded: false,
        }
    }

    /// Resolves once it was demanded, also when that was before. Cancel safe.
    pub(crate) async fn demanded(&mut self) {
        if self.demanded {
            return;
        }
        match &mut self.demand {
            Some(demand) => demand.as_mut().await,
            None => pending().await,
        }
        self.demanded = true;
    }

    /// Waits for one phase of a stop, at most for `bound`.
    pub(crate) async fn wait_for<F: Future>(
        &mut self,
        phase: F,
        bound: Option<Duration>,
    ) -> Result<F::Output, Cut> {
        tokio::select! {
            biased;
            done = phase => Ok(done),
            () = self.demanded() => Err(Cut::Forced),
            () = elapsed(bound) => Err(Cut::Expired),
        }
    }
}

/// Why a phase was cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Its time was up.
    Expired,
    /// [`Force`] was demanded.
    Forced,
}

async fn elapsed(bound: Option<Duration>) {
    match bound {
        Some(bound) => tokio::time::sleep(bound).await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::pin::pin;

    use futures_util::FutureExt;
    use tokio::sync::oneshot;
    use tokio::time::Instant;

    use super::*;

    const BOUND: Duration = Duration::from_secs(20);

    // RUN-075
    #[tokio::test(start_paused = true)]
    async fn a_phase_ends_by_itself_or_by_its_bound() {
        let begun = Instant::now();
        let mut force = Force::never();

        assert_eq!(
            force.wait_for(ready(41), Some(Duration::ZERO)).await,
            Ok(41)
        );
        assert_eq!(
            force.wait_for(pending::<()>(), Some(BOUND)).await,
            Err(Cut::Expired)
        );
        assert_eq!(begun.elapsed(), BOUND);
        assert!(
            force
                .wait_for(pending::<()>(), None)
                .now_or_never()
                .is_none()
        );
    }

    // The second signal of `run`.
    #[tokio::test]
    async fn a_demand_holds_for_every_later_phase_and_what_is_done_is_not_cut() {
        let (demand, demanded) = oneshot::channel::<()>();
        let demanded = pin!(async {
            let _ = demanded.await;
        });
        let mut force = Force::on(demanded);
        assert!(
            force
                .wait_for(pending::<()>(), None)
                .now_or_never()
                .is_none()
        );

        drop(demand);

        assert_eq!(
            force.wait_for(pending::<()>(), None).await,
            Err(Cut::Forced)
        );
        assert_eq!(
            force.wait_for(pending::<()>(), None).await,
            Err(Cut::Forced)
        );
        assert_eq!(force.wait_for(ready(41), None).await, Ok(41));
    }
}
