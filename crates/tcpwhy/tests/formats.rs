//! What the machine-readable formats say, end to end.
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod common;

use common::*;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

fn json(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn json_lines_and_rows_tell_of_the_same_transfer() {
    let document = json(&run_on(&transfer(), &["-", "--json"]));
    let connection = &document["connections"][0];
    assert_eq!(document["source"]["packets"], 108);
    assert_eq!(document["source"]["tcp_packets"], 108);
    assert_eq!(connection["server"], serde_json::json!({ "addr": "10.0.0.1", "port": 3306 }));
    assert_eq!(connection["directions"][0]["bytes"], 100);
    assert_eq!(connection["directions"][1]["bytes"], 50 * 1448);

    let lines = stdout(&run_on(&transfer(), &["-", "--ndjson"]));
    assert_eq!(lines.lines().count(), 1);
    let mut line: Value = serde_json::from_str(&lines).unwrap();
    line.as_object_mut().unwrap().remove("schema");
    assert_eq!(&line, connection);

    let rows = stdout(&run_on(&transfer(), &["-", "--csv"]));
    assert!(rows.starts_with("connection,client_addr,"), "{rows}");
    let transfers = |n: usize| connection["directions"][n]["transfers"].as_array().unwrap().len();
    assert_eq!(rows.lines().count(), 1 + transfers(0) + transfers(1));
}

#[test]
fn each_of_many_transfers_has_a_row_and_what_has_none_is_told() {
    let few = run_on(&exchanges(1_000), &["-", "--csv"]);
    assert_eq!((stdout(&few).lines().count(), stderr(&few)), (1 + 2_000, String::new()));
    let many = run_on(&exchanges(5_000), &["-", "--csv"]);
    assert_eq!(stdout(&many).lines().count(), 1 + 2 * 4_096);
    assert!(
        stderr(&many).contains("1,808 transfers have no row of their own"),
        "{}",
        stderr(&many)
    );
}

/// The first packet of [`transfer`], of another port and so many seconds later.
fn another_begins(seconds: u32) -> Vec<u8> {
    let mut record = transfer()[24..24 + 16 + 54].to_vec();
    let time = u32::from_le_bytes(record[..4].try_into().unwrap()) + seconds;
    record[..4].copy_from_slice(&time.to_le_bytes());
    record[16 + 14 + 20 + 1] ^= 1;
    record
}

#[test]
fn a_line_is_written_as_its_connection_ends_while_the_input_goes_on() {
    let mut child = tcpwhy()
        .args(["--ndjson", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    stdin.write_all(&transfer()).unwrap();
    stdin.write_all(&another_begins(10)).unwrap();
    // If it waited for more, its input would end at last, so that this test ends, and the second connection be told, too.
    let (told, is_told) = channel();
    let feeder = thread::spawn(move || {
        let waited = is_told.recv_timeout(Duration::from_secs(60)).is_err();
        drop(stdin);
        waited
    });
    let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    let _ = told.send(());
    assert!(!feeder.join().unwrap(), "nothing came before the end of the input");
    assert_eq!(first["client"]["port"], 51_234);
    assert_eq!(lines.count(), 1);
    assert!(child.wait().unwrap().success());
}

#[test]
fn nothing_to_analyse_is_still_a_document() {
    let output = run_on(&Pcap::new(1).finish(), &["-", "--json"]);
    assert_eq!(code(&output), 1);
    assert_eq!(json(&output)["connections"], serde_json::json!([]));
}

#[test]
fn damage_is_in_the_document_and_on_standard_error() {
    let whole = transfer();
    let output = run_on(&whole[..whole.len() - 10], &["-", "--json"]);
    assert_eq!(code(&output), 2);
    let document = json(&output);
    assert_eq!(document["source"]["packets"], 107);
    assert!(!document["source"]["warnings"].as_array().unwrap().is_empty());
    assert!(stderr(&output).contains("damaged"));
}

/// The captures shared beside the workspace, if they are there.
fn shared(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures").join(folder);
    let Ok(entries) = std::fs::read_dir(&root) else {
        eprintln!("SKIPPED: {} is not there", root.display());
        return Vec::new();
    };
    let mut files: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.to_string_lossy().contains(".pcap"));
    files.sort();
    files
}

#[test]
fn answers_to_real_captures_keep_the_contract() {
    let schema = include_str!("../../../schema/tcpwhy.analysis-1.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    for file in shared("diagnosis") {
        let output = run(&[file.to_str().unwrap(), "--json"]);
        let document = json(&output);
        let errors: Vec<_> = validator.iter_errors(&document).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", file.display());
        for connection in document["connections"].as_array().unwrap() {
            for direction in connection["directions"].as_array().unwrap() {
                assert_partition(direction, &file);
            }
        }
    }
}

/// Shares add up to 1, and the timeline has neither gap nor overlap.
fn assert_partition(direction: &Value, file: &Path) {
    let limits = direction["limits"].as_array().unwrap();
    let sum: f64 = limits.iter().map(|l| l["share"].as_f64().unwrap()).sum();
    assert!(limits.is_empty() || (sum - 1.0).abs() < 1e-6, "{}: {sum}", file.display());
    let timeline = direction["timeline"].as_array().unwrap();
    for pair in timeline.windows(2) {
        assert_eq!(pair[0]["to_ns"], pair[1]["from_ns"], "{}", file.display());
    }
    for interval in timeline {
        assert!(interval["from_ns"].as_i64() <= interval["to_ns"].as_i64(), "{}", file.display());
        assert!(interval["first_frame"].as_u64() <= interval["last_frame"].as_u64());
    }
}
