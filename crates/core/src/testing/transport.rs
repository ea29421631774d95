use super::Coordinator;
use crate::{Broker, OutgoingMessage, RawMessage};

/// A broker that can connect inside the test process, without a server.
///
/// # Contract
///
/// - The connected form is the production one, so sources, policies and capabilities resolve
///   against it as they do against a server.
/// - There are no settings of its own: all of them come from the broker value.
/// - What [`connect`](Broker::connect) refuses is refused here, with the same error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no in-process mode for tests: turn on the feature `testing` of its crate",
    label = "not a broker that a test can run in process",
    note = "in a service: turn on the `testing` feature of the broker's crate in [dev-dependencies]",
    note = "in a broker crate: implement `InProcess` for the broker, and `TestableBroker` for its \
            connected form"
)]
pub trait InProcess: Broker<Connected: TestableBroker> {
    /// Connects to the in-process transport. No I/O.
    ///
    /// # Errors
    ///
    /// The configurations that `connect` refuses.
    fn connect_in_process(
        self,
    ) -> impl Future<Output = Result<Self::Connected, Self::Error>> + Send;
}

/// How a test drives and reads a connected broker.
///
/// The methods are called on a form that came from the in-process transition, except
/// [`routes`](Self::routes), which is asked of a live one too; [`inject`](Self::inject) and
/// [`published`](Self::published) may panic on a live one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be driven by a test: turn on the feature `testing` of its broker's crate",
    label = "not a `TestableBroker`",
    note = "it is implemented on a broker's connected form, under the `testing` feature of the \
            broker's crate"
)]
pub trait TestableBroker: Send + Sync {
    /// Takes the harness's coordinator, to be told of every enqueue and every delivery that left.
    ///
    /// Called once a run; a second call is ignored. Subscriptions that are open already count too,
    /// so read it when a stream is opened, not when the subscription is.
    fn install_coordinator(&self, coordinator: Coordinator);

    /// Publishes `message` the way an external producer would, at once.
    ///
    /// Routing, the log and counting are those of any other publish.
    ///
    /// # Panics
    ///
    /// On a message that the server would refuse, naming its destination; after shutdown.
    fn inject(&self, message: OutgoingMessage<'_>);

    /// Every message the transport took under `name`, oldest first, less those
    /// [evicted](Self::evicted).
    ///
    /// A publish that was refused is never among them.
    fn published(&self, name: &str) -> Vec<RawMessage>;

    /// How many of the oldest messages under `name` the log no longer holds.
    fn evicted(&self, name: &str) -> usize {
        let _ = name;
        0
    }

    /// Which of `subscriptions` one publish to `destination` is delivered to, by position.
    ///
    /// All it reaches where the transport fans out, the one it picks where it picks one, none where
    /// the publish is refused or reaches nobody. Asking takes no turn: the answer is the same
    /// however often it is asked before the publish. `subscriptions` may name one twice. The
    /// provided method answers with all equal names.
    fn routes(&self, destination: &str, subscriptions: &[&str]) -> Vec<usize> {
        let equal = |(position, name): (usize, &&str)| (*name == destination).then_some(position);
        subscriptions.iter().enumerate().filter_map(equal).collect()
    }

    /// What a subscription opened by name gets of the messages published before.
    fn backlog(&self) -> Backlog {
        Backlog::Missed
    }
}

/// What a new subscription by name gets of the messages published to its name before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backlog {
    /// Nothing: it starts with what is published from then on.
    Missed,
    /// All of them, in order, before anything newer.
    Delivered,
}
