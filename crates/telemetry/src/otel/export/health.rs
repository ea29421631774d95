//! The state of the service as a gauge.

use opentelemetry::KeyValue;
use opentelemetry::metrics::Meter;
use ruststream_runtime::{HealthProbe, HealthState};

const STATES: [&str; 4] = ["running", "shutting_down", "stopped", "failed"];

/// Observes all four states each time, or a state that was left would stay at 1.
pub(super) fn observe(meter: &Meter, probe: HealthProbe) {
    let states = STATES.map(|state| (state, [KeyValue::new("state", state)]));
    meter
        .u64_observable_gauge("ruststream.app.state")
        .with_description("1 for the state that the service is in, 0 for the others.")
        .with_callback(move |gauge| {
            let now = name(&probe.state());
            for (state, attributes) in &states {
                gauge.observe(u64::from(*state == now), attributes);
            }
        })
        .build();
}

fn name(state: &HealthState) -> &'static str {
    match state {
        HealthState::Running => "running",
        HealthState::ShuttingDown => "shutting_down",
        HealthState::Stopped => "stopped",
        HealthState::Failed { .. } => "failed",
        // A state that this crate does not know is none of the four.
        _ => "",
    }
}
