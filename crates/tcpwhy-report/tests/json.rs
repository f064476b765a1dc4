//! The published contract: schema, golden files, and the promises of its description.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod common;

use common::{connection, connections, golden, source};
use serde_json::Value;
use tcpwhy_core::advice::Language;
use tcpwhy_core::model::{Cause, Connection, Interval, Limit};
use tcpwhy_core::units::Nanos;
use tcpwhy_report::json::{self, Words};

const ENGLISH: Words = Words::In(Language::En);

fn schema() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/tcpwhy.analysis-1.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn document(connections: &[Connection]) -> String {
    let mut out = Vec::new();
    json::write(&mut out, &source(), connections, ENGLISH).unwrap();
    String::from_utf8(out).unwrap()
}

fn line(connection: &Connection) -> String {
    let mut out = Vec::new();
    json::write_line(&mut out, connection, ENGLISH).unwrap();
    String::from_utf8(out).unwrap()
}

fn assert_valid(schema: &Value, instance: &Value) {
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors: Vec<_> =
        validator.iter_errors(instance).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

/// Every object of the schema closed: what is written and not described is an error, too.
fn closed(mut schema: Value) -> Value {
    fn close(value: &mut Value) {
        match value {
            Value::Object(map) => {
                if map.contains_key("properties") {
                    map.insert("additionalProperties".to_owned(), Value::Bool(false));
                }
                map.values_mut().for_each(close);
            }
            Value::Array(items) => items.iter_mut().for_each(close),
            _ => {}
        }
    }
    close(&mut schema);
    schema
}

#[test]
fn the_document_is_what_the_schema_describes_and_nothing_else() {
    let document: Value = serde_json::from_str(&document(&connections())).unwrap();
    assert_valid(&schema(), &document);
    assert_valid(&closed(schema()), &document);
}

#[test]
fn the_schema_refuses_what_it_should() {
    let mut document: Value = serde_json::from_str(&document(&connections())).unwrap();
    document["connections"][0]["directions"][1]["verdict"]["limit"] = "bad luck".into();
    assert!(!jsonschema::is_valid(&schema(), &document));
}

#[test]
fn a_line_is_a_connection_that_names_its_schema() {
    let mut lines = schema();
    lines["required"] = serde_json::json!(["schema"]);
    lines["$ref"] = "#/$defs/connection".into();
    lines.as_object_mut().unwrap().remove("properties");
    for c in connections() {
        let text = line(&c);
        assert_eq!(text.matches('\n').count(), 1);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["schema"], "tcpwhy.analysis/1");
        assert_valid(&lines, &value);
    }
}

#[test]
fn the_golden_document() {
    let document = document(&[connection(0, (Limit::SendBuffer, Cause::None))]);
    let value: Value = serde_json::from_str(&document).unwrap();
    golden("one.json", &(serde_json::to_string_pretty(&value).unwrap() + "\n"));
}

/// The document of one connection in other words.
fn said(words: Words) -> Value {
    let mut out = Vec::new();
    let one = [connection(0, (Limit::SendBuffer, Cause::None))];
    json::write(&mut out, &source(), &one, words).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn the_golden_document_in_chinese() {
    let value = said(Words::In(Language::Zh));
    assert_valid(&closed(schema()), &value);
    golden("one.zh.json", &(serde_json::to_string_pretty(&value).unwrap() + "\n"));
}

/// Takes the sentences out of `value`.
fn without_sentences(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|k, _| {
                !["text", "advice", "warnings", "translations"].contains(&k.as_str())
            });
            map.values_mut().for_each(without_sentences);
        }
        Value::Array(items) => items.iter_mut().for_each(without_sentences),
        _ => {}
    }
}

#[test]
fn only_sentences_change_with_the_language() {
    let mut documents = [ENGLISH, Words::In(Language::Zh), Words::All].map(said);
    documents.iter_mut().for_each(without_sentences);
    assert_eq!(documents[0], documents[1]);
    assert_eq!(documents[0], documents[2]);
}

#[test]
fn a_reader_who_can_switch_gets_every_language() {
    let (all, zh) = (said(Words::All), said(Words::In(Language::Zh)));
    assert_valid(&closed(schema()), &all);
    for place in ["/connections/0/directions/1/verdict", "/connections/0/findings/0", "/source"] {
        let [all, zh] = [&all, &zh].map(|document| document.pointer(place).unwrap());
        for (key, value) in all["translations"]["zh"].as_object().unwrap() {
            assert_eq!(*value, zh[key], "{place} {key}");
            assert_ne!(*value, all[key], "{place} {key}");
        }
    }
}

#[test]
fn the_golden_lines() {
    let lines: String = connections().iter().map(line).collect();
    golden("all.ndjson", &lines);
}

#[test]
fn no_connections_is_a_document_too() {
    let value: Value = serde_json::from_str(&document(&[])).unwrap();
    assert_valid(&schema(), &value);
    assert_eq!(value["connections"], serde_json::json!([]));
}

/// A timeline of thirds, whose shares cannot be written exactly.
fn thirds() -> Connection {
    let mut c = connection(0, (Limit::SendBuffer, Cause::None));
    let model = c.directions[1].timeline[0];
    let limits = [Limit::SendBuffer, Limit::PathBandwidth, Limit::Unknown];
    let third = |(n, limit)| Interval {
        from: Nanos(n as i64),
        to: Nanos(n as i64 + 1),
        limit,
        cause: Cause::None,
        ..model
    };
    c.directions[1].timeline = limits.into_iter().enumerate().map(third).collect();
    c
}

#[test]
fn shares_add_up_and_the_timeline_has_neither_gap_nor_overlap() {
    let mut all = connections();
    all.push(thirds());
    let value: Value = serde_json::from_str(&document(&all)).unwrap();
    for c in value["connections"].as_array().unwrap() {
        let direction = &c["directions"][1];
        let shares = direction["limits"].as_array().unwrap();
        let sum: f64 = shares.iter().map(|l| l["share"].as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        for pair in direction["timeline"].as_array().unwrap().windows(2) {
            assert_eq!(pair[0]["to_ns"], pair[1]["from_ns"]);
        }
    }
}

#[test]
fn timelines_of_no_length_and_numbers_that_are_none_stay_valid() {
    let mut c = connection(0, (Limit::SendBuffer, Cause::None));
    c.vantage.position = f64::NAN;
    c.directions[1].verdict.share = f64::INFINITY;
    let first = c.directions[1].timeline[0];
    c.directions[1].timeline = Box::new([Interval { to: first.from, confidence: 255, ..first }]);
    let value: Value = serde_json::from_str(&document(&[c])).unwrap();
    assert_valid(&schema(), &value);
    assert_eq!(value["connections"][0]["directions"][1]["limits"][0]["share"], 1.0);
}

#[test]
fn many_connections_are_written_in_their_order() {
    let all: Vec<_> =
        (0..1000).map(|id| connection(id, (Limit::SendBuffer, Cause::None))).collect();
    let value: Value = serde_json::from_str(&document(&all)).unwrap();
    let written = value["connections"].as_array().unwrap();
    assert!(written.iter().map(|c| c["id"].as_u64().unwrap()).eq(0..1000));
}
