// MAC-41, CLI-04
#[ruststream::app(current_thread)]
fn bare_word() {}

#[ruststream::app(flavor = "single")]
fn unknown_flavor() {}

#[ruststream::app(worker_threads = 0)]
fn zero_workers() {}

#[ruststream::app(worker_threads = 4, flavor = "current_thread")]
fn workers_of_one_thread() {}

#[ruststream::app(threads = 4)]
fn unknown_key() {}

fn main() {}
