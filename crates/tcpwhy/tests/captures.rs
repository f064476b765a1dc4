//! Captures of the real world, where they are at hand: whatever they hold, the answer keeps its promises.
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod common;

use common::*;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The files of a folder shared beside the workspace; none, and a word about it, where it is absent.
fn shared(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures").join(folder);
    let Ok(entries) = std::fs::read_dir(&root) else {
        eprintln!("SKIPPED: {} is not there", root.display());
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.to_str().is_some_and(|name| name.contains(".pcap")));
    files.sort();
    files
}

fn ns(value: &Value) -> i64 {
    value.as_i64().unwrap()
}

/// The timeline has no gap and no overlap, the limits are the timeline added up, and the shares are parts
/// of one.
fn check(direction: &Value, file: &Path) {
    let timeline = direction["timeline"].as_array().unwrap();
    for i in timeline {
        assert!(ns(&i["from_ns"]) < ns(&i["to_ns"]), "{}: {i}", file.display());
        assert!(ns(&i["first_frame"]) <= ns(&i["last_frame"]), "{}: {i}", file.display());
    }
    for pair in timeline.windows(2) {
        assert_eq!(pair[0]["to_ns"], pair[1]["from_ns"], "{}: {pair:?}", file.display());
    }
    let span = match (timeline.first(), timeline.last()) {
        (Some(first), Some(last)) => ns(&last["to_ns"]) - ns(&first["from_ns"]),
        _ => 0,
    };
    let limits = direction["limits"].as_array().unwrap();
    let sum: i64 = limits.iter().map(|l| ns(&l["duration_ns"])).sum();
    assert_eq!(sum, span, "{}", file.display());
    let shares: f64 = limits.iter().map(|l| l["share"].as_f64().unwrap()).sum();
    assert!(span == 0 || (shares - 1.0).abs() < 1e-6, "{}: {shares}", file.display());
    for part in ["share", "confidence"] {
        let part = direction["verdict"][part].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&part), "{}: {part}", file.display());
    }
    for lifted in direction["what_if"].as_array().unwrap() {
        let transfer = ns(&lifted["transfer_ns"]);
        let faster = 0 < transfer && transfer <= ns(&direction["transfer_ns"]);
        assert!(faster, "{}: {lifted}", file.display());
    }
}

/// Every direction of every connection in `folder`; how many there were.
fn check_folder(folder: &str) -> usize {
    let mut directions = 0;
    for file in shared(folder) {
        let output = run(&[file.to_str().unwrap(), "--json"]);
        // 2: a capture whose last packet is cut is still analysed.
        assert!(matches!(code(&output), 0 | 2), "{}: {}", file.display(), stderr(&output));
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        for connection in document["connections"].as_array().unwrap() {
            for direction in connection["directions"].as_array().unwrap() {
                check(direction, &file);
                directions += 1;
            }
        }
    }
    directions
}

#[test]
fn known_causes_keep_the_promises() {
    assert!(shared("diagnosis").is_empty() || check_folder("diagnosis") > 20);
}

/// The first connection of the capture whose name begins so; `None` where it is absent.
fn first_of(name: &str) -> Option<Value> {
    let begins =
        |file: &&PathBuf| file.file_name().is_some_and(|f| f.to_str().unwrap().starts_with(name));
    let files = shared("diagnosis");
    let output = run(&[files.iter().find(begins)?.to_str().unwrap(), "--json"]);
    let mut document: Value = serde_json::from_slice(&output.stdout).unwrap();
    Some(document["connections"][0].take())
}

fn has_found(connection: &Value, kind: &str) -> bool {
    connection["findings"].as_array().unwrap().iter().any(|f| f["kind"] == kind)
}

#[test]
fn a_normal_close_is_no_late_reset() {
    let Some(connection) = first_of("05-") else { return };
    assert!(!has_found(&connection, "late_reset"), "{}", connection["findings"]);
}

#[test]
fn a_receiver_that_closes_its_window_and_vanishes_is_no_policer() {
    let Some(connection) = first_of("35-") else { return };
    for kind in ["late_reset", "policer"] {
        assert!(!has_found(&connection, kind), "{}", connection["findings"]);
    }
}

#[test]
fn a_window_without_scaling_is_told() {
    let Some(connection) = first_of("02-") else { return };
    let advice = connection["directions"][1]["verdict"]["advice"][0].to_string();
    assert!(advice.contains("net.ipv4.tcp_window_scaling"), "{advice}");
}

#[test]
fn downloads_across_the_internet_keep_the_promises() {
    assert!(shared("ndt").is_empty() || check_folder("ndt") > 100);
}

#[test]
fn policed_downloads_keep_the_promises() {
    assert!(shared("policing").is_empty() || check_folder("policing") > 10);
}
