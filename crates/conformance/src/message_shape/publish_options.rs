use std::fmt::Debug;

use ruststream_core::{
    Broker, Connected, IncomingMessage, OutgoingMessage, PublishPolicy, Publisher, Subscriber,
    SubscriptionSource,
};

use super::{CALL, DELIVERY, OptionCases, QUIET};
use crate::kit::{Check, Inbox, Limits, Session, Step, settled};

/// Holds per-message options to win over the policy for one message, and to be honoured or refused.
///
/// `observe` reads off a delivery what became of the option. Configure `policy` to something other
/// than the transport's own default, or ignoring it goes unseen.
///
/// # Panics
///
/// At the first rule broken; if `cases` has no override; outside a Tokio runtime with time.
pub async fn publish_options<B, MkBroker, Src, MkSrc, Policy, Observed, Observe>(
    make_broker: MkBroker,
    subject: &str,
    make_source: MkSrc,
    policy: Policy,
    cases: OptionCases<<Policy::Live as Publisher>::Options, Observed>,
    observe: Observe,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    Policy: PublishPolicy<Connected<B>>,
    Policy::Live: Publisher,
    Observed: PartialEq + Debug + Sync,
    Observe: Fn(&<Src::Subscriber as Subscriber>::Message) -> Observed + Sync,
{
    let check = Check::new("publish options");
    if cases.overrides.is_empty() {
        check
            .step(
                "cases",
                "the caller names options that the transport honours",
            )
            .fail("there is no override");
    }
    let session = Session::open(&check, Limits::of(CALL), make_broker()).await;
    let mut subscriber = session.subscribe(make_source(subject)).await;
    let step = check.step("pair", "the policy pairs with the connection");
    let publisher = step.done(CALL, policy.pair(session.connected())).await;
    let mut exchange = Exchange {
        subject,
        publisher: &publisher,
        inbox: Inbox::of(&mut subscriber),
        observe,
        published: 0,
    };

    let by_policy = check.step(
        "policy",
        "a publish that sets nothing has the value the policy fixed, also after one that set it",
    );
    let by_call = check.step("override", "options of a publish win for that message");
    exchange.shows(by_policy, None, &cases.policy_default).await;
    for (options, observed) in &cases.overrides {
        exchange.shows(by_call, Some(options), observed).await;
        exchange.shows(by_policy, None, &cases.policy_default).await;
    }
    let refused = check.step(
        "refuse",
        "options that the transport cannot honour fail the publish, and the message is never \
         delivered",
    );
    for options in &cases.refused {
        let publishing = publish(&publisher, subject, b"refused", Some(options));
        refused.refused(CALL, publishing).await;
    }
    exchange.shows(refused, None, &cases.policy_default).await;
    exchange.inbox.silent(refused, QUIET).await;
    drop(exchange);
    drop(subscriber);
    drop(publisher);
    session.close().await;
}

async fn publish<P: Publisher>(
    publisher: &P,
    subject: &str,
    payload: &[u8],
    options: Option<&P::Options>,
) -> Result<(), P::Error> {
    let message = OutgoingMessage::new(subject, payload);
    publisher.publish(message, options).await
}

struct Exchange<'a, 's, P, M, E, Observe> {
    subject: &'a str,
    publisher: &'a P,
    inbox: Inbox<'s, M, E>,
    observe: Observe,
    published: usize,
}

impl<P, M, E, Observe> Exchange<'_, '_, P, M, E, Observe>
where
    P: Publisher,
    M: IncomingMessage,
    E: std::error::Error,
{
    /// Publishes with `options`; the next delivery is that message and shows `due`.
    async fn shows<Observed>(
        &mut self,
        step: Step<'_>,
        options: Option<&P::Options>,
        due: &Observed,
    ) where
        Observe: Fn(&M) -> Observed,
        Observed: PartialEq + Debug,
    {
        self.published += 1;
        let payload = format!("message {}", self.published);
        let publishing = publish(self.publisher, self.subject, payload.as_bytes(), options);
        step.done(CALL, publishing).await;
        let delivery = self.inbox.expect(step, DELIVERY, payload.as_bytes()).await;
        let observed = (self.observe)(&delivery);
        step.require(
            observed == *due,
            format_args!("the delivery shows {observed:?} where {due:?} was due"),
        );
        settled(step, CALL, delivery.ack()).await;
    }
}
