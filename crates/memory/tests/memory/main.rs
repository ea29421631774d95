//! What the in-memory broker promises, through its public surface.

mod contexts;
mod delayed;
mod fan_out;
mod lifecycle;
mod limits;
mod memory_bounds;
mod ordering;
mod patterns;
mod requests;
mod retention;
mod seeking;
mod settlement;
mod streams;
mod support;
mod surface;
mod transactions;
