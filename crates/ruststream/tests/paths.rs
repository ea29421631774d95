//! The paths that services and broker crates write (TEST-02, TEST-03). A path that is gone does not
//! compile; scripts/test builds this file with the harness and without.

#![allow(unused_imports, reason = "the paths are what is tested")]

// TEST-03: with the feature off too, so links to it hold.
use ruststream::testing as _;

// TEST-02
#[cfg(feature = "conformance")]
mod with_the_suites {
    use ruststream::conformance::{
        capabilities as _, harness as _, helpers as _, in_process as _, lifecycle as _,
        message_shape as _, retry as _, settlement as _,
    };
    use ruststream::testing::{
        Backlog as _, BrokerHandle as _, Coordinator as _, InProcess as _, InjectSink as _,
        Outcome as _, PublishedAssertions as _, SubscriberAssertions as _, TestApp as _,
        TestBrokers as _, TestError as _, TestableBroker as _, TestableRegistration as _,
        expect_published as _,
    };
    use ruststream::{inventory as _, register_testable_broker as _};
}
