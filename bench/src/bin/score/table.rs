//! The score as a table: one line for each direction whose answer is known.

use crate::answer::Verdict;
use crate::expected::Expected;
use std::collections::BTreeMap;

const HEADER: &str = "# set\tfile\tdirection\texpected\tcause\tgot\tcause\tshare\tright\n";

/// One comparison.
pub(crate) struct Row {
    set: String,
    expected: Expected,
    got: Verdict,
}

/// Whether the limit is right, and whether the cause is too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Right {
    Both,
    Limit,
    Neither,
}

impl Row {
    /// Compares the verdict with what is expected.
    pub(crate) fn new(set: &str, expected: &Expected, got: Verdict) -> Self {
        Self { set: set.to_owned(), expected: expected.clone(), got }
    }

    fn right(&self) -> Right {
        match (
            allows(&self.expected.limit, &self.got.limit),
            allows(&self.expected.cause, &self.got.cause),
        ) {
            (true, true) => Right::Both,
            (true, false) => Right::Limit,
            (false, _) => Right::Neither,
        }
    }

    /// Rounded to 10 %, so that a capture made again or a detail does not change every line.
    fn line(&self) -> String {
        let right = match self.right() {
            Right::Both => "yes",
            Right::Limit => "limit",
            Right::Neither => "no",
        };
        let Expected { file, direction, limit, cause } = &self.expected;
        let (got, why) = (&self.got.limit, &self.got.cause);
        let share = self.got.share;
        format!(
            "{}\t{file}\t{direction}\t{limit}\t{cause}\t{got}\t{why}\t{share:.1}\t{right}\n",
            self.set
        )
    }
}

fn allows(expected: &str, got: &str) -> bool {
    expected == "*" || expected.split('|').any(|one| one == got)
}

/// The rows as text.
pub(crate) fn text(rows: &[Row]) -> String {
    rows.iter().fold(HEADER.to_owned(), |text, row| text + &row.line())
}

/// The new table: this run's sets, and the old rows of the sets that were not run.
pub(crate) fn merge(before: &str, rows: &[Row]) -> String {
    let run = |line: &str| rows.iter().any(|row| line.split('\t').next() == Some(&row.set));
    let kept = before.lines().filter(|line| !line.starts_with('#') && !run(line));
    kept.fold(text(rows), |text, line| text + line + "\n")
}

/// Right limits, right causes, time that is not decided and agreement between the ends, by set.
pub(crate) fn print_summary(rows: &[Row]) {
    let mut sets: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        sets.entry(&row.set).or_default().push(row);
    }
    println!("set         directions  limit right  cause right too  unknown time");
    for (set, rows) in &sets {
        let count = |test: fn(Right) -> bool| rows.iter().filter(|row| test(row.right())).count();
        let limit = count(|right| right != Right::Neither);
        let both = count(|right| right == Right::Both);
        let total: f64 = rows.iter().map(|row| row.got.unknown).sum();
        let unknown = 100.0 * total / rows.len() as f64 + 0.0;
        println!("{set:<10}  {:>10}  {limit:>11}  {both:>15}  {unknown:>10.1} %", rows.len());
    }
    for row in rows.iter().filter(|row| row.right() == Right::Neither) {
        print!("wrong: {}", row.line());
    }
}

/// Prints what changed; whether nothing did.
pub(crate) fn print_changes(before: &str, after: &str) -> bool {
    let missing = |from: &str, to: &str, sign: char| {
        for line in from.lines().filter(|line| !to.lines().any(|other| other == *line)) {
            println!("{sign} {line}");
        }
    };
    missing(before, after, '-');
    missing(after, before, '+');
    if before != after {
        println!("bench/score.tsv is not current: run `make score` and look at the difference");
    }
    before == after
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(limit: &str, cause: &str, got: (&str, &str)) -> Row {
        let expected = Expected {
            file: "f".to_owned(),
            direction: "*".to_owned(),
            limit: limit.to_owned(),
            cause: cause.to_owned(),
        };
        let (limit, cause) = (got.0.to_owned(), got.1.to_owned());
        Row::new("set", &expected, Verdict { limit, cause, share: 0.6, unknown: 0.0 })
    }

    #[test]
    fn a_cause_counts_only_with_its_limit() {
        let got = ("receive_window", "zero window");
        assert_eq!(row("receive_window", "zero window", got).right(), Right::Both);
        assert_eq!(row("receive_window|unknown", "small buffer", got).right(), Right::Limit);
        assert_eq!(row("application", "*", got).right(), Right::Neither);
    }

    #[test]
    fn no_answer_is_never_right_where_one_is_expected() {
        assert_eq!(row("send_buffer", "*", ("-", "-")).right(), Right::Neither);
    }

    #[test]
    fn sets_that_were_not_run_keep_their_rows() {
        let rows = [row("send_buffer", "*", ("send_buffer", "-"))];
        let merged = merge("# old header\nset\told\nother\tkept\n", &rows);
        assert!(merged.contains("other\tkept\n") && !merged.contains("set\told"));
    }
}
