//! The example of the specification, to the letter.

use ruststream::asyncapi::build_spec;
use ruststream::memory::prelude::*;
use ruststream::schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A temperature reading.
#[derive(Deserialize, JsonSchema)]
struct Reading {
    #[allow(dead_code)]
    sensor: u32,
    celsius: f32,
}

/// An alarm for one site.
#[derive(Serialize, JsonSchema, Outgoing)]
#[outgoing(name = "alarms.{site}")]
struct Alarm {
    sensor: u32,
}

#[derive(OutSlot)]
#[publishes(Alarm)]
struct Alarms;

/// Raises an alarm above the limit.
#[subscriber("readings")]
async fn watch(reading: &Reading, Out(alarms): Out<impl Publisher, Alarms>) -> HandlerOutcome {
    if reading.celsius < 80.0 {
        return HandlerOutcome::ack();
    }
    match alarms
        .message(&Alarm {
            sensor: reading.sensor,
        })
        .to()
        .site("north")
        .publish()
        .await
    {
        Ok(()) => HandlerOutcome::ack(),
        Err(_) => HandlerOutcome::retry(),
    }
}

// API-03, API-06, API-17, API-21, API-24, API-26, API-34, API-35, API-45, API-47, API-52, API-60
#[test]
fn the_example_is_written_to_the_letter() {
    let app = RustStream::new(AppInfo::new("plant", "0.1.0")).with_broker_labeled(
        "plant",
        MemoryBroker::new(),
        |b| {
            b.include(watch)
                .out(Alarms, Publish)
                .max_attempts(nonzero!(3u32))
                .dead_letter("readings.dead")
                .build();
        },
    );
    assert_eq!(
        build_spec(&app).to_json().expect("serializes"),
        include_str!("example.json")
    );
}
