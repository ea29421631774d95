//! Orders: the messages, and what becomes of them.

use ruststream::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What fits into one parcel.
const PER_PARCEL: u32 = 10;

/// An order, as a customer places it.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "orders")]
pub struct Order {
    pub id: u64,
    pub quantity: u32,
}

/// The answer to an order.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "orders.confirmed")]
pub struct Confirmation {
    pub order: u64,
    pub parcels: u32,
}

/// Confirms an order; what it returns is published, then the order is acknowledged.
#[subscriber("orders", reply)]
pub async fn confirm(order: &Order) -> Confirmation {
    Confirmation {
        order: order.id,
        parcels: order.quantity.div_ceil(PER_PARCEL),
    }
}

/// Notes each confirmation in the log.
#[subscriber("orders.confirmed")]
pub async fn note(confirmation: &Confirmation) {
    tracing::info!(
        order = confirmation.order,
        parcels = confirmation.parcels,
        "order confirmed"
    );
}
