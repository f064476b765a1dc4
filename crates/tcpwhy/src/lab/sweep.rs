//! `tcpwhy lab sweep`: a scenario over all combinations of some values.

use clap::Args;
use std::path::PathBuf;

/// For `--help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  tcpwhy lab sweep send-buffer-16k-20ms --set link.rtt=1ms,10ms,100ms --set server.sndbuf=4K..64K
                                         all combinations: goodput and limits, sweep/sweep.csv
  tcpwhy lab sweep my.toml --set link.rate=10mbit..1gbit -o rates --keep
  tcpwhy lab sweep reader-limited-1k --set link.rtt=1ms..200ms --jobs 4
                                         four runs at once: slow transfers leave the machine idle

A range doubles from its first end to its last. An interrupted sweep goes on where it ended,
whatever interrupted it.
A rate with a ? was measured over a link that the machine was too busy for: run it with fewer jobs.

Exit status: 0 done, 2 error or interrupted.";

/// What to sweep.
#[derive(Debug, Args)]
pub(crate) struct Sweep {
    /// Name of a scenario, or a file that ends in .toml
    #[arg(value_name = "SCENARIO")]
    scenario: String,
    /// A key and its values, as link.rtt=1ms,10ms or server.sndbuf=4K..1M; may be given several times
    #[arg(long, value_name = "KEY=VALUES", required = true)]
    set: Vec<String>,
    /// Results are kept here, and not run again
    #[arg(short, long, value_name = "FOLDER", default_value = "sweep")]
    output: PathBuf,
    /// Runs at once; with more than one, transfers that need the whole machine disturb each other
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Keep the captures of each run, too
    #[arg(long)]
    keep: bool,
    /// The published sizes instead of those that run in seconds
    #[arg(long)]
    full: bool,
}

#[cfg(target_os = "linux")]
pub(super) use linux::run;

#[cfg(target_os = "linux")]
mod linux {
    use super::Sweep;
    use crate::error::Error;
    use crate::lab::become_root;
    use crate::lab::progress::Progress;
    use crate::output::line_width;
    use crate::{interrupt, say};
    use anstyle::{AnsiColor, Style};
    use std::fs::File;
    use std::io::{self, Write};
    use std::process::ExitCode;
    use tcpwhy_core::advice::quantity;
    use tcpwhy_lab::scenario::{Source, combinations, expand};
    use tcpwhy_lab::sweep::{self as lab, Nature, Row, write_csv};

    /// Above this many combinations somebody meant another range.
    const MOST: usize = 10_000;
    /// Columns of the terminal for one combination: no rate with its limit is longer.
    const CELL: usize = 30;

    /// Runs.
    ///
    /// # Errors
    /// The scenario or a value is wrong, or the machine does not allow it.
    pub(crate) fn run(args: &Sweep) -> Result<ExitCode, Error> {
        let source = Source::find(&args.scenario)?;
        let lists = args.set.iter().map(|s| expand(s)).collect::<Result<Vec<_>, _>>()?;
        let count = lists.iter().map(Vec::len).fold(1_usize, usize::saturating_mul);
        if count > MOST {
            return Err(Error::Lab(format!(
                "{count} combinations are more than {MOST}: name fewer values"
            )));
        }
        become_root()?;
        let stop = interrupt::flag();
        let sweep = lab::Sweep {
            source: &source,
            full: args.full,
            combinations: combinations(&lists),
            folder: &args.output,
            keep: args.keep,
            jobs: args.jobs.into(),
        };
        let mut progress = Progress::new(count);
        let rows = sweep.run(&stop, |row, nature| match nature {
            Nature::Kept => progress.kept(),
            Nature::Run => progress.ran(&line(row)),
        });
        progress.clear();
        let rows = rows.map_err(|e| Error::Lab(e.to_string()))?;
        let path = args.output.join("sweep.csv");
        let ran: Vec<&Row> = rows.iter().flatten().collect();
        let table = File::create(&path).map_err(|e| Error::Page(path.display().to_string(), e))?;
        write_csv(table, &ran).map_err(|e| Error::Lab(e.to_string()))?;
        let keys: Vec<_> = lists.iter().map(Vec::len).collect();
        show(&mut anstream::stdout().lock(), &rows, &keys).map_err(Error::Write)?;
        say(&format!("wrote {}", path.display()));
        if ran.len() < count {
            let text =
                format!("interrupted after {} of {count}; the same command goes on", ran.len());
            return Err(Error::Lab(text));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn line(row: &Row) -> String {
        let rate = quantity::rate(row.goodput_bps);
        format!("{}: {rate}, {}", row.values.join(" "), row.limit.replace('_', " "))
    }

    /// Two keys of several values make a heat map, the last one across, whatever else is set to one value; otherwise a line a
    /// combination. What was not run stays empty.
    fn show(out: &mut impl Write, rows: &[Option<Row>], lists: &[usize]) -> io::Result<()> {
        let best = rows.iter().flatten().map(|r| r.goodput_bps).max().unwrap_or(0);
        let several: Vec<usize> = (0..lists.len()).filter(|key| lists[*key] > 1).collect();
        let keys = match (several.as_slice(), lists) {
            ([down, across], _) => Some([*down, *across]),
            // One value is a value all the same.
            (_, [_, _]) => Some([0, 1]),
            _ => None,
        };
        match keys {
            Some(keys) => map(out, rows, keys, lists[keys[1]], best)?,
            None => {
                for row in rows.iter().flatten() {
                    writeln!(out, "{}  {}", cell(row, best), row.values.join(" "))?;
                }
            }
        }
        out.flush()
    }

    /// A heat map; what the terminal is too narrow for stands below.
    fn map(
        out: &mut impl Write,
        rows: &[Option<Row>],
        [down, right]: [usize; 2],
        across: usize,
        best: u64,
    ) -> io::Result<()> {
        let value = |text: &str| text.split_once('=').map_or(text, |(_, v)| v).to_owned();
        let across = across.max(1);
        let lines: Vec<_> = rows.chunks(across).collect();
        let names: Vec<_> = lines.iter().map(|line| named(line.iter(), down)).collect();
        let wide = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let columns: Vec<usize> = (0..across).collect();
        for (part, columns) in columns.chunks(fitting(line_width(), wide)).enumerate() {
            write!(out, "{}{:wide$}", if part > 0 { "\n" } else { "" }, "")?;
            for &column in columns {
                let column = rows.iter().skip(column).step_by(across);
                write!(out, "  {:>CELL$}", value(&named(column, right)))?;
            }
            writeln!(out)?;
            for (line, name) in lines.iter().zip(&names) {
                write!(out, "{name:wide$}")?;
                for &column in columns {
                    let row = line.get(column).and_then(Option::as_ref);
                    let cell = row.map_or_else(|| " ".repeat(CELL), |row| cell(row, best));
                    write!(out, "  {cell}")?;
                }
                writeln!(out)?;
            }
        }
        Ok(())
    }

    /// Columns of a heat map that fit beside names of `wide` columns.
    fn fitting(terminal: usize, wide: usize) -> usize {
        (terminal.saturating_sub(wide) / (CELL + 2)).max(1)
    }

    /// The key and value that these have in common, by the first that was run.
    fn named<'a>(mut rows: impl Iterator<Item = &'a Option<Row>>, key: usize) -> String {
        rows.find_map(|row| row.as_ref()?.values.get(key)).cloned().unwrap_or_default()
    }

    /// Goodput and limit: the nearer to the best, the greener.
    fn cell(row: &Row, best: u64) -> String {
        let style: Style = match (row.goodput_bps, best) {
            (mine, best) if mine >= best / 2 => AnsiColor::Green.on_default(),
            (mine, best) if mine >= best / 10 => AnsiColor::Yellow.on_default(),
            _ => AnsiColor::Red.on_default(),
        };
        let doubt = if row.faithful { "" } else { "?" };
        let text =
            format!("{}{doubt} {}", quantity::rate(row.goodput_bps), row.limit.replace('_', " "));
        format!("{style}{text:>CELL$.CELL$}{style:#}")
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_map_has_as_many_columns_as_fit_and_at_least_one() {
            assert_eq!([20, 80, 110, 141].map(|width| fitting(width, 13)), [1, 2, 3, 4]);
            assert!(fitting(usize::MAX, 13) > MOST);
        }
    }
}
