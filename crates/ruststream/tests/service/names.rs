//! What crates of others use by path stays where it is.

// RUN-490: importing is the test.
#[test]
fn the_names_that_other_crates_use_are_in_the_runtime() {
    #[allow(unused_imports)]
    use ruststream::runtime::{
        App, AppInfo, BatchStep, Bindable, BlanketLayer, Bound, BrokerScope, Context, Ctx,
        Declared, DefaultSlot, Deserialized, DynMiddleware, DynStack, FailureStep, FromContext,
        FromRef, Handle, Handler, HandlerOutcome, Input, IntoSource, Layer, MainRuntime,
        MapPublisher, NameStep, Next, Out, RETRY_COUNT_HEADER, Reply, Retry, Router, RouterDef,
        RunningApp, RustStream, RustStreamError, Serialized, Slot, SoloCarried, StartAtStep, State,
        SubscriberBuilder, SubscriberSettings, Workers, WorkersStep, subscriber,
    };

    assert_eq!(RETRY_COUNT_HEADER, "x-ruststream-retry-count");
}
