//! What a subscription holds while nothing comes.

use std::fs;

use super::subscriptions::{names, service};
use crate::harness::runtime;

/// How much the process grows with ten thousand more subscriptions, by subscription.
pub fn report() {
    const SUBSCRIPTIONS: usize = 10_000;
    let (runtime, names) = (runtime(), names(SUBSCRIPTIONS));
    // What a first service takes once is not counted.
    let first = service(&runtime, &names[..10]);
    let before = resident();
    let all = service(&runtime, &names);
    let each = (resident() - before) / SUBSCRIPTIONS;
    println!("an idle subscription holds {each} bytes");
    drop((first, all));
}

/// The resident memory of this process, in bytes.
fn resident() -> usize {
    const PAGE: usize = 4096;
    let statm = fs::read_to_string("/proc/self/statm").expect("Linux tells it");
    let pages = statm
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<usize>().ok());
    pages.expect("a number of pages") * PAGE
}
