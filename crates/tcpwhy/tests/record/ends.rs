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

/// The connection of the burst, of which something is there, whatever came after.
fn assert_burst(case: &str) {
    let (answer, code) = explained(case);
    assert!(is_damaged_at_most(code), "{answer}");
    assert!(direction(&answer, 9000)["bytes"].as_u64().unwrap() > 0, "{answer}");
}

#[test]
fn a_full_disk_ends_the_recording_and_not_the_command() {
    let folder = Folder::new();
    let shell = Shell::new(
        "unshare -m sh -c 'mkdir $CASE.disk && mount -t tmpfs -o size=500k none $CASE.disk || exit 77; \
         $TCPWHY record -o $CASE.disk/case --port 9000 -- $BURST; CODE=$?; cp -r $CASE.disk/case $CASE; exit $CODE'",
    );
    let Some(output) = in_lab(&folder, &shell) else { return };
    if output.code == 77 {
        return eprintln!("skipped: {}", output.stderr);
    }
    assert_eq!(output.code, 7, "{output:?}");
    assert!(output.stderr.contains("the recording ended early"), "{output:?}");
    assert!(output.stderr.contains("No space left"), "{output:?}");
    assert_burst(&folder.case());
}

#[test]
fn a_ring_keeps_the_newest_in_its_size() {
    let folder = Folder::new();
    let shell = Shell::new("$TCPWHY record -q -o $CASE --port 9000 --ring-size 1MB -- $BURST");
    let Some(output) = in_lab(&folder, &shell) else { return };
    assert_eq!(output.code, 7, "{output:?}");
    let entries = std::fs::read_dir(folder.case()).unwrap();
    let name = |e: &std::fs::DirEntry| e.file_name().to_string_lossy().into_owned();
    let files: Vec<_> = entries.map(|e| e.unwrap()).map(|e| (name(&e), e)).collect();
    let is_capture = |name: &str| name.starts_with("host.") && name.ends_with(".pcapng");
    let parts: Vec<_> = files.iter().filter(|(name, _)| is_capture(name)).collect();
    assert!(parts.len() >= 2, "{files:?}");
    assert!(parts.iter().all(|(name, _)| name != "host.000001.pcapng"), "{files:?}");
    let record = std::fs::read_to_string(format!("{}/record.json", folder.case())).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    let size: u64 = parts.iter().map(|(_, e)| e.metadata().unwrap().len()).sum();
    assert!(size < record["capture"]["bytes"].as_u64().unwrap(), "{record} {files:?}");
    assert_burst(&folder.case());
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
