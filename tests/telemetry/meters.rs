//! A meter provider whose metrics can be read.

use std::collections::BTreeMap;

use opentelemetry::KeyValue;
use opentelemetry_sdk::metrics::data::{
    AggregatedMetrics, MetricData, ResourceMetrics, ScopeMetrics,
};
use opentelemetry_sdk::metrics::{
    InMemoryMetricExporter, InMemoryMetricExporterBuilder, MeterProviderBuilder, SdkMeterProvider,
};

/// A meter provider, and what it exported.
#[derive(Debug)]
pub struct Meters {
    exporter: InMemoryMetricExporter,
    /// To be recorded into.
    pub provider: SdkMeterProvider,
}

impl Meters {
    /// A provider without views.
    #[must_use]
    pub fn new() -> Self {
        Self::built(|builder| builder)
    }

    /// A provider as `build` completes it.
    pub fn built(build: impl FnOnce(MeterProviderBuilder) -> MeterProviderBuilder) -> Self {
        let exporter = InMemoryMetricExporterBuilder::new().build();
        let builder = SdkMeterProvider::builder().with_periodic_exporter(exporter.clone());
        Self {
            exporter,
            provider: build(builder).build(),
        }
    }

    /// Everything that is recorded by now.
    ///
    /// # Panics
    ///
    /// Where it can't be collected.
    #[must_use]
    pub fn read(&self) -> Vec<Point> {
        self.exporter.reset();
        self.provider.force_flush().unwrap();
        let exported = self.exporter.get_finished_metrics().unwrap();
        exported.iter().flat_map(points).collect()
    }

    /// The values of an instrument by its attributes, written `key=value`, without the destination.
    #[must_use]
    pub fn of(&self, instrument: &str) -> BTreeMap<String, Value> {
        let of_it = self
            .read()
            .into_iter()
            .filter(|point| point.instrument == instrument);
        of_it.map(|point| (point.attributes, point.value)).collect()
    }
}

impl Default for Meters {
    fn default() -> Self {
        Self::new()
    }
}

/// One value of one instrument.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Its name.
    pub instrument: String,
    /// Its unit.
    pub unit: String,
    /// Its attributes, sorted, as `key=value` with spaces between.
    pub attributes: String,
    /// Its value.
    pub value: Value,
}

/// What an instrument holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Of a counter.
    Sum(f64),
    /// Of a gauge.
    Gauge(f64),
    /// Of a histogram.
    Histogram {
        /// How many values.
        count: u64,
        /// Their sum.
        sum: f64,
        /// The bounds of its buckets.
        bounds: Vec<f64>,
    },
}

impl Value {
    /// How many values a histogram holds; 0 for anything else.
    #[must_use]
    pub fn count(&self) -> u64 {
        match self {
            Self::Histogram { count, .. } => *count,
            Self::Sum(_) | Self::Gauge(_) => 0,
        }
    }
}

fn points(exported: &ResourceMetrics) -> Vec<Point> {
    let metrics = exported.scope_metrics().flat_map(ScopeMetrics::metrics);
    metrics
        .flat_map(|metric| {
            let values = match metric.data() {
                AggregatedMetrics::F64(data) => values(data, |value| value),
                #[expect(clippy::cast_precision_loss, reason = "tests count little")]
                AggregatedMetrics::U64(data) => values(data, |value| value as f64),
                #[expect(clippy::cast_precision_loss, reason = "tests count little")]
                AggregatedMetrics::I64(data) => values(data, |value| value as f64),
            };
            values.into_iter().map(|(attributes, value)| Point {
                instrument: metric.name().to_owned(),
                unit: metric.unit().to_owned(),
                attributes,
                value,
            })
        })
        .collect()
}

fn values<T: Copy>(data: &MetricData<T>, number: impl Fn(T) -> f64) -> Vec<(String, Value)> {
    match data {
        MetricData::Sum(sum) => sum
            .data_points()
            .map(|point| {
                (
                    written(point.attributes()),
                    Value::Sum(number(point.value())),
                )
            })
            .collect(),
        MetricData::Gauge(gauge) => gauge
            .data_points()
            .map(|point| {
                (
                    written(point.attributes()),
                    Value::Gauge(number(point.value())),
                )
            })
            .collect(),
        MetricData::Histogram(histogram) => histogram
            .data_points()
            .map(|point| {
                let value = Value::Histogram {
                    count: point.count(),
                    sum: number(point.sum()),
                    bounds: point.bounds().collect(),
                };
                (written(point.attributes()), value)
            })
            .collect(),
        MetricData::ExponentialHistogram(_) => Vec::new(),
    }
}

fn written<'a>(attributes: impl Iterator<Item = &'a KeyValue>) -> String {
    let mut written: Vec<_> = attributes
        .map(|pair| format!("{}={}", pair.key, pair.value))
        .collect();
    written.sort_unstable();
    written.join(" ")
}
