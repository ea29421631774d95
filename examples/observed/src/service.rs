//! The service: what it is told, and what it answers.

use std::convert::Infallible;
use std::time::Duration;

use ruststream::memory::prelude::*;
use ruststream::metrics::Metrics;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time;

/// From this temperature on the cold store is too warm.
const TOO_WARM: f64 = 8.0;

/// How often the sensor reports.
const PERIOD: Duration = Duration::from_millis(200);

/// What the sensor of the cold store reports.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "readings")]
pub(crate) struct Reading {
    celsius: f64,
}

/// The cold store is too warm.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "alarms")]
pub(crate) struct Alarm {
    celsius: f64,
}

/// Answers a reading that is too warm with an alarm, and others with nothing.
#[subscriber("readings", reply)]
async fn watch(reading: &Reading) -> Result<Alarm, HandlerOutcome> {
    if reading.celsius < TOO_WARM {
        return Err(HandlerOutcome::ack());
    }
    Ok(Alarm {
        celsius: reading.celsius,
    })
}

/// Tells the people on duty.
#[subscriber("alarms")]
async fn ring(alarm: &Alarm) {
    tracing::warn!(celsius = alarm.celsius, "the cold store is too warm");
}

/// Puts the service together, with `metrics` around its handlers and publishes.
pub(crate) fn app(metrics: &Metrics) -> impl App + use<> {
    RustStream::new(AppInfo::new("observed", env!("CARGO_PKG_VERSION")))
        .layer(metrics.consume_layer())
        .publish_layer(metrics.publish_layer())
        .with_broker(MemoryBroker::new(), |b| {
            b.include(watch);
            b.include(ring);
            // Hooks hold up the start; the sensor reports as long as the process runs.
            b.after_startup(Publish, async |publisher| {
                tokio::spawn(report(publisher));
                Ok::<_, Infallible>(())
            });
        })
}

/// The sensor: it goes up and down between 4 and 9 degrees.
async fn report(publisher: impl Publisher) {
    let mut period = time::interval(PERIOD);
    for celsius in [4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 8.0, 7.0, 6.0, 5.0]
        .into_iter()
        .cycle()
    {
        period.tick().await;
        // Once the service stops, nobody takes it any more.
        if publisher
            .message(&Reading { celsius })
            .publish()
            .await
            .is_err()
        {
            return;
        }
    }
}
