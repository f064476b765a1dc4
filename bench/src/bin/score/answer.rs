//! What `tcpwhy --json` says of one direction.

use serde_json::Value;
use std::error::Error;
use std::path::Path;
use std::process::Command;

/// The verdict on one direction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verdict {
    pub(crate) limit: String,
    /// `-` where there is none.
    pub(crate) cause: String,
    /// 0 to 1.
    pub(crate) share: f64,
    /// Share of time that is not decided, 0 to 1.
    pub(crate) unknown: f64,
}

/// The verdict on a direction; nothing but `-` when `tcpwhy` has no answer for it.
///
/// `direction` is `client`, `server` or `*` (whoever sent more), of the largest connection, or of
/// connection N with `N:` before it.
pub(crate) fn verdict(
    tcpwhy: &Path,
    capture: &Path,
    direction: &str,
) -> Result<Verdict, Box<dyn Error>> {
    let output = Command::new(tcpwhy).arg("--json").arg(capture).output()?;
    // Damaged input gives exit code 2 and a partial answer; a crash gives no JSON.
    let answer: Value = serde_json::from_slice(&output.stdout).map_err(|error| {
        format!("{}: {error}: {}", capture.display(), String::from_utf8_lossy(&output.stderr))
    })?;
    Ok(read(find(&answer, direction).unwrap_or(&Value::Null)))
}

fn read(direction: &Value) -> Verdict {
    let verdict = &direction["verdict"];
    let unknown = array(&direction["limits"])
        .iter()
        .filter(|share| share["limit"] == "unknown")
        .filter_map(|share| share["share"].as_f64())
        .sum();
    Verdict {
        limit: verdict["limit"].as_str().unwrap_or("-").to_owned(),
        cause: verdict["cause"].as_str().unwrap_or("-").to_owned(),
        share: verdict["share"].as_f64().unwrap_or(0.0),
        unknown,
    }
}

fn find<'a>(answer: &'a Value, which: &str) -> Option<&'a Value> {
    let (id, side) = match which.split_once(':') {
        Some((id, side)) => (id.parse::<u64>().ok(), side),
        None => (None, which),
    };
    let chosen = |connection: &&Value| id.is_none() || connection["id"].as_u64() == id;
    let largest = array(&answer["connections"]).iter().filter(chosen).max_by_key(|c| total(c))?;
    let named = |direction: &&Value| side == "*" || direction["from"].as_str() == Some(side);
    array(&largest["directions"]).iter().filter(named).max_by_key(|d| d["bytes"].as_u64())
}

fn total(connection: &Value) -> u64 {
    array(&connection["directions"]).iter().filter_map(|d| d["bytes"].as_u64()).sum()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer() -> Value {
        json!({"connections": [
            {"id": 0, "directions": [{"from": "client", "bytes": 5}, {"from": "server", "bytes": 900}]},
            {"id": 1, "directions": [{"from": "client", "bytes": 7}, {"from": "server", "bytes": 1}]},
        ]})
    }

    #[test]
    fn the_largest_connection_and_direction_are_meant_unless_named() {
        let answer = answer();
        let bytes = |which| find(&answer, which).and_then(|d| d["bytes"].as_u64());
        assert_eq!(bytes("*"), Some(900));
        assert_eq!(bytes("client"), Some(5));
        assert_eq!(bytes("1:*"), Some(7));
        assert_eq!(bytes("2:*"), None);
    }
}
