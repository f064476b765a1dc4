//! From cells to tables, the whole way, with the simulator in the place of the lab.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]

mod simulated;

use std::sync::atomic::AtomicBool;
use tcpwhy_core::model::Limit;
use tcpwhy_lab::score::matrix::{Cell, Control, Kind, Rtt};
use tcpwhy_lab::score::report::page;
use tcpwhy_lab::score::{CellResult, Place, Runner, Variant};

fn score(cells: &[Cell]) -> (tempfile::TempDir, Vec<CellResult>) {
    let dir = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let folder = dir.path().to_owned();
    let runner = Runner {
        run: &simulated::run,
        folder,
        parallel: 2,
        keep: false,
        again: false,
        lifts: 1,
        stop: &stop,
    };
    let results = runner.cells(cells, |_, _| {}).unwrap();
    (dir, results)
}

fn cell(kind: Kind) -> Cell {
    Cell {
        kind,
        severity: 0.25,
        control: Control::Cubic,
        rtt: Rtt::Ms10,
        offload: false,
        timestamps: true,
        seed: 0,
    }
}

#[test]
fn a_send_buffer_is_told_and_lifted() {
    let (_dir, results) = score(&[cell(Kind::SendBuffer)]);
    let judgement = results[0].judgement().unwrap_or_else(|| panic!("{:?}", results[0].outcome));
    assert_eq!(judgement.scored.views.len(), 15);
    let at_the_sender = judgement
        .scored
        .views
        .iter()
        .find(|v| v.place == Place::Sender && v.variant == Variant::Whole)
        .unwrap();
    let recall = at_the_sender.comparison.confusion.recall(Limit::SendBuffer).unwrap();
    assert!(recall > 0.9, "{recall}");
    let twin = judgement.twin.as_ref().unwrap();
    assert_eq!(twin.lifted, "send_buffer");
    assert!(twin.helps(0.5), "{twin:?}");
    assert!(judgement.others.contains_key("T-RAT"));
}

#[test]
fn captures_are_gone_and_results_are_kept() {
    let (dir, results) = score(&[cell(Kind::ReceiveWindow)]);
    let names: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, [std::ffi::OsString::from(format!("{}.json", results[0].id))]);
}

#[test]
fn the_page_of_some_runs() {
    let kinds = [Kind::SendBuffer, Kind::Writes, Kind::RandomLoss, Kind::Exchange];
    let (_dir, results) = score(&kinds.map(cell));
    let failed: Vec<_> = results.iter().filter(|r| r.judgement().is_none()).collect();
    assert_eq!(failed.len(), 1, "exchanges cannot be simulated: {failed:?}");
    let page = page(&results, "cargo test", false);
    assert!(page.contains("3 runs that are not held out; 1 failed and 0 over"), "{page}");
    assert!(page.contains("| T-RAT |") && !page.contains("NaN"), "{page}");
}
