//! The example in README.md is what the command in it prints.
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod common;

use common::*;
use std::path::{Path, PathBuf};

const BEGIN: &str = "```\n$ tcpwhy ";
const END: &str = "\n```\n<!-- end of example -->";
/// In place of the advice after the first step.
const MORE: &str = "    ...";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What the command prints, as the example shows it.
fn answer(args: &str) -> String {
    let output = tcpwhy().current_dir(root()).args(args.split_whitespace()).output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    let shown: Vec<&str> = text.lines().take_while(|line| !line.starts_with("    2. ")).collect();
    format!("{}\n{MORE}", shown.join("\n"))
}

/// `TCPWHY_BLESS=1 cargo test -p tcpwhy --test readme` writes the example anew, which is then read.
#[test]
fn the_example_is_what_its_command_prints() {
    let path = root().join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(BEGIN).unwrap();
    let (example, after) = rest.split_once(END).unwrap();
    let (args, shown) = example.split_once('\n').unwrap();
    let answer = answer(args);
    if std::env::var_os("TCPWHY_BLESS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{args}\n{answer}{END}{after}")).unwrap();
        return;
    }
    assert!(shown == answer, "look at it, then bless it with TCPWHY_BLESS=1:\n{answer}");
}
