use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::poll_fn;
use ruststream_core::pairing::{Origin, paired};
use ruststream_core::{Broker, BrokerRegistration, PairError, PublishPolicy};

use crate::support::{ConnectedDepot, Depot, now};

/// A policy that waits once before it is paired.
struct Slow;

impl PublishPolicy<ConnectedDepot> for Slow {
    type Live = ();

    async fn pair(self, _: &ConnectedDepot) -> Result<(), PairError> {
        let waited = AtomicBool::new(false);
        poll_fn(|cx| {
            if waited.swap(true, Ordering::Relaxed) {
                return std::task::Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            std::task::Poll::Pending
        })
        .await;
        Ok(())
    }
}

// CORE-135
#[tokio::test]
async fn a_pairing_through_a_token_reports_the_token_s_connection() {
    let depot = Depot.bindable();
    let token = depot.bind(Slow);
    let (_broker, slot) = depot.into_parts();
    let connected = Arc::new(ConnectedDepot::default());
    *slot.lock().unwrap() = Some(Arc::clone(&connected));
    let scope = Arc::new(ConnectedDepot::default());

    let (through_token, plain) =
        tokio::join!(paired(token.pair(&*scope)), paired(Slow.pair(&*scope)));
    assert_eq!(through_token.1, Some(Origin::of(&connected)));
    assert_ne!(through_token.1, Some(Origin::of(&scope)));
    assert_eq!(plain.1, None);
}

// CORE-135
#[test]
fn a_pairing_without_a_token_reports_nothing_left_over() {
    let depot = Depot.bindable();
    let token = depot.bind(Slow);
    let (_broker, slot) = depot.into_parts();
    *slot.lock().unwrap() = Some(Arc::new(ConnectedDepot::default()));
    let mut unobserved = std::pin::pin!(token.live());
    let waker = std::task::Waker::noop();
    assert!(
        unobserved
            .as_mut()
            .poll(&mut std::task::Context::from_waker(waker))
            .is_pending()
    );

    let ((), origin) = now(paired(async {}));
    assert_eq!(origin, None);
}
