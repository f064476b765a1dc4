//! A transfer behind a link of the lab, whose limit is known by construction.

#[allow(dead_code)] // Its other half is for `live`.
#[path = "../live/lab.rs"]
mod lab;

use crate::agent::sum;
use lab::in_lab;
use std::path::Path;

/// Looks for two seconds, scrapes, ends the flow, and prints the metrics with the connection closed, then the events.
const LOOK: &str = "\
    $TCPWHY agent --netns self --listen 127.0.0.1:9914 --interval 200ms --events-interval 3600s >$EVENTS 2>$EVENTS.err & AGENT=$!; \
    sleep 2.5; kill $PID; sleep 0.7; \
    python3 -c 'import urllib.request as u; print(u.urlopen(\"http://127.0.0.1:9914/metrics\").read().decode())'; \
    kill $AGENT; wait $AGENT; cat $EVENTS; cat $EVENTS.err >&2; sleep 60 & PID=$!";

fn look(kind: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let look = LOOK.replace("$EVENTS", &folder.path().join("events").display().to_string());
    in_lab("cubic", &[], kind, &look)
}

#[test]
fn a_locked_send_buffer_is_told_by_limit_cause_and_share_and_in_an_event() {
    let Some(text) = look("sndbuf") else { return };
    let labels = ["limit=\"send_buffer\"", "direction=\"send\""];
    let limited = sum(&text, "tcpwhy_limited_seconds_total", &labels);
    let active = sum(&text, "tcpwhy_active_seconds_total", &["direction=\"send\""]);
    assert!(limited > 0.5 * active && active > 0.5, "{text}");
    assert!(text.contains("cause=\"application\""), "whose lock it is: {text}");
    let shares = sum(&text, "tcpwhy_connection_limited_share_count", &labels);
    let low =
        sum(&text, "tcpwhy_connection_limited_share_bucket", &[labels[0], labels[1], "le=\"0.5\""]);
    assert!(shares >= 1.0 && low < shares, "{text}");
    let event = text.lines().find(|line| line.starts_with('{')).unwrap();
    let event: serde_json::Value = serde_json::from_str(event).unwrap();
    assert_eq!(
        (&event["limit"], &event["closed"]),
        (&"send_buffer".into(), &true.into()),
        "{event}"
    );
    assert_eq!(event["holder"], "locked by the application at 16.0 KiB");
    assert!(event["remote"].as_str().unwrap().ends_with(":8000"), "{event}");
    assert!(Path::new(event["command"].as_str().unwrap()).starts_with("python3"), "{event}");
}

#[test]
fn a_slow_application_loses_nothing() {
    let Some(text) = look("application") else { return };
    let of =
        |limit: &str| sum(&text, "tcpwhy_limited_seconds_total", &[limit, "direction=\"send\""]);
    let all = of("");
    assert!(of("limit=\"application\"") > 0.7 * all && all > 0.5, "{text}");
}
