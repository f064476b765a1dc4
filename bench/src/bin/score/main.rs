//! How often the verdict is right, on captures whose answer is known.
//!
//! `score TCPWHY [--check | --set NAME DIR TABLE]` runs that binary on every capture and compares. Without a
//! flag it rewrites `bench/score.tsv`; with `--check` it fails when that file would change; with `--set` it
//! scores one more directory and writes nothing. Sets that are not on this machine keep their rows.
#![allow(clippy::print_stdout, reason = "a command line tool")]

mod answer;
mod expected;
mod table;

use expected::{Expected, Set};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use table::Row;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let file = root.join("bench/score.tsv");
    let (tcpwhy, sets) = match words.as_slice() {
        [tcpwhy] | [tcpwhy, "--check"] => (tcpwhy, expected::sets(&root)?),
        [tcpwhy, "--set", name, directory, table] => {
            (tcpwhy, vec![Set::read(name, Path::new(directory), Path::new(table))?])
        }
        _ => return Err("usage: score TCPWHY [--check | --set NAME DIR TABLE]".into()),
    };
    let mut rows = Vec::new();
    for set in &sets {
        rows.extend(score(Path::new(tcpwhy), set)?);
    }
    if words.contains(&"--set") {
        print!("{}", table::text(&rows));
        table::print_summary(&rows);
        return Ok(true);
    }
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    let after = table::merge(&before, &rows);
    let check = words.contains(&"--check");
    if !check {
        std::fs::write(&file, &after)?;
    }
    table::print_summary(&rows);
    Ok(!check || table::print_changes(&before, &after))
}

/// One row for every expectation of a set; a set that is not here is said and left out.
fn score(tcpwhy: &Path, set: &Set) -> Result<Vec<Row>, Box<dyn Error>> {
    if !set.directory.is_dir() {
        println!("{}: skipped, {} is not here", set.name, set.directory.display());
        return Ok(Vec::new());
    }
    set.expected.iter().map(|expected| score_one(tcpwhy, set, expected)).collect()
}

fn score_one(tcpwhy: &Path, set: &Set, expected: &Expected) -> Result<Row, Box<dyn Error>> {
    let capture: PathBuf = set.directory.join(&expected.file);
    let verdict = answer::verdict(tcpwhy, &capture, &expected.direction)?;
    Ok(Row::new(&set.name, expected, verdict))
}
