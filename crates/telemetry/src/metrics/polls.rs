//! The times of polls, read from the diagnostics whenever the registry is.

use std::time::Duration;

use prometheus::core::{Collector, Desc};
use prometheus::proto;
use ruststream_runtime::{BUCKET_BOUNDS_NS, PollDiagnostics, PollStats};

const DURATION: (&str, &str) = (
    "ruststream_handler_poll_duration_seconds",
    "How long handlers computed between two awaits; one poll in so many is timed.",
);
const AVERAGE: (&str, &str) = (
    "ruststream_handler_poll_average_seconds",
    "How long handlers computed between two awaits lately, on average.",
);

pub(super) struct Polls {
    diagnostics: PollDiagnostics,
    duration: Desc,
    average: Desc,
}

impl Polls {
    pub(super) fn new(diagnostics: PollDiagnostics) -> Result<Self, prometheus::Error> {
        let desc = |(name, help): (&str, &str)| {
            Desc::new(
                name.to_owned(),
                help.to_owned(),
                vec!["name".to_owned()],
                [].into(),
            )
        };
        Ok(Self {
            diagnostics,
            duration: desc(DURATION)?,
            average: desc(AVERAGE)?,
        })
    }
}

impl Collector for Polls {
    fn desc(&self) -> Vec<&Desc> {
        vec![&self.duration, &self.average]
    }

    fn collect(&self) -> Vec<proto::MetricFamily> {
        let stats = self.diagnostics.stats();
        let (durations, averages) = stats
            .iter()
            .map(|stats| (duration(stats), average(stats)))
            .unzip();
        vec![
            family(DURATION, proto::MetricType::HISTOGRAM, durations),
            family(AVERAGE, proto::MetricType::GAUGE, averages),
        ]
    }
}

fn family(
    (name, help): (&str, &str),
    kind: proto::MetricType,
    metrics: Vec<proto::Metric>,
) -> proto::MetricFamily {
    let mut family = proto::MetricFamily::default();
    family.set_name(name.to_owned());
    family.set_help(help.to_owned());
    family.set_field_type(kind);
    family.set_metric(metrics);
    family
}

fn metric(stats: &PollStats) -> proto::Metric {
    let mut label = proto::LabelPair::default();
    label.set_name("name".to_owned());
    label.set_value(stats.name().to_owned());
    proto::Metric::from_label(vec![label])
}

fn average(stats: &PollStats) -> proto::Metric {
    let mut gauge = proto::Gauge::default();
    gauge.set_value(stats.report().average().as_secs_f64());
    let mut metric = metric(stats);
    metric.set_gauge(gauge);
    metric
}

fn duration(stats: &PollStats) -> proto::Metric {
    let (samples, sum_ns, counts) = stats.histogram();
    let mut cumulative = 0;
    // What is over the last bound is in the number of samples alone.
    let buckets = BUCKET_BOUNDS_NS.iter().zip(counts).map(|(bound, count)| {
        cumulative += count;
        let mut bucket = proto::Bucket::default();
        bucket.set_upper_bound(seconds(*bound));
        bucket.set_cumulative_count(cumulative);
        bucket
    });
    let mut histogram = proto::Histogram::default();
    histogram.set_bucket(buckets.collect());
    histogram.set_sample_count(samples);
    histogram.set_sample_sum(seconds(sum_ns));
    let mut metric = metric(stats);
    metric.set_histogram(histogram);
    metric
}

fn seconds(ns: u64) -> f64 {
    Duration::from_nanos(ns).as_secs_f64()
}
