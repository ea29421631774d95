//! The derives over source text.

mod message;
mod sets;
mod state;
mod wires;
