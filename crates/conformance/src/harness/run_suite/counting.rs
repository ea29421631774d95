//! What the coordinator is told, on a paused runtime of a thread of its own.
//!
//! Nothing runs between two awaits there, so "counted before it returns" is looked at right after
//! the call, and the clock moves only where the scenario moves it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;
use std::time::Duration;

use futures_util::FutureExt;
use ruststream_core::testing::{Coordinator, InProcess, TestableBroker};
use ruststream_core::{ConnectedBroker, HeaderMap, IncomingMessage, Subscribe, Subscriber};
use tokio::runtime::Builder;
use tokio::task::yield_now;
use tokio::time::advance;

use super::{CALL, DELIVERY, QUIET, inject, open, subscribe};
use crate::helpers::unique_subject;
use crate::kit::{Arrival, Check, Inbox, OwnPublish, Step, settled};

/// The delay asked for, half of which passes at a time.
const DELAY: Duration = Duration::from_secs(2);
/// Turns given to the transport's own tasks before a count is judged.
const TURNS: usize = 32;

/// Everything queued is counted until it left, and nothing else is.
pub(super) fn counting<B>(check: &Check, broker: B)
where
    B: InProcess,
    B::Connected: Subscribe,
{
    let counted = thread::scope(|scope| {
        let counter = scope.spawn(|| {
            let runtime = Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build()
                .expect("the system makes a runtime for the check");
            runtime.block_on(counted(check, broker));
        });
        counter.join()
    });
    if let Err(panic) = counted {
        resume_unwind(panic);
    }
}

async fn counted<B>(check: &Check, broker: B)
where
    B: InProcess,
    B::Connected: Subscribe,
{
    let session = open(check, broker).await;
    let coordinator = Coordinator::new(usize::MAX);
    session.connected().install_coordinator(coordinator.clone());
    let subject = unique_subject("conformance.counted");
    let mut subscriber = subscribe(&session, &subject).await;
    let mut counting = Counting {
        check,
        connected: session.connected(),
        own: OwnPublish::of(session.connected()),
        coordinator,
        subject,
        inbox: Inbox::of(&mut subscriber),
    };
    counting.nothing().await;
    counting.injected().await;
    counting.published().await;
    counting.unread().await;
    counting.dropped_for_good().await;
    counting.requeued().await;
    counting.delayed().await;
    counting.left_unsettled().await;
}

struct Counting<'a, 's, C: ConnectedBroker + Subscribe> {
    check: &'a Check,
    connected: &'a C,
    own: Option<OwnPublish>,
    coordinator: Coordinator,
    subject: String,
    inbox: Inbox<'s, <C::Subscriber as Subscriber>::Message, <C::Subscriber as Subscriber>::Error>,
}

impl<C: Subscribe + TestableBroker> Counting<'_, '_, C> {
    async fn nothing(&mut self) {
        let step = self.check.step(
            "counting at the start",
            "nothing is delivered and nothing is counted before the first publish",
        );
        if let Arrival::Item(_) = self.inbox.ready() {
            step.fail("a delivery was there");
        }
        self.quiet(step).await;
    }

    async fn injected(&mut self) {
        let step = self.check.step(
            "counting an injected message",
            "a message is counted before `inject` returns and until it is settled",
        );
        inject(self.connected, &self.subject, b"injected");
        self.held_then_acked(step, b"injected").await;
    }

    async fn published(&mut self) {
        let step = self.check.step(
            "counting an own publish",
            "a publish that `routes` says reaches the subscription is counted before it returns, \
             and no other",
        );
        let Some(own) = self.own else { return };
        let subject = self.subject.clone();
        let routed = !self.connected.routes(&subject, &[&subject]).is_empty();
        let publish = own.publish(step, self.connected, &subject, b"own", HeaderMap::new());
        let taken = publish.await.is_ok();
        if taken && routed {
            self.held_then_acked(step, b"own").await;
        } else {
            self.quiet(step).await;
        }
    }

    async fn unread(&mut self) {
        let step = self.check.step(
            "counting an unread publish",
            "a message published to a name that nobody reads is not counted",
        );
        let unread = unique_subject("conformance.unread");
        let routed = !self.connected.routes(&unread, &[&self.subject]).is_empty();
        let taken = match self.own {
            Some(own) => {
                let publish =
                    own.publish(step, self.connected, &unread, b"unread", HeaderMap::new());
                publish.await.is_ok()
            }
            // A panic is how `inject` says that the server would refuse.
            None => catch_unwind(AssertUnwindSafe(|| {
                inject(self.connected, &unread, b"unread");
            }))
            .is_ok(),
        };
        if taken && routed {
            self.held_then_acked(step, b"unread").await;
        } else {
            self.quiet(step).await;
        }
    }

    async fn dropped_for_good(&mut self) {
        let step = self.check.step(
            "counting a drop",
            "a message settled by `nack(false)` is no longer counted and does not come back",
        );
        let delivery = self.delivered(step, b"dropped").await;
        if settled(step, CALL, delivery.nack(false)).await {
            self.quiet(step).await;
            self.inbox.pending(step, QUIET).await;
        } else if !self.came_to_rest().await {
            self.held_then_acked(step, b"dropped").await;
        }
    }

    async fn requeued(&mut self) {
        let step = self.check.step(
            "counting a requeue",
            "a requeued message is counted before `nack(true)` returns, and the delivery it came \
             from no longer",
        );
        let delivery = self.delivered(step, b"requeued").await;
        if settled(step, CALL, delivery.nack(true)).await {
            self.held_then_acked(step, b"requeued").await;
        } else {
            self.quiet(step).await;
        }
    }

    async fn delayed(&mut self) {
        let step = self.check.step(
            "counting a delayed redelivery",
            "a delayed message is released at once, and comes back and is counted when the delay \
             has passed, not before",
        );
        let delivery = self.delivered(step, b"delayed").await;
        if !delivery.supports_nack_after() {
            settled(step, CALL, delivery.ack()).await;
            return self.quiet(step).await;
        }
        let honoured = settled(step, CALL, delivery.nack_after(DELAY)).await;
        self.quiet(step).await;
        if !honoured {
            return;
        }
        self.pass(DELAY / 2).await;
        self.quiet(step).await;
        if let Arrival::Item(_) = self.inbox.ready() {
            step.fail(format_args!(
                "the message was back after half of the delay of {DELAY:?}"
            ));
        }
        self.pass(DELAY / 2).await;
        self.held_then_acked(step, b"delayed").await;
    }

    async fn left_unsettled(&mut self) {
        let step = self.check.step(
            "counting an unsettled drop",
            "a delivery dropped unsettled is no longer counted, unless it comes back",
        );
        let delivery = self.delivered(step, b"unsettled").await;
        drop(delivery);
        if !self.came_to_rest().await {
            self.held_then_acked(step, b"unsettled").await;
        }
    }

    async fn delivered(
        &mut self,
        step: Step<'_>,
        payload: &[u8],
    ) -> <C::Subscriber as Subscriber>::Message {
        inject(self.connected, &self.subject, payload);
        self.inbox.expect(step, DELIVERY, payload).await
    }

    /// The message is under way: counted now, counted while it is held, and not once it is settled.
    async fn held_then_acked(&mut self, step: Step<'_>, payload: &[u8]) {
        self.busy(step, "before it was read");
        let delivery = self.inbox.expect(step, DELIVERY, payload).await;
        self.busy(step, "while it was held");
        settled(step, CALL, delivery.ack()).await;
        self.quiet(step).await;
    }

    async fn pass(&self, time: Duration) {
        advance(time).await;
        self.coordinator.fire_due_timers().await;
    }

    fn busy(&self, step: Step<'_>, when: &str) {
        if self.at_rest() {
            step.fail(format_args!("the message was not counted {when}"));
        }
    }

    async fn quiet(&self, step: Step<'_>) {
        if !self.came_to_rest().await {
            step.fail(format_args!(
                "{:?} where nothing is under way",
                self.coordinator
            ));
        }
    }

    async fn came_to_rest(&self) -> bool {
        for _ in 0..TURNS {
            if self.at_rest() {
                return true;
            }
            yield_now().await;
        }
        false
    }

    fn at_rest(&self) -> bool {
        self.coordinator.drive().now_or_never().is_some()
    }
}
