//! The right answers, and where the captures are.

use std::error::Error;
use std::path::{Path, PathBuf};

/// Captures with their right answers.
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) directory: PathBuf,
    pub(crate) expected: Vec<Expected>,
}

/// The right answer for one direction. `a|b`: either; `*`: anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) file: String,
    pub(crate) direction: String,
    pub(crate) limit: String,
    pub(crate) cause: String,
}

impl Set {
    /// From a table with the columns file, direction, limit, cause, and others that do not matter.
    pub(crate) fn read(name: &str, directory: &Path, table: &Path) -> Result<Self, Box<dyn Error>> {
        let text =
            std::fs::read_to_string(table).map_err(|e| format!("{}: {e}", table.display()))?;
        let expected =
            text.lines().filter(|line| !line.starts_with('#')).filter_map(parse).collect();
        let directory = directory.to_path_buf();
        Ok(Self { name: name.to_owned(), directory, expected })
    }
}

fn parse(line: &str) -> Option<Expected> {
    let mut columns = line.split('\t').map(str::to_owned);
    Some(Expected {
        file: columns.next()?,
        direction: columns.next()?,
        limit: columns.next()?,
        cause: columns.next()?,
    })
}

/// All sets: the project's own captures, and those of others, which are kept outside of it.
pub(crate) fn sets(root: &Path) -> Result<Vec<Set>, Box<dyn Error>> {
    let shared = root.join("../shared/captures");
    let corpus = Set::read("corpus", &root.join("corpus"), &root.join("corpus/expected.tsv"))?;
    let table = root.join("bench/expected/diagnosis.tsv");
    let diagnosis = Set::read("diagnosis", &shared.join("diagnosis"), &table)?;
    Ok(vec![corpus, diagnosis, ndt(&shared.join("ndt")), policing(&shared.join("policing"))])
}

/// Internet downloads with the sending kernel's accounting (`truth.tsv`: shares of time limited by
/// the receive window, the congestion window, the sender). It is accounting, not the cause: a
/// window-limited flow over a standing queue is limited by the path.
fn ndt(directory: &Path) -> Set {
    let text = std::fs::read_to_string(directory.join("truth.tsv")).unwrap_or_default();
    let expected = text.lines().skip(1).filter_map(ndt_row).collect();
    let directory = directory.to_path_buf();
    Set { name: "ndt".to_owned(), directory, expected }
}

fn ndt_row(line: &str) -> Option<Expected> {
    let columns: Vec<&str> = line.split('\t').collect();
    let share = |n: usize| columns.get(n).and_then(|text| text.parse::<f64>().ok());
    let (window, congestion, sender) = (share(4)?, share(5)?, share(6)?);
    let limit = if window >= 0.6 {
        "receive_window|path_bandwidth"
    } else if congestion >= 0.6 {
        "congestion_window|path_bandwidth|loss_recovery"
    } else if sender >= 0.6 {
        "application|send_buffer"
    } else {
        return None;
    };
    Some(known_limit((*columns.first()?).to_owned(), limit))
}

/// Downloads through a policer (`PCIR` in the name) or a shaper (`SCIR`), five chunks with pauses.
fn policing(directory: &Path) -> Set {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    files.sort();
    let expected = files.into_iter().filter_map(policing_row).collect();
    let directory = directory.to_path_buf();
    Set { name: "policing".to_owned(), directory, expected }
}

fn policing_row(file: String) -> Option<Expected> {
    // A policer's drops cost time in recovery; a shaper only queues.
    let limit = if file.contains("-PCIR_") {
        "path_bandwidth|loss_recovery"
    } else if file.contains("-SCIR_") {
        "path_bandwidth"
    } else {
        return None;
    };
    Some(known_limit(file, limit))
}

fn known_limit(file: String, limit: &str) -> Expected {
    Expected { file, direction: "*".to_owned(), limit: limit.to_owned(), cause: "*".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_table_is_read() {
        let row = parse("a.pcap.gz\tserver\tsend_buffer\t*\ta note").unwrap();
        assert_eq!((row.file.as_str(), row.limit.as_str()), ("a.pcap.gz", "send_buffer"));
        assert_eq!(parse("a.pcap.gz\tserver"), None);
    }

    #[test]
    fn the_kernels_accounting_names_the_limits_that_agree_with_it() {
        let limit = |line| ndt_row(line).map(|row| row.limit);
        let window = limit("f\tos\t58\t10\t0.81\t0.1\t0.09");
        assert_eq!(window.as_deref(), Some("receive_window|path_bandwidth"));
        assert_eq!(limit("f\tos\t58\t10\t0.4\t0.4\t0.2"), None, "no limit has most of the time");
        assert_eq!(limit("f\tos"), None);
    }
}
