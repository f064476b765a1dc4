//! However a recording ends, what was written until then can be read, and says what held the transfer.

use crate::lab::{Folder, Shell, direction, explained, in_lab, is_damaged_at_most, tcpwhy, text};

/// A transfer of some seconds with a recorder beside it, to which something is done once the transfer has settled.
fn beside(options: &str, then: &str) -> Shell {
    Shell::new(&format!(
        "LONG=5 $TRANSFER & ALL=$!; $TCPWHY record -o $CASE {options} & RECORDER=$!; \
         until [ -e $READY ]; do sleep 0.1; done; {then}; wait $RECORDER; echo $?; wait $ALL"
    ))
}

fn assert_send_buffer(case: &str) {
    let (answer, code) = explained(case);
    assert!(is_damaged_at_most(code), "{answer}");
    let direction = direction(&answer, 8000);
    assert!(direction["bytes"].as_u64().unwrap() > 50_000, "{answer}");
    assert_eq!(direction["verdict"]["limit"], "send_buffer", "{answer}");
}

#[test]
fn sigterm_and_sigint_end_it_well() {
    for signal in ["TERM", "INT"] {
        let folder = Folder::new();
        // A shell without job control has its children ignore SIGINT; the recorder asks for it.
        let shell = beside("--port 8000", &format!("sleep 2; kill -{signal} $RECORDER"));
        let Some(output) = in_lab(&folder, &shell) else { return };
        assert_eq!(output.stdout.trim(), "0", "{signal}: {output:?}");
        assert_send_buffer(&folder.case());
    }
}

#[test]
fn a_killed_recording_can_be_read() {
    let folder = Folder::new();
    let shell = beside("--port 8000", "sleep 2; kill -9 $RECORDER");
    let Some(output) = in_lab(&folder, &shell) else { return };
    assert_eq!(output.stdout.trim(), "137", "{output:?}");
    assert_send_buffer(&folder.case());
    let record = std::fs::read_to_string(format!("{}/record.json", folder.case())).unwrap();
    assert!(record.contains("\"complete\": false"), "{record}");
}

#[test]
fn a_partial_last_block_is_damage_that_is_told_and_no_failure() {
    let folder = Folder::new();
    let shell = Shell::new("$TCPWHY record -q -o $CASE --port 8000 -- $TRANSFER");
    let Some(_) = in_lab(&folder, &shell) else { return };
    for name in ["host.pcapng", "samples.ndjson"] {
        let path = format!("{}/{name}", folder.case());
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 41]).unwrap();
    }
    let (answer, code) = explained(&folder.case());
    assert_eq!(code, 2, "{answer}");
    assert!(answer["source"]["warnings"].to_string().contains("the file is cut"), "{answer}");
    assert_eq!(direction(&answer, 8000)["verdict"]["limit"], "send_buffer", "{answer}");
}

#[test]
fn a_full_disk_ends_the_recording_and_not_the_command() {
    let folder = Folder::new();
    let shell = Shell::new(
        "unshare -m sh -c 'mkdir $CASE.disk && mount -t tmpfs -o size=160k none $CASE.disk || exit 77; \
         LONG=5 $TCPWHY record -o $CASE.disk/case --port 8000 -- $TRANSFER; CODE=$?; \
         cp -r $CASE.disk/case $CASE; exit $CODE'",
    );
    let Some(output) = in_lab(&folder, &shell) else { return };
    if output.code == 77 {
        return eprintln!("skipped: {}", output.stderr);
    }
    assert_eq!(output.code, 7, "{output:?}");
    assert!(output.stderr.contains("the recording ended early"), "{output:?}");
    assert!(output.stderr.contains("No space left"), "{output:?}");
    assert_send_buffer(&folder.case());
}

#[test]
fn a_ring_keeps_the_newest_in_its_size() {
    let folder = Folder::new();
    let shell = beside("-q --port 8000 --ring-size 1MB", "sleep 4; kill $RECORDER");
    let Some(output) = in_lab(&folder, &shell) else { return };
    assert_eq!(output.stdout.trim(), "0", "{output:?}");
    let entries = std::fs::read_dir(folder.case()).unwrap();
    let files: Vec<_> = entries.map(|e| e.unwrap()).collect();
    let parts = files.iter().filter(|f| f.file_name().to_string_lossy().starts_with("host.0"));
    assert!(parts.count() >= 3, "{files:?}");
    let recorded = |name: &str| {
        ["samples", "events", "host.0", "host.pcapng"].iter().any(|p| name.starts_with(p))
    };
    let sizes = files.iter().filter(|f| recorded(&f.file_name().to_string_lossy()));
    let size: u64 = sizes.map(|f| f.metadata().unwrap().len()).sum();
    // What was written between two looks is over it at most.
    assert!(size < 1_800_000, "{size}: {files:?}");
    assert_send_buffer(&folder.case());
}

#[test]
fn without_rights_there_are_samples_and_an_answer() {
    let folder = Folder::open_to_all();
    let binary = folder.copy_of_binary();
    let shell = Shell::new(&format!(
        "setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all sh -c '{binary} record -o $CASE --port 8000 -- \
         $TRANSFER'"
    ));
    let Some(output) = in_lab(&folder, &shell) else { return };
    if output.stderr.contains("setpriv:") {
        return eprintln!("skipped: {}", output.stderr);
    }
    assert_eq!(output.code, 7, "{output:?}");
    assert!(output.stderr.contains("no packets: capturing packets is not permitted"), "{output:?}");
    assert!(output.stderr.contains("no kernel events: "), "{output:?}");
    let (answer, code) = explained(&folder.case());
    assert_eq!(code, 0, "{answer}");
    let direction = direction(&answer, 8000);
    assert_eq!(direction["verdict"]["limit"], "send_buffer", "{answer}");
    assert_eq!(direction["timeline"][0]["evidence"]["source"], "samples");
    assert!(text(&folder.case()).contains("from the kernel's samples"));
    let page = tcpwhy(&["report", &folder.case(), "-o", "/dev/null", "--force"]);
    assert!(page.stderr.contains("no packets to draw"), "{page:?}");
}
