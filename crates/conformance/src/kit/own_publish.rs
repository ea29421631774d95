use std::any::Any;
use std::time::Duration;

use ruststream_core::inventory;
use ruststream_core::testing::{LivePublish, TestableRegistration};
use ruststream_core::{ConnectedBroker, HeaderMap, OutgoingMessage};

use super::Step;

const CALL: Duration = Duration::from_secs(10);

/// Publishing as a service does: by the default policy, found through the broker's registration.
#[derive(Clone, Copy)]
pub(crate) struct OwnPublish(LivePublish);

impl OwnPublish {
    /// None for a broker that is not registered, or has no default policy.
    pub(crate) fn of<C: ConnectedBroker>(connected: &C) -> Option<Self> {
        let any: &dyn Any = connected;
        inventory::iter::<TestableRegistration>
            .into_iter()
            .filter(|registration| registration.resolve(any).is_some())
            .find_map(TestableRegistration::live)
            .map(Self)
    }

    /// Publishes; the text of the error if the broker refuses.
    pub(crate) async fn publish<C: ConnectedBroker>(
        self,
        step: Step<'_>,
        connected: &C,
        name: &str,
        payload: &[u8],
        headers: HeaderMap,
    ) -> Result<(), String> {
        let message = OutgoingMessage::new(name, payload).with_headers(headers);
        let published = step.within(CALL, (self.0)(connected, message)).await;
        published.map_err(|error| error.to_string())
    }
}
