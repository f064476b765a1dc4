//! `--set link.rtt=40ms`: changes to a scenario file before it is read, and the values of a sweep.

use super::Error;
use tcpwhy_core::quantity;
use toml::{Table, Value};

/// One assignment: a dotted path as TOML writes it, and a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// As it was given: `link.rtt=40ms`.
    pub text: String,
    /// The path's parts, at least one.
    keys: Vec<String>,
    value: Value,
}

impl Assignment {
    /// Reads `path=value`. What is no TOML value by itself is text: `40ms` needs no quotes.
    ///
    /// # Errors
    /// There is no `=`, or the path is none.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let bad = || Error::Assignment(text.to_owned());
        let (path, value) = text.split_once('=').ok_or_else(bad)?;
        let line = |value: &str| toml::from_str::<Table>(&format!("{path} = {value}")).ok();
        // With a number in the place of the value every table is a part of the path.
        let keys = line("0").and_then(|tree| keys(&tree)).ok_or_else(bad)?;
        let quoted = Value::String(value.trim().to_owned()).to_string();
        let tree = line(value).filter(|tree| tree.len() == 1).or_else(|| line(&quoted));
        let value = tree.and_then(|tree| descend(tree, &keys)).ok_or_else(bad)?;
        Ok(Self { text: text.to_owned(), keys, value })
    }

    /// The path, without the value.
    pub fn path(&self) -> &str {
        self.text.split_once('=').map_or("", |(path, _)| path.trim())
    }

    /// Makes the change.
    ///
    /// # Errors
    /// The path leads through something that is no table, or to a place of a list that is not there.
    pub fn apply(&self, file: &mut Table) -> Result<(), Error> {
        let nowhere = || Error::Nowhere(self.text.clone());
        let (last, way) = self.keys.split_last().ok_or_else(nowhere)?;
        let mut place = file;
        let mut way = way.iter();
        while let Some(key) = way.next() {
            place = match place.entry(key).or_insert_with(|| Value::Table(Table::new())) {
                Value::Table(table) => table,
                // A list: its place comes next in the path, from 0.
                Value::Array(list) => {
                    let at = way.next().and_then(|key| key.parse::<usize>().ok());
                    match at.and_then(|at| list.get_mut(at)) {
                        Some(Value::Table(table)) => table,
                        _ => return Err(nowhere()),
                    }
                }
                _ => return Err(nowhere()),
            };
        }
        place.insert(last.clone(), self.value.clone());
        Ok(())
    }
}

/// The only path through these tables.
fn keys(mut tree: &Table) -> Option<Vec<String>> {
    let mut keys = Vec::new();
    loop {
        let (key, value) = tree.iter().next().filter(|_| tree.len() == 1)?;
        keys.push(key.clone());
        match value {
            Value::Table(deeper) => tree = deeper,
            _ => return Some(keys),
        }
    }
}

/// What is at the end of a path.
fn descend(tree: Table, keys: &[String]) -> Option<Value> {
    keys.iter().try_fold(Value::Table(tree), |value, key| match value {
        Value::Table(mut table) => table.remove(key),
        _ => None,
    })
}

/// The values of `path=1ms,10ms,100ms` or `path=4K..1M` (doubled each time, the end included), as assignments.
///
/// # Errors
/// As [`Assignment::parse`]; or a range whose ends are no quantities of the same kind, or run backwards.
pub fn expand(text: &str) -> Result<Vec<Assignment>, Error> {
    let bad = || Error::Assignment(text.to_owned());
    let (path, values) = text.split_once('=').ok_or_else(bad)?;
    let mut all = Vec::new();
    for value in values.split(',') {
        match value.split_once("..") {
            Some((from, to)) => {
                all.extend(range(from, to).ok_or_else(|| Error::Range(value.to_owned()))?)
            }
            None => all.push(value.to_owned()),
        }
    }
    all.iter().map(|value| Assignment::parse(&format!("{path}={value}"))).collect()
}

/// At most this many steps: 2^40 is beyond every buffer and rate.
const MOST_STEPS: usize = 41;

/// Doubled from one end to the other; the unit is that of the first end.
fn range(from: &str, to: &str) -> Option<Vec<String>> {
    let bytes = |t: &str| quantity::bytes(t).ok().map(|b| (b, "B"));
    let rate = |t: &str| quantity::rate(t).ok().map(|r| (r, "bit"));
    let span =
        |t: &str| quantity::span(t).ok().and_then(|s| Some((u64::try_from(s.0).ok()?, "ns")));
    let read = |t: &str| bytes(t).or_else(|| rate(t)).or_else(|| span(t));
    let ((first, unit), (last, other)) = (read(from)?, read(to)?);
    if unit != other || first == 0 || first > last {
        return None;
    }
    let doubled = std::iter::successors(Some(first), |v| v.checked_mul(2)).take(MOST_STEPS);
    let mut values: Vec<_> = doubled.take_while(|v| *v < last).collect();
    values.push(last);
    Some(values.into_iter().map(|v| format!("{v}{unit}")).collect())
}

/// All combinations, one of each list, the last list changing fastest.
pub fn combinations(lists: &[Vec<Assignment>]) -> Vec<Vec<Assignment>> {
    lists.iter().fold(vec![Vec::new()], |rows, list| {
        rows.iter()
            .flat_map(|row| list.iter().map(|a| [row.as_slice(), std::slice::from_ref(a)].concat()))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(all: &[Assignment]) -> Vec<&str> {
        all.iter().map(|a| a.text.as_str()).collect()
    }

    #[test]
    fn a_value_needs_no_quotes_and_reaches_into_lists() {
        let mut file: Table =
            toml::from_str("[link]\nrtt='1ms'\n[[phase]]\nbytes=1\n").expect("a table");
        for text in [
            "link.rtt=40ms",
            "phase.0.bytes=22MB",
            "client.sysctl.\"net.ipv4.tcp_rmem\"=4096 4096 4096",
            "server.nodelay=true",
        ] {
            Assignment::parse(text).expect(text).apply(&mut file).expect(text);
        }
        assert_eq!(file["link"]["rtt"].as_str(), Some("40ms"));
        assert_eq!(file["phase"][0]["bytes"].as_str(), Some("22MB"));
        assert_eq!(file["client"]["sysctl"]["net.ipv4.tcp_rmem"].as_str(), Some("4096 4096 4096"));
        assert_eq!(file["server"]["nodelay"].as_bool(), Some(true));
    }

    #[test]
    fn a_table_is_a_value_too() {
        let mut file: Table = toml::from_str("[relay]\non = 'client'\n").expect("a table");
        let text = "relay={ on = 'server', shards = 2 }";
        Assignment::parse(text).expect(text).apply(&mut file).expect(text);
        assert_eq!(file["relay"]["shards"].as_integer(), Some(2));
        assert_eq!(file["relay"]["on"].as_str(), Some("server"));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "rtt", "=1", "a b=1"] {
            assert!(Assignment::parse(text).is_err(), "{text:?}");
        }
        let mut file: Table = toml::from_str("title='x'\n[[phase]]\nbytes=1\n").expect("a table");
        for text in ["title.x=1", "phase.7.bytes=1", "phase.x.bytes=1"] {
            assert!(Assignment::parse(text).expect(text).apply(&mut file).is_err(), "{text}");
        }
    }

    #[test]
    fn ranges_double_and_lists_are_taken_as_they_are() {
        assert_eq!(
            texts(&expand("server.sndbuf=4K..20K").expect("range")),
            [
                "server.sndbuf=4096B",
                "server.sndbuf=8192B",
                "server.sndbuf=16384B",
                "server.sndbuf=20480B"
            ]
        );
        assert_eq!(
            texts(&expand("link.rtt=1ms,10ms").expect("list")),
            ["link.rtt=1ms", "link.rtt=10ms"]
        );
        assert!(expand("link.rtt=10ms..1ms").is_err());
        assert!(expand("link.rtt=1ms..1MB").is_err());
        assert!(expand("link.rtt=0..1MB").is_err());
    }

    #[test]
    fn every_combination_comes_once() {
        let lists = [expand("a=1,2").expect("a"), expand("b=3,4,5").expect("b")];
        let rows = combinations(&lists);
        assert_eq!(rows.len(), 6);
        assert_eq!(texts(&rows[1]), ["a=1", "b=4"]);
    }
}
