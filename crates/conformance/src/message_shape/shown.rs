use std::error::Error;
use std::fmt::Debug;

use ruststream_core::{Broker, Connected, ConnectedBroker, Publisher, SubscriptionSource};

use super::CALL;
use crate::helpers::unique_subject;
use crate::kit::{Check, Step, send};

/// Holds what a log or an error report can print of a broker to tell no credential.
///
/// `secret` is the password, or token, that `make_broker` and `make_source` are configured with. It
/// is searched for in the `Debug` text, plain and pretty, of the broker, the source, the connected
/// form, a subscriber and a publisher, and in the `Debug` and `Display` texts of errors and all their
/// sources: of a connect that fails, and of a publish after shutdown. Escaping hides nothing.
///
/// Run it twice: with an address that answers (or in process, through
/// [`InProcessBroker`](crate::harness::InProcessBroker)), and with one where nobody does, for the
/// error of the connect.
///
/// This is CORE-291, by which `Debug` prints identity and elides the rest, and CORE-230, by which a
/// credential appears in nothing that is told.
///
/// The subjects begin with `conformance.shown.`.
///
/// # Panics
///
/// If the secret is found, naming where and never printing it; if `secret` is empty; if a call hangs;
/// outside a Tokio runtime with time.
///
/// # Examples
///
/// ```ignore
/// message_shape::shows_without_credentials(
///     || InProcessBroker::new(NatsBroker::new("nats://desk:hunter2@localhost:4222")),
///     |subject| CoreSubject::new(subject),
///     |connected| connected.publisher(NatsPublish),
///     "hunter2",
/// )
/// .await;
/// ```
pub async fn shows_without_credentials<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
    secret: &str,
) where
    B: Broker + Debug,
    Connected<B>: Debug,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Debug + Send,
    Src::Subscriber: Debug + Send,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher + Debug,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("shows_without_credentials");
    let scan = Scan::new(&check, secret);
    let subject = unique_subject("conformance.shown");
    let broker = make_broker();
    scan.debug("the broker", &broker);
    let source = make_source(&subject);
    scan.debug("the source", &source);
    let step = check.step("connect", "`connect` answers");
    let connected = match step.within(CALL, broker.connect()).await {
        Ok(connected) => connected,
        Err(error) => return scan.error("the error of `connect`", &error),
    };
    scan.debug("the connected form", &connected);
    let step = check.step("subscribe", "`subscribe` answers");
    match step.within(CALL, source.subscribe(&connected)).await {
        Ok(subscriber) => scan.debug("the subscriber", &subscriber),
        Err(error) => scan.error("the error of `subscribe`", &error),
    }
    let publisher = make_publisher(&connected);
    scan.debug("the publisher", &publisher);
    let step = check.step("shutdown", "`shutdown` answers");
    if let Err(error) = step.within(CALL, connected.shutdown()).await {
        scan.error("the error of `shutdown`", &error);
    }
    let step = check.step("publish", "a publish after shutdown answers");
    let publishing = send(&publisher, &subject, b"too late");
    if let Err(error) = step.within(CALL, publishing).await {
        scan.error("the error of a publish", &error);
    }
}

struct Scan<'a> {
    check: &'a Check,
    /// The secret as it is, and as `Debug` escapes it in a string.
    forms: [String; 2],
}

impl<'a> Scan<'a> {
    fn new(check: &'a Check, secret: &str) -> Self {
        if secret.is_empty() {
            check
                .step("the secret", "the caller names the credential to look for")
                .fail("it is empty");
        }
        Self {
            check,
            forms: [secret.to_owned(), secret.escape_debug().to_string()],
        }
    }

    fn debug(&self, place: &str, shown: &impl Debug) {
        let step = self.step(place);
        self.absent(step, "`Debug`", &format!("{shown:?}"));
        self.absent(step, "pretty `Debug`", &format!("{shown:#?}"));
    }

    fn error(&self, place: &str, error: &(dyn Error + 'static)) {
        let step = self.step(place);
        let mut cause = Some(error);
        while let Some(error) = cause {
            self.absent(step, "`Display`", &error.to_string());
            self.absent(step, "`Debug`", &format!("{error:?}"));
            cause = error.source();
        }
    }

    fn step<'s>(&'s self, place: &'s str) -> Step<'s> {
        self.check
            .step(place, "nothing that can be printed tells a credential")
            .advising(
                "write its `Debug` by hand, with a name or an address without userinfo, and keep \
                 the URL out of errors",
            )
    }

    fn absent(&self, step: Step<'_>, form: &str, text: &str) {
        let tells = self.forms.iter().any(|secret| text.contains(secret));
        step.require(!tells, format_args!("its {form} holds the secret"));
    }
}
