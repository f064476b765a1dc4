//! `--set link.rtt=40ms`: changes to a scenario file before it is read, and the values of a sweep.

use super::Error;
use tcpwhy_core::quantity;
use toml::{Table, Value};

/// One assignment: a dotted path as TOML writes it, and a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// As it was given: `link.rtt=40ms`.
    pub text: String,
    tree: Table,
}

impl Assignment {
    /// Reads `path=value`. What is no TOML value by itself is text: `40ms` needs no quotes.
    ///
    /// # Errors
    /// There is no `=`, or the path is none.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let bad = || Error::Assignment(text.to_owned());
        let (path, value) = text.split_once('=').ok_or_else(bad)?;
        let quoted = Value::String(value.trim().to_owned()).to_string();
        let line = |value: &str| toml::from_str::<Table>(&format!("{path} = {value}"));
        let bare = line(value).ok().filter(|t| t.len() == 1);
        let tree = bare.or_else(|| line(&quoted).ok()).filter(|t| t.len() == 1).ok_or_else(bad)?;
        Ok(Self { text: text.to_owned(), tree })
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
        let mut place = &mut *file;
        let mut tree = &self.tree;
        loop {
            let Some((key, value)) = tree.iter().next() else { return Err(nowhere()) };
            let Value::Table(deeper) = value else {
                place.insert(key.clone(), value.clone());
                return Ok(());
            };
            let next = place.entry(key.clone()).or_insert_with(|| Value::Table(Table::new()));
            (place, tree) = match next {
                Value::Table(table) => (table, deeper),
                // A list: its place comes next in the path, from 0.
                Value::Array(list) => {
                    let (index, inner) = deeper.iter().next().ok_or_else(nowhere)?;
                    let item = index.parse().ok().and_then(|i: usize| list.get_mut(i));
                    match (item, inner) {
                        (Some(Value::Table(table)), Value::Table(inner)) => (table, inner),
                        _ => return Err(nowhere()),
                    }
                }
                _ => return Err(nowhere()),
            };
        }
    }
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
