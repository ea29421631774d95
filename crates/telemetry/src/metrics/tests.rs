use super::*;

fn names(registry: &Registry) -> Vec<String> {
    registry
        .gather()
        .iter()
        .map(|family| family.name().to_owned())
        .collect()
}

// OBS-13
#[test]
fn a_registry_takes_the_collectors_once() {
    let registry = Registry::new();
    Metrics::with_registry(registry.clone()).unwrap();

    assert!(Metrics::with_registry(registry.clone()).is_err());
    assert!(Metrics::with_registry(Registry::new()).is_ok());
    assert!(names(&registry).is_empty(), "nothing was counted yet");
}

// OBS-13
#[test]
fn a_refused_constructor_leaves_nothing_registered() {
    let registry = Registry::new();
    let taken = Published::new().unwrap();
    registry.register(taken.collectors()[0].twin()).unwrap();

    assert!(Metrics::with_registry(registry.clone()).is_err());

    for collector in Consumed::new().unwrap().collectors() {
        registry.register(collector.twin()).expect("it is free");
    }
}

// OBS-11
#[test]
fn clones_share_the_collectors_and_export_the_whole_registry() {
    let metrics = Metrics::with_registry(Registry::new()).unwrap();
    let doors = prometheus::IntCounter::new("doors", "Doors opened.").unwrap();
    metrics
        .clone()
        .registry()
        .register(Box::new(doors.clone()))
        .unwrap();
    doors.inc();

    assert_eq!(
        metrics.export().unwrap(),
        "# HELP doors Doors opened.\n# TYPE doors counter\ndoors 1\n"
    );
}

// OBS-11
#[test]
fn debug_names_the_type_and_hides_the_rest() {
    let metrics = Metrics::with_registry(Registry::new()).unwrap();
    let handler = ruststream_runtime::Layer::layer(&metrics.consume_layer(), ());

    assert_eq!(format!("{metrics:?}"), "Metrics { .. }");
    assert_eq!(
        format!("{:?}", metrics.consume_layer()),
        "MetricsLayer { .. }"
    );
    assert_eq!(
        format!("{:?}", metrics.publish_layer()),
        "MetricsPublish { .. }"
    );
    assert_eq!(format!("{handler:?}"), "MetricsHandler { .. }");
}

// OBS-13
#[cfg(feature = "poll-diagnostics")]
#[test]
fn poll_diagnostics_are_observed_once() {
    let metrics = Metrics::with_registry(Registry::new()).unwrap();
    let polls = PollDiagnostics::new();

    assert!(metrics.observe_poll_diagnostics(&polls).is_ok());
    assert!(metrics.observe_poll_diagnostics(&polls).is_err());
    // OBS-12: nothing opened yet.
    assert_eq!(metrics.export().unwrap(), "");
}
