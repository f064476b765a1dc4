use super::*;
use crate::scenario::{combinations, expand};

fn row(values: &[&str]) -> Row {
    Row {
        values: values.iter().map(|v| (*v).to_owned()).collect(),
        bytes: 2_000_000,
        seconds: 2.0,
        goodput_bps: 8_000_000,
        predicted_seconds: 1.9,
        limit: "send_buffer".to_owned(),
        cause: None,
        share: 0.97,
        faithful: true,
        scenario: String::new(),
    }
}

#[test]
fn the_table_has_a_column_for_each_key() {
    let mut out = Vec::new();
    write_csv(&mut out, &[&row(&["link.rtt=20ms", "server.sndbuf=16K"])]).expect("memory takes it");
    let expected = "link.rtt,server.sndbuf,bytes,seconds,goodput_bps,predicted_seconds,limit,cause,share,faithful\n\
        20ms,16K,2000000,2.000000,8000000,1.900000,send_buffer,,0.9700,true\n";
    assert_eq!(String::from_utf8_lossy(&out), expected);
}

#[test]
fn no_value_leads_out_of_the_folder() {
    let evil = Assignment::parse("link.rtt=../../etc/passwd").expect("it is text");
    let name = file_name(&[evil]);
    assert!(!name.contains('/') && !name.contains('.'), "{name}");
}

#[test]
fn what_was_run_is_not_run_again_unless_the_scenario_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "title = 'x'\n[[phase]]\nfrom = 'server'\nbytes = '1MB'\n";
    let source = Source::new("x", text);
    let combinations = combinations(&[expand("link.rtt=1ms,10ms").expect("a list")]);
    for values in &combinations {
        let scenario = source.read(false, values).expect("it is right").text;
        let kept = Row { scenario, ..row(&[&values[0].text]) };
        let path = folder.path().join(format!("{}.json", file_name(values)));
        std::fs::write(path, serde_json::to_string(&kept).expect("JSON")).expect("written");
    }
    // Stopped from the start: only what is kept can be told.
    let sweep = |source| Sweep {
        source,
        full: false,
        combinations: combinations.clone(),
        folder: folder.path(),
        keep: false,
        jobs: 2,
    };
    let stopped = AtomicBool::new(true);
    let mut natures = Vec::new();
    let rows = sweep(&source).run(&stopped, |_, nature| natures.push(nature)).expect("kept");
    assert_eq!((rows.iter().flatten().count(), natures), (2, vec![Nature::Kept; 2]));
    let other = Source::new("x", text.replace("1MB", "2MB"));
    assert_eq!(sweep(&other).run(&stopped, |_, _| {}).expect("nothing"), [None, None]);
}
