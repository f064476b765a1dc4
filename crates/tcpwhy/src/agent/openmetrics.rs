//! Metrics as OpenMetrics text, for Prometheus.

use super::metric::{Metric, Number, Point, Points, Unit};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{CounterValueEncoder, GaugeValueEncoder, MetricEncoder, text};
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeCounterValue, EncodeGaugeValue, NoLabelSet,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::exemplar::Exemplar;
use prometheus_client::registry::{Registry, Unit as Suffix};
use std::fmt;
use std::sync::Arc;

/// What a scraper is told that it gets.
pub(super) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The text of all metrics. Those without a point are named, too.
///
/// # Errors
/// None that a `String` could have.
pub(super) fn text(metrics: Vec<Metric>) -> Result<String, fmt::Error> {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Snapshot(metrics)));
    let mut text = String::new();
    text::encode(&mut text, &registry)?;
    Ok(text)
}

#[derive(Debug)]
struct Snapshot(Vec<Metric>);

impl Collector for Snapshot {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|metric| encode(metric, &mut encoder))
    }
}

fn encode(metric: &Metric, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let kind = match metric.points {
        Points::Counter(_) => MetricType::Counter,
        Points::Gauge(_) => MetricType::Gauge,
        Points::Histogram(_) => MetricType::Histogram,
    };
    let unit = match metric.unit {
        Unit::None => None,
        Unit::Seconds => Some(Suffix::Seconds),
        Unit::Bytes => Some(Suffix::Bytes),
    };
    let mut encoder = encoder.encode_descriptor(metric.name, metric.help, unit.as_ref(), kind)?;
    match &metric.points {
        Points::Counter(points) => each(points, &mut encoder, |to, value| {
            to.encode_counter(value, None::<&Exemplar<NoLabelSet, f64>>)
        }),
        Points::Gauge(points) => each(points, &mut encoder, |to, value| to.encode_gauge(value)),
        Points::Histogram(points) => each(points, &mut encoder, |to, value| {
            // The encoder adds the buckets up.
            let bounds = value.bounds().iter().copied().chain([f64::INFINITY]);
            let buckets: Vec<_> = bounds.zip(value.counts().iter().copied()).collect();
            to.encode_histogram::<NoLabelSet>(value.sum(), value.count(), &buckets, None)
        }),
    }
}

fn each<T>(
    points: &[Point<T>],
    encoder: &mut MetricEncoder<'_>,
    write: impl Fn(&mut MetricEncoder<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    points.iter().try_for_each(|point| {
        let labels: &[(&'static str, Arc<str>)] = &point.labels;
        if labels.is_empty() {
            return write(encoder, &point.value);
        }
        write(&mut encoder.encode_family(&labels)?, &point.value)
    })
}

impl EncodeCounterValue for Number {
    fn encode(&self, encoder: &mut CounterValueEncoder<'_>) -> fmt::Result {
        match self {
            Self::Whole(value) => EncodeCounterValue::encode(value, encoder),
            Self::Real(value) => EncodeCounterValue::encode(value, encoder),
        }
    }
}

impl EncodeGaugeValue for Number {
    fn encode(&self, encoder: &mut GaugeValueEncoder<'_>) -> fmt::Result {
        match self {
            Self::Whole(value) => EncodeGaugeValue::encode(value, encoder),
            Self::Real(value) => EncodeGaugeValue::encode(value, encoder),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::histogram::Histogram;
    use super::*;

    fn point<T>(service: &str, value: T) -> Point<T> {
        Point { labels: vec![("service", service.into())], since_ns: 0, value }
    }

    #[test]
    fn every_kind_is_written_with_its_suffix_and_hostile_names_are_escaped() {
        let mut shares = Histogram::new(&[0.5, 1.0]);
        shares.add(0.4);
        shares.add(1.0);
        let metrics = vec![
            Metric {
                name: "a",
                help: "A",
                unit: Unit::Seconds,
                points: Points::Counter(vec![point("x\"}\n\\", Number::Real(0.5))]),
            },
            Metric {
                name: "b",
                help: "B",
                unit: Unit::None,
                points: Points::Gauge(vec![point("y", Number::Whole(7))]),
            },
            Metric {
                name: "c",
                help: "C",
                unit: Unit::None,
                points: Points::Histogram(vec![point("z", shares)]),
            },
        ];
        let text = text(metrics).unwrap();
        assert!(text.contains(r#"a_seconds_total{service="x\"}\n\\"} 0.5"#), "{text}");
        assert!(text.contains(r#"b{service="y"} 7"#), "{text}");
        assert!(text.contains(r#"c_bucket{le="0.5",service="z"} 1"#), "{text}");
        assert!(text.contains(r#"c_bucket{le="+Inf",service="z"} 2"#), "{text}");
        assert!(text.contains(r#"c_count{service="z"} 2"#), "{text}");
        assert!(text.ends_with("# EOF\n"), "{text}");
    }
}
