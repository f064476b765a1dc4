//! When each way of the link had something to carry: `busy.ndjson` of a case folder.
//!
//! A round trip above its floor says that something waits, but not on which of the two ways. A way whose queue is never empty is full; one that
//! rests in every round is not, whatever its packets wait for now and then.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tcpwhy_core::units::Nanos;

use crate::ndjson;

/// As long as it is from one sample of the sockets to the next.
const STEP: Nanos = Nanos::from_millis(2);
/// More steps than that are not kept: two become one. Two minutes have so many.
const MOST: usize = 1 << 16;
const FILE: &str = "busy.ndjson";

/// For how much of one step a way had something to carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Nanoseconds since the Unix epoch.
    pub from_ns: u64,
    /// When it ends.
    pub to_ns: u64,
    /// How long a packet waited or was on its way into the link, in nanoseconds.
    pub busy_ns: u64,
}

/// One line.
#[derive(Serialize, Deserialize)]
struct Line {
    /// `client` or `server`: who sends over this way.
    from: String,
    #[serde(flatten)]
    step: Step,
}

/// Who sends over the two ways.
const SENDERS: [&str; 2] = ["client", "server"];

/// One way's account, by the link's clock.
#[derive(Debug)]
pub(super) struct Busy {
    begun: Option<Nanos>,
    /// Up to here it is told.
    until: Nanos,
    step: Nanos,
    steps: Vec<Nanos>,
}

impl Default for Busy {
    fn default() -> Self {
        Self { begun: None, until: Nanos(i64::MIN), step: STEP, steps: Vec::new() }
    }
}

impl Busy {
    /// A packet came to the queue when it `entered`, and its last byte `left` then.
    pub(super) fn add(&mut self, entered: Nanos, left: Nanos) {
        let begun = *self.begun.get_or_insert(entered);
        // One that was overtaken may have come before the first that left.
        let mut from = entered.max(self.until).max(begun);
        self.until = self.until.max(left);
        while from < left {
            let at = self.place(from - begun);
            let end = begun + self.step.scale(at as i64 + 1, 1);
            self.steps[at] += end.min(left) - from;
            from = end;
        }
    }

    /// The step that holds this time since the beginning.
    fn place(&mut self, age: Nanos) -> usize {
        while age.0 / self.step.0 >= MOST as i64 {
            self.step = self.step.scale(2, 1);
            let pairs = self.steps.chunks(2);
            self.steps = pairs.map(|pair| Nanos(pair.iter().map(|time| time.0).sum())).collect();
        }
        let at = (age.0 / self.step.0) as usize;
        if at >= self.steps.len() {
            self.steps.resize(at + 1, Nanos::ZERO);
        }
        at
    }

    /// The steps in which there was something, by a clock that is ahead by `epoch`.
    pub(super) fn steps(&self, epoch: Nanos) -> Vec<Step> {
        let ns = |time: Nanos| u64::try_from(time.0).unwrap_or(0);
        let begun = self.begun.unwrap_or_default() + epoch;
        let step = |(at, busy): (usize, &Nanos)| {
            let from = begun + self.step.scale(at as i64, 1);
            Step { from_ns: ns(from), to_ns: ns(from + self.step), busy_ns: ns(*busy) }
        };
        let steps = self.steps.iter().enumerate();
        steps.filter(|(_, busy)| **busy > Nanos::ZERO).map(step).collect()
    }
}

/// Writes what a link has told of the client's way and of the server's. Netem tells nothing, and gets no file.
///
/// # Errors
/// The disk does not take it.
pub fn write(folder: &Path, ways: [&[Step]; 2]) -> io::Result<()> {
    if ways.iter().all(|steps| steps.is_empty()) {
        return Ok(());
    }
    let mut file = BufWriter::new(File::create(folder.join(FILE))?);
    for (from, steps) in SENDERS.into_iter().zip(ways) {
        for step in steps {
            serde_json::to_writer(&mut file, &Line { from: from.to_owned(), step: *step })?;
            file.write_all(b"\n")?;
        }
    }
    file.flush()
}

/// Reads it again: the steps of the client's way, and of the server's. `None`: the link has not told.
///
/// # Errors
/// The file cannot be read.
pub fn read(folder: &Path) -> io::Result<Option<[Vec<Step>; 2]>> {
    let Some(lines) = ndjson::lines_if_any::<Line>(&folder.join(FILE))? else { return Ok(None) };
    let mut ways = [Vec::new(), Vec::new()];
    for line in lines {
        let line = line?;
        if let Some(way) = SENDERS.iter().position(|from| *from == line.from) {
            ways[way].push(line.step);
        }
    }
    Ok(Some(ways))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: i64) -> Nanos {
        Nanos::from_micros(us)
    }

    fn told(busy: &Busy) -> Vec<(u64, u64)> {
        let steps = busy.steps(Nanos::from_secs(1)).into_iter();
        steps.map(|s| ((s.from_ns - 1_000_000_000) / 1_000, s.busy_ns / 1_000)).collect()
    }

    #[test]
    fn time_in_which_two_packets_are_there_counts_once() {
        let mut busy = Busy::default();
        busy.add(us(500), us(1_000));
        busy.add(us(600), us(1_500));
        busy.add(us(9_000), us(9_100));
        assert_eq!(told(&busy), [(500, 1_000), (8_500, 100)]);
    }

    #[test]
    fn a_packet_that_was_overtaken_counts_from_the_first_one_on() {
        let mut busy = Busy::default();
        busy.add(us(600), us(700));
        busy.add(us(100), us(900));
        assert_eq!(told(&busy), [(600, 300)]);
    }

    #[test]
    fn what_waits_for_long_is_part_of_every_step() {
        let mut busy = Busy::default();
        busy.add(us(0), us(5_000));
        assert_eq!(told(&busy), [(0, 2_000), (2_000, 2_000), (4_000, 1_000)]);
    }

    #[test]
    fn a_long_run_has_longer_steps() {
        let mut busy = Busy::default();
        let hour = us(3_600_000_000);
        for at in [us(0), us(2_000), hour] {
            busy.add(at, at + us(1_000));
        }
        assert!(busy.steps.len() <= MOST);
        assert_eq!(told(&busy), [(0, 2_000), (3_600_000_000 / 64_000 * 64_000, 1_000)]);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap(), None);
        let step = |from_ns| Step { from_ns, to_ns: from_ns + 10, busy_ns: 7 };
        let (up, down) = ([step(0), step(10)], [step(5)]);
        write(folder.path(), [&up, &down]).unwrap();
        assert_eq!(read(folder.path()).unwrap(), Some([up.to_vec(), down.to_vec()]));
    }
}
