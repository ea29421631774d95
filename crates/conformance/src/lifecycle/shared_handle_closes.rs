use std::time::Duration;

use ruststream_core::{Broker, Connected, ConnectedBroker, Publisher, SubscriptionSource};
use tokio::time::Instant;

use super::{CALL, LIMITS};
use crate::helpers::unique_subject;
use crate::kit::{Arrival, Check, Inbox, send};

/// How long a subscription opened through a clone may take to end.
const END: Duration = Duration::from_secs(2);

/// Holds a shutdown to close the clones of the connected form as well.
///
/// After it, a publisher paired from a clone fails, whether it was paired before or after, and a
/// subscription through a clone is refused, or opens and ends at once.
///
/// The subjects begin with `conformance.shared.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn shared_handle_closes<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
) where
    B: Broker,
    Connected<B>: Clone,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>>,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("shared_handle_closes");
    let subject = unique_subject("conformance.shared");
    let step = check.step("connect", "`connect` reaches the broker");
    let connected = step.done(LIMITS.connect, make_broker().connect()).await;
    let clone = connected.clone();
    let before = make_publisher(&clone);
    let step = check.step("shutdown", "`shutdown` returns, and reports no failure");
    step.done(LIMITS.shutdown, connected.shutdown()).await;
    let after = make_publisher(&clone);

    for (name, publisher) in [
        ("publisher of before", &before),
        ("publisher of after", &after),
    ] {
        let step = check.step(
            name,
            "a publisher paired from a clone fails once the connection is shut down",
        );
        step.refused(CALL, send(publisher, &subject, b"too late"))
            .await;
    }

    let step = check.step(
        "subscribe",
        "a subscription through a clone is refused once the connection is shut down, or opens and \
         ends at once",
    );
    let opening = make_source(&subject).subscribe(&clone);
    if let Ok(mut subscriber) = step.within(CALL, opening).await {
        match Inbox::of(&mut subscriber)
            .arrival(Instant::now() + END)
            .await
        {
            Arrival::Ended | Arrival::Error(_) => {}
            Arrival::Nothing => step.fail(format_args!(
                "it opened, and was neither ended nor failed within {END:?}"
            )),
            Arrival::Item(_) => step.fail("it opened, and delivered a message"),
        }
    }
}
