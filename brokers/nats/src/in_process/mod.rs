//! The transport of tests: the client's share of NATS without a server.
//!
//! It is a bus owned by one connected broker. Routing is reproduced exactly: subjects and patterns,
//! queue groups, request and reply, what a publish refuses. So is what a settlement answers. What a
//! server does with time and storage is not, on purpose: a transport that imitated a store would let
//! tests pass on the imitation. Each gap is marked `NATS-G` where it is, with what no test on this
//! transport can prove; `tests/in_process/gaps.rs` holds each of them open, `tests/live` proves the
//! real thing.

mod bus;
mod core;
mod held;
mod options;
mod requests;
mod streams;
mod testable;
mod ticket;

pub(crate) use self::bus::Bus;
pub(crate) use self::core::CoreFeed;
pub(crate) use self::held::Held;
pub(crate) use self::streams::StreamFeed;
pub(crate) use self::ticket::Ticket;
