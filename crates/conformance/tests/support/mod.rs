//! One honest toy broker, and the twists that make it dishonest in one thing.
//!
//! The toy (`world`, `honest`) is a server in memory with connections to it: fan-out or shared
//! queues, a log, transactions, requests, seeks. `contract` puts the contract's traits on it, and
//! asks a [`Twist`] at every point of the contract; the twist [`Honest`] changes nothing.

#![allow(
    dead_code,
    unused_imports,
    reason = "each test binary uses a part of the toy"
)]

mod contract;
mod honest;
mod twist;
mod verdict;
mod world;

pub(crate) use contract::{
    ConnectedToy, Parcel, Slot, ToyBroker, ToyMessage, ToyOptions, ToyPublish, ToyPublisher, toys,
};
pub(crate) use honest::{Delivery, Link, Reader, SeekHandle, Sender, Side, ToyError};
pub(crate) use twist::{
    Done, Honest, Settled, Slotted, Task, Twist, failing, hanging, now, unsupported,
};
pub(crate) use verdict::{judged, rejected};
pub(crate) use world::{Item, Kind, Letter, Queue, World};
