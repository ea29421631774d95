//! The times of polls, read from the diagnostics whenever metrics are collected.

use std::sync::Arc;

use opentelemetry::KeyValue;
use opentelemetry::metrics::Meter;
use ruststream_runtime::{PollDiagnostics, PollReport};

use super::attributes::destination;

pub(super) fn observe(meter: &Meter, diagnostics: &PollDiagnostics) {
    let average = diagnostics.clone();
    meter
        .f64_observable_gauge("ruststream.handler.poll.average")
        .with_unit("s")
        .with_description("How long handlers computed between two awaits lately, on average.")
        .with_callback(move |gauge| {
            for report in average.reports() {
                gauge.observe(report.average().as_secs_f64(), &attributes(&report));
            }
        })
        .build();
    let p99 = diagnostics.clone();
    meter
        .f64_observable_gauge("ruststream.handler.poll.p99")
        .with_unit("s")
        .with_description("What one in a hundred polls of the handlers took longer than.")
        .with_callback(move |gauge| {
            for report in p99.reports() {
                gauge.observe(report.p99().as_secs_f64(), &attributes(&report));
            }
        })
        .build();
    let samples = diagnostics.clone();
    meter
        .u64_observable_counter("ruststream.handler.poll.samples")
        .with_unit("{poll}")
        .with_description("How many polls of the handlers were timed.")
        .with_callback(move |counter| {
            for report in samples.reports() {
                counter.observe(report.samples(), &attributes(&report));
            }
        })
        .build();
}

fn attributes(report: &PollReport) -> [KeyValue; 1] {
    [destination(Arc::from(report.subscription()))]
}
