//! The handlers.

use ruststream::prelude::*;

use crate::messages::{Alert, Alerts, Quake};
use crate::progress::Progress;
use crate::tally::Tally;

/// Counts an event, drops what is no earthquake, passes on what is worth an alert.
#[subscriber("quakes.raw")]
pub(crate) async fn sort(
    quake: &Quake,
    Out(alerts): Out<impl Publisher, Alerts>,
    State(tally): State<Tally>,
) -> HandlerOutcome {
    if !quake.is_earthquake() {
        tally.dropped(&quake.net);
        return HandlerOutcome::drop();
    }
    if let Some(alert) = quake.alert() {
        // Before anything is counted: a retry must not count twice.
        if let Err(error) = alerts.message(&alert).publish().await {
            tracing::warn!(id = quake.id, %error, "an alert could not be published");
            return HandlerOutcome::retry();
        }
        tally.alerted();
    }
    tally.handled(&quake.net);
    HandlerOutcome::ack()
}

/// Shows an alert.
#[subscriber("quakes.alerts")]
pub(crate) async fn show(alert: &Alert, State(progress): State<Progress>) {
    let place = alert.place.as_deref().unwrap_or("an unknown place");
    progress.line(&format!("M {:.1}  {place}  ({})", alert.mag, alert.id));
}
