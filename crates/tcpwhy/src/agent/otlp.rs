//! Metrics as an OTLP/HTTP request in JSON (opentelemetry-proto 1.x, `ExportMetricsServiceRequest`; protobuf's JSON mapping: 64-bit
//! integers are strings).
//!
//! Not by `opentelemetry-otlp`: its SDK would do the counting over again, and brings 110 crates more.

use super::histogram::Histogram;
use super::metric::{Metric, Number, Point, Points, Unit};
use serde_json::{Value, json};
use std::sync::Arc;

/// `AGGREGATION_TEMPORALITY_CUMULATIVE`: an export that is lost loses nothing.
const CUMULATIVE: u32 = 2;

/// All metrics at `now_ns`, nanoseconds since the Unix epoch, of this `host`.
pub(super) fn request(metrics: &[Metric], now_ns: u64, host: &str) -> Value {
    let about = [
        ("service.name", Arc::from("tcpwhy")),
        ("service.version", Arc::from(env!("CARGO_PKG_VERSION"))),
        ("host.name", Arc::from(host)),
    ];
    // A metric without points is refused by some receivers.
    let metrics: Vec<_> =
        metrics.iter().map(|m| metric(m, now_ns)).filter(|m| !m.is_null()).collect();
    json!({ "resourceMetrics": [{
        "resource": { "attributes": attributes(&about) },
        "scopeMetrics": [{
            "scope": { "name": "tcpwhy", "version": env!("CARGO_PKG_VERSION") },
            "metrics": metrics,
        }],
    }]})
}

/// Named with dots, as OpenTelemetry does; a receiver that writes for Prometheus gets our names back from name, unit and kind.
fn metric(metric: &Metric, now_ns: u64) -> Value {
    let unit = match metric.unit {
        // Not "1": receivers that write for Prometheus would append "ratio".
        Unit::None => "",
        Unit::Seconds => "s",
        Unit::Bytes => "By",
    };
    let (kind, data) = match &metric.points {
        Points::Counter(points) => {
            let points = all(points, now_ns, number);
            (
                "sum",
                json!({ "aggregationTemporality": CUMULATIVE, "isMonotonic": true, "dataPoints": points }),
            )
        }
        Points::Gauge(points) => ("gauge", json!({ "dataPoints": all(points, now_ns, number) })),
        Points::Histogram(points) => {
            let points = all(points, now_ns, histogram);
            ("histogram", json!({ "aggregationTemporality": CUMULATIVE, "dataPoints": points }))
        }
    };
    if data["dataPoints"].as_array().is_none_or(Vec::is_empty) {
        return Value::Null;
    }
    json!({ "name": metric.name.replace('_', "."), "description": metric.help, "unit": unit, kind: data })
}

fn all<T>(points: &[Point<T>], now_ns: u64, value: impl Fn(&T) -> Value) -> Vec<Value> {
    let one = |point: &Point<T>| {
        let mut value = value(&point.value);
        value["attributes"] = attributes(&point.labels);
        value["startTimeUnixNano"] = point.since_ns.to_string().into();
        value["timeUnixNano"] = now_ns.to_string().into();
        value
    };
    points.iter().map(one).collect()
}

fn number(value: &Number) -> Value {
    match value {
        Number::Whole(value) => json!({ "asInt": value.to_string() }),
        Number::Real(value) => json!({ "asDouble": value }),
    }
}

fn histogram(value: &Histogram) -> Value {
    let counts: Vec<_> = value.counts().iter().map(u64::to_string).collect();
    json!({
        "count": value.count().to_string(), "sum": value.sum(),
        "bucketCounts": counts, "explicitBounds": value.bounds(),
    })
}

fn attributes(labels: &[(&'static str, Arc<str>)]) -> Value {
    labels
        .iter()
        .map(|(key, value)| json!({ "key": key, "value": { "stringValue": &**value } }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_has_its_kind_its_unit_and_integers_as_strings() {
        let point =
            Point { labels: vec![("service", "a".into())], since_ns: 5, value: Number::Whole(7) };
        let counter = Metric {
            name: "tcpwhy_transferred",
            help: "Bytes",
            unit: Unit::Bytes,
            points: Points::Counter(vec![point]),
        };
        let none =
            Metric { name: "none", help: "", unit: Unit::None, points: Points::Gauge(Vec::new()) };
        let request = request(&[counter, none], 9, "host");
        let metrics = &request["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
        assert_eq!(metrics.as_array().unwrap().len(), 1, "no points, no metric");
        assert_eq!(metrics[0]["name"], "tcpwhy.transferred");
        assert_eq!(metrics[0]["unit"], "By");
        assert_eq!(metrics[0]["sum"]["isMonotonic"], true);
        let point = &metrics[0]["sum"]["dataPoints"][0];
        assert_eq!(point["asInt"], "7");
        assert_eq!(point["startTimeUnixNano"], "5");
        assert_eq!(point["attributes"][0]["value"]["stringValue"], "a");
    }
}
