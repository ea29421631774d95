//! What travels: lines of the feed, the events in them, alerts.

use bytes::Bytes;
use ruststream::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An earthquake from this magnitude on is worth an alert.
const ALERT_FROM: f64 = 4.5;

/// One line of the feed, as it was read: its own bytes are the payload.
#[derive(Serialized, Outgoing)]
#[outgoing(name = "quakes.raw", headers = Origin)]
pub(crate) struct RawLine(pub(crate) Bytes);

/// Where a line comes from; travels in the headers.
#[derive(Debug, Serialize)]
pub(crate) struct Origin {
    /// Counts from 1.
    pub(crate) line: u64,
}

/// One seismic event. A line may say more than this.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Quake {
    pub(crate) id: String,
    /// The network that reported it.
    pub(crate) net: String,
    pub(crate) place: Option<String>,
    /// `earthquake`, `explosion`, `quarry blast`, ...
    #[serde(rename = "type")]
    kind: String,
    /// The source has events of unknown magnitude: `null`. A line without the key is no event,
    /// which naming the function achieves: an `Option` that serde fills by itself may be absent.
    #[serde(deserialize_with = "Option::deserialize")]
    mag: Option<f64>,
}

impl Quake {
    pub(crate) fn is_earthquake(&self) -> bool {
        self.kind == "earthquake"
    }

    /// The alert that this event is worth.
    pub(crate) fn alert(&self) -> Option<Alert> {
        let mag = self.mag.filter(|mag| *mag >= ALERT_FROM)?;
        Some(Alert {
            id: self.id.clone(),
            place: self.place.clone(),
            mag,
        })
    }
}

/// A strong earthquake.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "quakes.alerts")]
pub(crate) struct Alert {
    pub(crate) id: String,
    pub(crate) place: Option<String>,
    pub(crate) mag: f64,
}

/// Where alerts leave; the mount says through which publisher.
#[derive(OutSlot)]
#[publishes(Alert)]
pub(crate) struct Alerts;
