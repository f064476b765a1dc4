//! The terminal is given back, whatever ends `tcpwhy live`.

use std::path::Path;
use std::process::Command;

/// How a program on a terminal of its own ended; `None`, and `skipped:`, without Python.
fn on_terminal(how: &str, program: &[&str]) -> Option<serde_json::Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live/terminal.py");
    let output = Command::new("python3").arg(script).arg(how).args(program).output();
    let output = match output {
        Ok(output) => output,
        Err(e) => {
            eprintln!("skipped: python3: {e}");
            return None;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn live(how: &str) -> Option<serde_json::Value> {
    on_terminal(how, &[env!("CARGO_BIN_EXE_tcpwhy"), "live", "--interval", "100ms"])
}

#[test]
fn signals_give_the_terminal_back() {
    for (signal, code) in [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130), ("SIGQUIT", 131)] {
        let Some(ended) = live(signal) else { return };
        assert_eq!(ended["code"], code, "{signal}: {ended}");
        assert_eq!(ended["during"]["canonical"], false, "{signal}: it was raw: {ended}");
        assert_eq!(ended["after"], ended["before"], "{signal}: {ended}");
        let text = ended["text"].as_str().unwrap();
        // The other screen is left, and the cursor shown.
        assert!(text.contains("\u{1b}[?1049l"), "{signal}: {text:?}");
        assert!(text.rfind("\u{1b}[?25h") > text.rfind("\u{1b}[?25l"), "{signal}: {text:?}");
    }
}

#[test]
fn a_terminal_that_is_closed_ends_it() {
    let Some(ended) = live("hangup") else { return };
    assert_eq!(ended["code"], 129, "{ended}");
}
