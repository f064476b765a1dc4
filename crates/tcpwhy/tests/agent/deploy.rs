//! What is deployed with the agent: it loads, and asks for nothing that the agent does not have.

use crate::agent::{Agent, file, names};
use crate::common::{run, stdout};
use serde_json::Value;
use std::fs::read_to_string;
use std::process::Command;

/// The output of a program, or `None` and `skipped:` where it is not installed.
fn tool(program: &str, args: &[&str]) -> Option<std::process::Output> {
    match Command::new(program).args(args).output() {
        Ok(output) => Some(output),
        Err(e) => {
            eprintln!("skipped: {program}: {e}");
            None
        }
    }
}

fn path(name: &str) -> String {
    file(name).display().to_string()
}

/// Names of metrics in a query: words that begin as ours do.
fn metrics_of(query: &str) -> Vec<&str> {
    let words = query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|w| w.starts_with("tcpwhy_") || w.starts_with("process_")).collect()
}

fn assert_exported(queries: &[String]) {
    let Some(agent) = Agent::start(&[]) else { return };
    let exported = names(&agent.metrics(|_| true));
    for query in queries {
        assert!(query.contains("up{") || !metrics_of(query).is_empty(), "{query}");
        for name in metrics_of(query) {
            assert!(exported.iter().any(|e| e == name), "{name} of {query} is not exported");
        }
    }
}

/// All strings under the key `expr`, wherever they are.
fn exprs(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("expr").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|field| exprs(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| exprs(item, found)),
        _ => {}
    }
}

#[test]
fn the_dashboard_asks_for_what_is_exported() {
    let dashboard: Value =
        serde_json::from_str(&read_to_string(file("deploy/grafana-dashboard.json")).unwrap())
            .unwrap();
    let mut queries = Vec::new();
    exprs(&dashboard, &mut queries);
    assert!(queries.len() >= 15, "{queries:?}");
    for variable in dashboard["templating"]["list"].as_array().unwrap() {
        let query = variable["query"]["query"].as_str();
        queries.extend(query.map(str::to_owned));
    }
    assert_exported(&queries);
    let ids: Vec<_> = dashboard["panels"].as_array().unwrap().iter().map(|p| &p["id"]).collect();
    assert!(ids.iter().enumerate().all(|(place, id)| !ids[..place].contains(id)), "{ids:?}");
}

/// The queries of the rules: a line, or the lines that are further in.
fn rules() -> Vec<String> {
    let text = read_to_string(file("deploy/prometheus-rules.yml")).unwrap();
    let mut lines = text.lines().peekable();
    let mut queries = Vec::new();
    while let Some(line) = lines.next() {
        let Some(query) = line.strip_prefix("        expr: ") else { continue };
        let mut query = query.to_owned();
        while let Some(more) =
            lines.next_if(|l| query.starts_with('|') && l.starts_with("          "))
        {
            query += more;
        }
        queries.push(query);
    }
    queries
}

#[test]
fn the_alerts_ask_for_what_is_exported() {
    let queries = rules();
    assert_eq!(
        queries.len(),
        read_to_string(file("deploy/prometheus-rules.yml")).unwrap().matches("- alert:").count()
    );
    assert_exported(&queries);
}

#[test]
fn the_alerts_are_rules_and_fire_when_they_should() {
    for args in [
        ["check", "rules", "deploy/prometheus-rules.yml"],
        ["test", "rules", "deploy/prometheus-rules.test.yml"],
    ] {
        let Some(output) = tool("promtool", &[args[0], args[1], &path(args[2])]) else { return };
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn every_query_of_the_dashboard_is_one() {
    let dashboard: Value =
        serde_json::from_str(&read_to_string(file("deploy/grafana-dashboard.json")).unwrap())
            .unwrap();
    let mut queries = Vec::new();
    exprs(&dashboard, &mut queries);
    // promtool reads queries only as rules.
    let rule = |(place, query): (usize, &String)| {
        let query = query.replace("$__rate_interval", "5m").replace("$__range", "1h");
        format!("  - record: panel:{place}\n    expr: {}\n", serde_json::to_string(&query).unwrap())
    };
    let rules: String = queries.iter().enumerate().map(rule).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.yml");
    std::fs::write(&file, format!("groups:\n- name: panels\n  rules:\n{rules}")).unwrap();
    let Some(output) = tool("promtool", &["check", "rules", file.to_str().unwrap()]) else {
        return;
    };
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_unit_is_one_and_is_hardened() {
    let unit = read_to_string(file("deploy/tcpwhy-agent.service")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("tcpwhy-agent.service");
    std::fs::write(&copy, unit.replace("/usr/local/bin/tcpwhy", env!("CARGO_BIN_EXE_tcpwhy")))
        .unwrap();
    let copy = copy.to_str().unwrap();
    let Some(output) = tool("systemd-analyze", &["verify", copy]) else { return };
    // It looks at the units of this machine as well, and may have something to say of those.
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("tcpwhy"), "{said}");
    // Exposure is told in tenths; it was 2.8 when this was written.
    let output =
        tool("systemd-analyze", &["security", "--offline=true", "--threshold=30", copy]).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("nrecognized option") {
        return eprintln!("skipped: {said}");
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn the_manifest_is_one() {
    let Some(output) = tool("kubectl", &["kustomize", &path("deploy/kubernetes")]) else { return };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    let image = concat!("image: tcpwhy:", env!("CARGO_PKG_VERSION"));
    assert!(said.contains(image) && said.contains("kind: DaemonSet"), "{said}");
}

#[test]
fn kubernetes_knows_every_field_of_the_manifest() {
    let Some(made) = tool("kubectl", &["kustomize", &path("deploy/kubernetes")]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.yaml");
    std::fs::write(&file, made.stdout).unwrap();
    // The published schemas without a cluster: pip install kubernetes-validate. 1.30 is the first with appArmorProfile.
    let args = ["--strict", "-k", "1.30", file.to_str().unwrap()];
    let Some(output) = tool("kubernetes-validate", &args) else { return };
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(said.contains("daemonset/tcpwhy-agent"), "{said}");
}

/// What Grafana's own types ask of a dashboard (`@grafana/schema`: `VariableOption`, `Panel`, `GridPos`), as far as it is used.
#[test]
fn the_dashboard_has_what_grafana_asks_for() {
    let dashboard: Value =
        serde_json::from_str(&read_to_string(file("deploy/grafana-dashboard.json")).unwrap())
            .unwrap();
    for variable in dashboard["templating"]["list"].as_array().unwrap() {
        let current = &variable["current"];
        assert!(!current["text"].is_null() && !current["value"].is_null(), "{variable}");
    }
    let mut taken = Vec::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        let place = |name: &str| panel["gridPos"][name].as_u64().unwrap();
        let (x, y, w, h) = (place("x"), place("y"), place("w"), place("h"));
        assert!(x + w <= 24 && h > 0, "{panel}");
        let apart = |&(a, b, c, d): &(u64, u64, u64, u64)| {
            a + c <= x || x + w <= a || b + d <= y || y + h <= b
        };
        assert!(taken.iter().all(apart), "over another one: {panel}");
        taken.push((x, y, w, h));
        let is_row = panel["type"] == "row";
        assert_eq!(is_row, panel["targets"].is_null(), "{panel}");
        for target in panel["targets"].as_array().into_iter().flatten() {
            assert_eq!(target["datasource"]["uid"], "${datasource}", "{target}");
            assert!(target["refId"].is_string(), "{target}");
        }
    }
}

#[test]
fn every_option_that_is_deployed_exists() {
    let help = stdout(&run(&["agent", "--help"]));
    for name in ["deploy/tcpwhy-agent.service", "deploy/kubernetes/daemonset.yaml", "docs/agent.md"]
    {
        let text = read_to_string(file(name)).unwrap();
        let lines = text.lines().filter(|l| l.contains("tcpwhy agent") || l.contains("args:"));
        let options: Vec<_> = lines
            .flat_map(|l| l.split([' ', '"', ',', '`', ';']))
            .filter(|w| w.starts_with("--"))
            .collect();
        assert!(!options.is_empty(), "{name}");
        for option in options {
            assert!(help.contains(option), "{option} of {name}");
        }
    }
}
