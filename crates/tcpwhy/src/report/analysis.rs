//! An analysis that was written before, `tcpwhy FILE --json`: a page of it has everything but the charts.

use super::refusal::{Json, Refusal};
use crate::cli::Selection;
use crate::error::Error;
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::net::IpAddr;
use std::path::Path;
use tcpwhy_report::json::SCHEMA;

/// Bytes of the largest analysis: a browser takes no text of more than 512 MiB, and far below that a page is of no use.
const LARGEST: u64 = 256 << 20;

/// The file with the connections that `selection` takes; `None` where it takes none.
///
/// # Errors
/// The file cannot be read or is another kind of JSON, or packets are selected, which it has not.
pub(super) fn read(path: &Path, selection: &Selection) -> Result<Option<Vec<u8>>, Error> {
    let wrong = |json| Error::from(Refusal::Analysis(path.display().to_string(), json));
    if selection.since.is_some() || selection.until.is_some() {
        return Err(Refusal::Selected.into());
    }
    let file = File::open(path).map_err(|e| wrong(Json::Unreadable(e)))?;
    let mut value = parsed(file).map_err(wrong)?;
    let is_ours = value.get("schema").and_then(Value::as_str) == Some(SCHEMA);
    if !is_ours || !value["source"].is_object() {
        return Err(wrong(Json::Other(SCHEMA)));
    }
    let Some(connections) = value.get_mut("connections").and_then(Value::as_array_mut) else {
        return Err(wrong(Json::NoList));
    };
    if let Some(n) = connections.iter().position(|c| !is_connection(c)) {
        return Err(wrong(Json::Entry(n)));
    }
    connections.retain(|c| takes(c, selection));
    if connections.is_empty() {
        return Ok(None);
    }
    serde_json::to_vec(&value).map(Some).map_err(|e| wrong(Json::Broken(e)))
}

/// The JSON in a file, or why there is none.
fn parsed(file: File) -> Result<Value, Json> {
    if file.metadata().map_err(Json::Unreadable)?.len() > LARGEST {
        return Err(Json::Large(LARGEST));
    }
    // A pipe has no length before it ends.
    let mut text = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut text).map_err(Json::Unreadable)?;
    if text.len() as u64 > LARGEST {
        return Err(Json::Large(LARGEST));
    }
    let value = match text.as_slice() {
        [0xef, 0xbb, 0xbf, rest @ ..] => serde_json::from_slice(rest),
        [0xff, 0xfe, rest @ ..] => serde_json::from_str(&utf16(rest)),
        all => serde_json::from_slice(all),
    };
    value.map_err(Json::Broken)
}

/// What `>` of Windows PowerShell makes of every program's output: UTF-16, little-endian.
fn utf16(bytes: &[u8]) -> String {
    let (units, _) = bytes.as_chunks::<2>();
    char::decode_utf16(units.iter().map(|unit| u16::from_le_bytes(*unit)))
        .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// Whether the page finds what it reads of every connection.
fn is_connection(c: &Value) -> bool {
    let has = |of: &Value, names: &[&str]| names.iter().all(|name| of.pointer(name).is_some());
    let lists = |d: &Value| {
        let names = ["/limits", "/timeline", "/what_if", "/verdict/advice"];
        names.iter().all(|name| d.pointer(name).is_some_and(Value::is_array))
    };
    let ends = ["/client/addr", "/client/port", "/server/addr", "/server/port"];
    has(c, &ends)
        && has(c, &["/id", "/start_ns", "/duration_ns"])
        && c["vantage"].is_object()
        && c["rtt_ns"].is_object()
        && c["findings"].is_array()
        && c["directions"].as_array().is_some_and(|directions| {
            directions.iter().all(|d| lists(d) && has(d, &["/from", "/bytes", "/verdict/text"]))
        })
}

/// What [`crate::filter::Choice`] says of a connection, of one that is JSON.
fn takes(c: &Value, selection: &Selection) -> bool {
    let ends = [c.get("client"), c.get("server")];
    let address = |end: &&Value| end.get("addr")?.as_str()?.parse::<IpAddr>().ok();
    let port = |end: &&Value| end.get("port")?.as_u64();
    let host = |h: IpAddr| ends.iter().flatten().any(|e| address(e) == Some(h.to_canonical()));
    let on = |p: u16| ends.iter().flatten().any(|e| port(e) == Some(p.into()));
    selection.conn.is_none_or(|id| c.get("id").and_then(Value::as_u64) == Some(id))
        && selection.host.is_none_or(host)
        && selection.port.is_none_or(on)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_as_every_shell_writes_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            parsed(File::open(&path).unwrap()).ok()
        };
        let text = r#"{"name": "抓包"}"#;
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let plain = read(text.as_bytes());
        assert!(plain.is_some());
        assert_eq!(read(&[b"\xef\xbb\xbf", text.as_bytes()].concat()), plain);
        assert_eq!(read(&[b"\xff\xfe", &wide[..]].concat()), plain);
        assert_eq!(read(&[b"\xff\xfe", &wide[..9]].concat()), None);
        assert_eq!(read(b""), None);
    }
}
