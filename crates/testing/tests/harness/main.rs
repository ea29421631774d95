//! The harness's own tests, on the in-process broker and on one that tells what it saw. One file
//! holds one concept; each test names the rule that it holds.

mod addressing;
mod batches;
mod calls;
mod chain;
mod copies;
mod cost;
mod debug;
mod drain;
mod hook_ends;
mod hooks;
mod input;
mod live;
mod options;
mod published;
mod registration;
mod rest;
mod shutdown;
mod startup;
mod state;
mod subscribers;
mod support;
mod time;
