use std::any::{TypeId, type_name};

use ruststream_core::testing::TestableRegistration;
use ruststream_core::{Broker, Connected};

use crate::kit::Check;

/// Holds a broker crate to have registered its broker with the test harness.
///
/// Without `register_testable_broker!` no service's test starts on the broker, and the steps of
/// [`run_suite`](crate::harness::run_suite) that publish as a service does are skipped in silence.
/// The broker may be registered by its own type or by that of its connected form, each concrete type
/// once.
///
/// This is CORE-280.
///
/// # Panics
///
/// If there is no registration.
///
/// # Examples
///
/// ```
/// # use ruststream_conformance as conformance;
/// # use ruststream_memory::MemoryBroker;
/// conformance::in_process::registered::<MemoryBroker>();
/// ```
pub fn registered<B: Broker + 'static>() {
    let broker = type_name::<B>();
    let advice = format!(
        "write `register_testable_broker!({});` at the top of a module of the crate, under its \
         feature `testing`",
        as_written(broker)
    );
    let connected = TypeId::of::<Connected<B>>();
    Check::new("registered")
        .step(
            broker,
            "the in-process mode of a broker is registered, for the tests of services to find it",
        )
        .advising(&advice)
        .require(
            TestableRegistration::find(TypeId::of::<B>(), connected).is_some(),
            "it is not registered, neither by this type nor by its connected form",
        );
}

/// A type's name as its author writes it: without the path, where no other type is part of it.
fn as_written(name: &str) -> &str {
    match name.rsplit_once("::") {
        Some((_, last)) if !name.contains('<') => last,
        _ => name,
    }
}
