//! What the pages repeat of the service that they build: its messages, and what its handlers use.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ruststream::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One seismic event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "quakes.raw")]
pub struct Quake {
    /// Names the event.
    pub id: String,
    /// The network that reported it.
    pub net: String,
    /// Where it was, in words.
    pub place: Option<String>,
    /// Its magnitude, if known.
    pub mag: Option<f64>,
    /// `earthquake`, `explosion`, `quarry blast`, ..
    #[serde(rename = "type")]
    pub kind: String,
}

impl Quake {
    /// An earthquake of this magnitude.
    pub fn of(id: &str, mag: f64) -> Self {
        Self {
            id: id.to_owned(),
            net: "us".to_owned(),
            place: None,
            mag: Some(mag),
            kind: "earthquake".to_owned(),
        }
    }

    /// The alert that this event is worth.
    pub fn alert(&self) -> Option<Alert> {
        let mag = self.mag.filter(|mag| *mag >= 4.5)?;
        let (id, place) = (self.id.clone(), self.place.clone());
        Some(Alert { id, place, mag })
    }
}

/// A strong earthquake.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "quakes.alerts")]
pub struct Alert {
    /// Names the event.
    pub id: String,
    /// Where it was, in words.
    pub place: Option<String>,
    /// Its magnitude.
    pub mag: f64,
}

/// Where alerts leave.
#[derive(Debug, OutSlot)]
#[publishes(Alert)]
pub struct Alerts;

/// Counts.
#[derive(Debug, Clone, Default)]
pub struct Tally(Arc<AtomicU64>);

impl Tally {
    /// One more.
    pub fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many so far.
    pub fn total(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Rings the people on duty, or doesn't get through.
#[derive(Debug, Clone, Default)]
pub struct Pager {
    /// How often it rang.
    pub rung: Tally,
    /// It doesn't get through.
    pub broken: bool,
}

impl Pager {
    /// One that works.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that doesn't.
    pub fn broken() -> Self {
        Self {
            broken: true,
            ..Self::default()
        }
    }

    /// Rings.
    pub async fn ring(&self, _alert: &Alert) -> Result<(), Unreachable> {
        // As one that goes over a network would.
        tokio::task::yield_now().await;
        if self.broken {
            return Err(Unreachable);
        }
        self.rung.count();
        Ok(())
    }
}

/// Nobody could be rung.
#[derive(Debug)]
pub struct Unreachable;

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody could be rung")
    }
}

impl std::error::Error for Unreachable {}
