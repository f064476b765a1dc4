//! One run's score: what each vantage says of each variant, against the truth.

use super::agreement::{Agreement, agreement};
use super::capture::Look;
use super::compare::{Comparison, compare};
use super::timeline::Timeline;
use super::variant::{Judged, Variant};
use serde::{Deserialize, Serialize};
use tcpwhy_core::kernel::RTO_MIN;
use tcpwhy_core::model::{Connection, Direction, Limit};
use tcpwhy_core::units::Nanos;

/// Where a capture was taken, seen from the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// At the data's sender.
    Sender,
    /// On the way.
    Middle,
    /// At its receiver.
    Receiver,
}

impl Place {
    /// All, on the data's way.
    pub const ALL: [Self; 3] = [Self::Sender, Self::Middle, Self::Receiver];

    /// As the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sender => "sender",
            Self::Middle => "middle",
            Self::Receiver => "receiver",
        }
    }
}

/// What one capture says.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Where it was taken.
    pub place: Place,
    /// How.
    pub variant: Variant,
    /// `None`: it shows nothing of the connection.
    pub connection: Option<Connection>,
    /// When the judged sender was heard of last, by the capture's clock.
    pub until: Nanos,
}

impl Seen {
    /// What `look` shows, taken at `place`.
    pub fn at(place: Place, look: Look) -> Self {
        let Look { variant, connection, until } = look;
        Self { place, variant, connection, until }
    }
}

/// What the path does to times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path {
    /// Propagation both ways: the unit of boundary errors.
    pub rtt: Nanos,
    /// How much later than at the sender data passes each place; queues are not counted.
    pub late: [Nanos; 3],
}

impl Path {
    /// How late `place` sees the data.
    pub fn late(&self, place: Place) -> Nanos {
        let [sender, middle, receiver] = self.late;
        match place {
            Place::Sender => sender,
            Place::Middle => middle,
            Place::Receiver => receiver,
        }
    }
}

/// A verdict by its published names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// The limit.
    pub limit: String,
    /// The cause.
    pub cause: Option<String>,
    /// Its share of the time, 0 to 1.
    pub share: f64,
}

/// The score of one capture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Where it was taken.
    pub place: Place,
    /// How.
    pub variant: Variant,
    /// Against the truth.
    pub comparison: Comparison,
    /// The analysis' verdict; `None` where it saw nothing.
    pub verdict: Option<Said>,
}

/// The score of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scored {
    /// The limit that held longest in truth.
    pub truth: Option<Said>,
    /// One for each capture and variant.
    pub views: Vec<View>,
    /// Of the whole captures.
    pub agreement: Option<Agreement>,
}

/// The judged direction.
pub fn direction(connection: &Connection, judged: Judged) -> &Direction {
    let [client, server] = &connection.directions;
    match judged.from {
        tcpwhy_core::model::Side::Client => client,
        tcpwhy_core::model::Side::Server => server,
    }
}

/// Scores all that was seen of a run.
pub fn measure(truth: &Timeline, seen: &[Seen], judged: Judged, path: &Path) -> Scored {
    let views = seen.iter().map(|s| view(truth, s, judged, path)).collect();
    Scored { truth: longest(truth), views, agreement: agree(truth, seen, judged, path) }
}

/// What a timeline says on the whole.
pub(super) fn longest(line: &Timeline) -> Option<Said> {
    let (limit, share) = line.longest()?;
    let cause = line.main_cause(limit).name().map(str::to_owned);
    Some(Said { limit: limit.name().to_owned(), cause, share })
}

/// The part of the truth that a capture can know of, at the sender's clock: from its first packet to the last one of the judged sender and
/// the ACKs for it. What the other end says much later, to nobody, tells nothing of the sender.
pub(super) fn visible(
    truth: &Timeline,
    seen: &Seen,
    judged: Judged,
    path: &Path,
) -> (Nanos, Nanos) {
    let Some((from, to)) = truth.bounds() else { return (Nanos::ZERO, Nanos::ZERO) };
    let Some(c) = &seen.connection else { return (from, to) };
    let late = path.late(seen.place);
    let answered = direction(c, judged).timeline.last().map_or(c.start, |last| last.to);
    let (start, end) = (c.start - late, seen.until.max(answered) - late);
    let end = unheard(truth, end, path).unwrap_or(end);
    (from.max(start), to.min(end).max(from.max(start)))
}

/// Where the path falls silent for good before `end`, and nothing that a timer sent into the silence was heard: the last words were on
/// their way still, and a capture that ends with them cannot know that nobody answered.
fn unheard(truth: &Timeline, end: Nanos, path: &Path) -> Option<Nanos> {
    let silence = truth.spans().last().filter(|last| last.limit == Limit::SilentPath)?;
    // A probe comes after two round trips (RFC 8985 section 7.2).
    let first_timer = RTO_MIN.max(path.rtt.scale(2, 1));
    (end > silence.from && end - silence.from < first_timer).then_some(silence.from)
}

fn line(seen: &Seen, judged: Judged, path: &Path) -> Timeline {
    let of = |c| Timeline::of(direction(c, judged), path.late(seen.place));
    seen.connection.as_ref().map(of).unwrap_or_default()
}

fn view(truth: &Timeline, seen: &Seen, judged: Judged, path: &Path) -> View {
    let window = visible(truth, seen, judged, path);
    let comparison = compare(truth, &line(seen, judged, path), window, path.rtt);
    let verdict = seen.connection.as_ref().map(|c| {
        let v = direction(c, judged).verdict;
        let cause = v.cause.name().map(str::to_owned);
        Said { limit: v.limit.name().to_owned(), cause, share: v.share }
    });
    View { place: seen.place, variant: seen.variant, comparison, verdict }
}

fn agree(truth: &Timeline, seen: &[Seen], judged: Judged, path: &Path) -> Option<Agreement> {
    let whole = |place| seen.iter().find(|s| s.place == place && s.variant == Variant::Whole);
    let [sender, middle, receiver] = Place::ALL.map(whole);
    let at = [sender?, middle?, receiver?];
    let lines = at.map(|s| line(s, judged, path));
    let windows = at.map(|s| visible(truth, s, judged, path));
    let from = windows.iter().map(|w| w.0).max()?;
    let to = windows.iter().map(|w| w.1).min()?.max(from);
    let [sender, middle, receiver] = &lines;
    Some(agreement([sender, middle, receiver], (from, to)))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::capture::analyse_segments;
    use super::super::timeline::Span;
    use super::*;
    use tcpwhy_core::model::{Cause, Side};
    use tcpwhy_core::whatif::traffic::{Scenario, Trace, Workload, simulate};

    pub(crate) const JUDGED: Judged = Judged { port: 80, from: Side::Server };

    fn truth(trace: &Trace) -> Timeline {
        let span = |t: &tcpwhy_core::whatif::traffic::TruthInterval| Span {
            from: t.from,
            to: t.to,
            limit: t.limit,
            cause: t.cause,
            confidence: 100,
        };
        Timeline::new(trace.truth().iter().map(span).collect())
    }

    /// The score of a simulated run.
    pub(crate) fn simulated(scenario: &Scenario, variants: &[Variant]) -> Scored {
        let trace = simulate(scenario);
        let leg = scenario.rtt.scale(1, 2);
        let path = Path { rtt: scenario.rtt, late: [Nanos::ZERO, leg.scale(1, 2), leg] };
        let mut seen = Vec::new();
        for (place, at) in Place::ALL.into_iter().zip([0.0, 0.5, 1.0]) {
            let all = analyse_segments(&trace.capture(at), JUDGED, variants, 1);
            seen.extend(all.into_iter().map(|look| Seen::at(place, look)));
        }
        measure(&truth(&trace), &seen, JUDGED, &path)
    }

    pub(crate) fn send_buffer() -> Scenario {
        Scenario {
            send_buffer: 16 * 1024,
            workload: Workload { message_bytes: 1_000_000, ..Workload::default() },
            ..Scenario::default()
        }
    }

    #[test]
    fn a_plain_case_is_told_rightly_from_everywhere() {
        let scored = simulated(&send_buffer(), &[Variant::Whole]);
        assert_eq!(scored.truth.as_ref().map(|t| t.limit.as_str()), Some("send_buffer"));
        assert_eq!(scored.views.len(), 3);
        for view in &scored.views {
            let recall = view.comparison.confusion.recall(Limit::SendBuffer).unwrap();
            assert!(recall > 0.9, "{}: {recall}", view.place.name());
        }
        let agreement = scored.agreement.unwrap();
        assert!(agreement.same * 10 > agreement.all * 9, "{agreement:?}");
        assert!(agreement.same <= agreement.ends && agreement.ends <= agreement.all);
    }

    #[test]
    fn every_variant_is_scored_over_what_it_could_see() {
        let scored = simulated(&send_buffer(), &Variant::ALL);
        assert_eq!(scored.views.len(), 15);
        for view in &scored.views {
            let confusion = &view.comparison.confusion;
            assert!(confusion.total() > 0, "{view:?}");
            let whole = scored.views.iter().find(|v| v.place == view.place).unwrap();
            let less = confusion.total() < whole.comparison.confusion.total();
            assert!(less || view.variant != Variant::NoSyn, "{view:?}");
        }
    }

    #[test]
    fn who_heard_only_the_last_words_is_not_asked_about_the_silence_after_them() {
        let ms = Nanos::from_millis;
        let span = |from, to, limit| Span {
            from: ms(from),
            to: ms(to),
            limit,
            cause: Cause::None,
            confidence: 100,
        };
        let truth = Timeline::new(vec![
            span(0, 1000, Limit::PathBandwidth),
            span(1000, 9000, Limit::SilentPath),
        ]);
        let path = Path { rtt: ms(20), late: [Nanos::ZERO, ms(5), ms(10)] };
        assert_eq!(unheard(&truth, ms(1020), &path), Some(ms(1000)));
        assert_eq!(unheard(&truth, ms(1250), &path), None, "a timer's data was heard");
        assert_eq!(unheard(&truth, ms(900), &path), None);
    }
}
