//! What is in each chart, as in `web/src/charts/`.

use super::unit::Measure;
use super::words::{self, Key};
use super::{Kind, Subject, ceilings, colour, rate};
use plotters::style::RGBColor;
use std::borrow::Cow;
use std::net::SocketAddr;
use tcpwhy_core::advice::quantity::buffer;
use tcpwhy_core::advice::{Language, limit_label};
use tcpwhy_core::model::{Direction, Interval, Side};
use tcpwhy_core::observe::Endpoint;
use tcpwhy_core::picture::{Mark, Point, Series, Sockets, Track};
use tcpwhy_core::units::Nanos;

/// A symbol's moment: its kind, time, place and frame.
pub(super) type Marked = (Mark, Nanos, i64, u64);

/// One thing that is drawn, those above later.
pub(super) enum Layer<'a> {
    /// Points from their low to their high value, so many pixels wide.
    Bars(&'a Series, RGBColor, i32),
    /// A value that holds until the next one.
    Stairs { points: Cow<'a, [Point]>, colour: RGBColor, dashed: bool, filled: bool },
    /// Single measurements.
    Dots(&'a Series, RGBColor),
    /// A value that holds from a moment to another.
    Level(Nanos, Nanos, f64, RGBColor),
    /// Symbols.
    Marks(&'a [Marked]),
    /// Limits, from top to bottom.
    Parts(&'a [Interval]),
}

/// An entry of the legend.
pub(super) struct Entry {
    pub(super) text: Cow<'static, str>,
    pub(super) colour: RGBColor,
    pub(super) dashed: bool,
}

/// A chart before it is drawn.
pub(super) struct Plan<'a> {
    pub(super) layers: Vec<Layer<'a>>,
    pub(super) entries: Vec<Entry>,
    /// What is counted upwards, if anything is.
    pub(super) measure: Option<Measure>,
    /// Lowest and highest value.
    pub(super) values: (f64, f64),
}

/// The plan of a chart with axes; `None` where there are no samples of sockets.
pub(super) fn plan<'a>(kind: Kind, s: &Subject<'a>) -> Option<Plan<'a>> {
    let at = usize::from(s.from == Side::Server);
    let (track, d) = (&s.picture.tracks[at], &s.connection.directions[at]);
    Some(match kind {
        Kind::TimeSequence => time_sequence(track, s.language),
        Kind::Flight => flight(track, d, s.language),
        Kind::Window => window(track, s.language),
        Kind::Rtt => rtt(track, d, s.language),
        Kind::Throughput => throughput(track, d, s),
        Kind::Band => band(d, s.language),
        Kind::Samples => samples(s.picture.sockets.as_deref().map(|both| &both[at])?, s.language),
        Kind::Ladder | Kind::Warehouses => return None,
    })
}

/// The title of a chart.
pub(super) fn title(kind: Kind, s: &Subject<'_>) -> String {
    let end = |e: Endpoint| SocketAddr::new(e.addr(), e.port).to_string();
    let (from, to) = (s.connection.endpoint(s.from), s.connection.endpoint(s.from.other()));
    words::title(s.language, kind, &end(from), &end(to))
}

/// Makes the entries of a legend in one language: of lines, and of dashed ones.
fn entries(language: Language) -> [impl Fn(Key, RGBColor) -> Entry; 2] {
    [false, true].map(|dashed| {
        move |key, colour| Entry { text: words::key(language, key).into(), colour, dashed }
    })
}

fn stairs(series: &Series, colour: RGBColor, dashed: bool, filled: bool) -> Layer<'_> {
    Layer::Stairs { points: series.points().into(), colour, dashed, filled }
}

/// The highest value of some series; 0 where there is none.
pub(super) fn highest<'a>(series: impl IntoIterator<Item = &'a Series>) -> f64 {
    let points = series.into_iter().flat_map(Series::points);
    points.map(|p| p.high).max().unwrap_or_default() as f64
}

fn time_sequence(t: &Track, language: Language) -> Plan<'_> {
    let [solid, dashed] = entries(language);
    let all = [&t.data, &t.resent, &t.acks];
    let lowest = all.iter().flat_map(|s| s.points()).map(|p| p.low).min().unwrap_or_default();
    Plan {
        layers: vec![
            stairs(&t.edge, colour::EDGE, true, false),
            stairs(&t.acks, colour::ACKS, false, false),
            Layer::Bars(&t.sacks, colour::SACKS, 1),
            Layer::Bars(&t.data, colour::DATA, 2),
            Layer::Bars(&t.resent, colour::RESENT, 4),
            Layer::Marks(&t.marks),
        ],
        entries: vec![
            solid(Key::Data, colour::DATA),
            solid(Key::Resent, colour::RESENT),
            solid(Key::Acks, colour::ACKS),
            dashed(Key::Edge, colour::EDGE),
            solid(Key::Sacks, colour::SACKS),
        ],
        measure: Some(Measure::Data),
        values: (lowest as f64, highest(all)),
    }
}

fn flight<'a>(t: &'a Track, d: &Direction, language: Language) -> Plan<'a> {
    let [solid, dashed] = entries(language);
    let ceilings = ceilings::ceilings(&t.flight, d);
    let of = |l: &ceilings::Level| Layer::Level(l.from, l.to, l.value as f64, l.colour);
    let levels = ceilings.iter().map(|l| l.value).max().unwrap_or_default() as f64;
    let top = highest([&t.flight]).max(levels);
    // A window far above would press the flight flat: it is drawn as far as it is near enough to matter.
    let lowest = t.window.points().iter().map(|p| p.high).min().unwrap_or(i64::MAX) as f64;
    let window = [lowest, highest([&t.window])].into_iter().filter(|edge| *edge < top * 4.0);
    let values = (0.0, window.fold(top, f64::max));
    let mut layers = vec![
        stairs(&t.flight, colour::DATA, false, true),
        stairs(&t.window, colour::EDGE, true, false),
    ];
    layers.extend(ceilings.iter().map(of));
    Plan {
        layers,
        entries: vec![
            solid(Key::Flight, colour::DATA),
            above(dashed(Key::Window, colour::EDGE), &t.window, values.1),
            solid(Key::Plateau, colour::BUFFER),
            solid(Key::Cwnd, colour::CWND),
        ],
        measure: Some(Measure::Buffer),
        values,
    }
}

/// Names how high a series goes that leaves the picture at its `top`, so that nobody looks for its line.
fn above(mut entry: Entry, series: &Series, top: f64) -> Entry {
    let most = highest([series]);
    if most > top {
        entry.text = format!("{} ↑ {}", entry.text, buffer(most as u64)).into();
    }
    entry
}

fn window(t: &Track, language: Language) -> Plan<'_> {
    let [solid, _] = entries(language);
    Plan {
        layers: vec![stairs(&t.window, colour::EDGE, false, true)],
        entries: vec![solid(Key::Window, colour::EDGE)],
        measure: Some(Measure::Buffer),
        values: (0.0, highest([&t.window])),
    }
}

fn rtt<'a>(t: &'a Track, d: &Direction, language: Language) -> Plan<'a> {
    let [solid, _] = entries(language);
    let floor = d.facts.rtt_floor;
    let mut layers = vec![Layer::Dots(&t.rtt, colour::DATA)];
    if floor > Nanos::ZERO {
        layers.insert(0, Layer::Level(Nanos(i64::MIN), Nanos::MAX, floor.0 as f64, colour::ACKS));
    }
    Plan {
        layers,
        entries: vec![solid(Key::Rtt, colour::DATA), solid(Key::RttFloor, colour::ACKS)],
        measure: Some(Measure::Time),
        values: (0.0, highest([&t.rtt]).max(floor.0 as f64)),
    }
}

fn throughput<'a>(t: &Track, d: &Direction, s: &Subject<'_>) -> Plan<'a> {
    let [solid, dashed] = entries(s.language);
    let [sent, good] = rate::rates(t, d, s.connection);
    let top = sent.iter().chain(&good).map(|p| p.high).max().unwrap_or_default() as f64;
    let layer = |points: Vec<Point>, colour, dashed| Layer::Stairs {
        points: points.into(),
        colour,
        dashed,
        filled: !dashed,
    };
    Plan {
        layers: vec![layer(sent, colour::DATA, true), layer(good, colour::ACKS, false)],
        entries: vec![dashed(Key::Sent, colour::DATA), solid(Key::Goodput, colour::ACKS)],
        measure: Some(Measure::Rate),
        values: (0.0, top),
    }
}

fn band(d: &Direction, language: Language) -> Plan<'_> {
    let mut entries: Vec<Entry> = Vec::new();
    for share in d.limits() {
        let text = limit_label(share.limit, language);
        if !entries.iter().any(|e| e.text == text) {
            let colour = colour::limit(share.limit);
            entries.push(Entry { text: text.into(), colour, dashed: false });
        }
    }
    Plan { layers: vec![Layer::Parts(&d.timeline)], entries, measure: None, values: (0.0, 1.0) }
}

fn samples(s: &Sockets, language: Language) -> Plan<'_> {
    let [solid, dashed] = entries(language);
    let queues = highest([&s.send_queue, &s.send_memory, &s.receive_queue]).max(1.0);
    let ceilings = [&s.send_buffer, &s.cwnd, &s.ssthresh, &s.receive_buffer].map(|c| highest([c]));
    let top = ceilings.into_iter().filter(|c| *c < queues * 4.0).fold(queues, f64::max);
    Plan {
        layers: vec![
            stairs(&s.send_queue, colour::DATA, false, true),
            stairs(&s.send_memory, colour::DATA, true, false),
            stairs(&s.send_buffer, colour::BUFFER, false, false),
            stairs(&s.cwnd, colour::CWND, false, false),
            stairs(&s.ssthresh, colour::CWND, true, false),
            stairs(&s.receive_queue, colour::ACKS, false, false),
            stairs(&s.receive_buffer, colour::ACKS, true, false),
        ],
        entries: vec![
            solid(Key::SendQueue, colour::DATA),
            dashed(Key::SendMemory, colour::DATA),
            solid(Key::SendBuffer, colour::BUFFER),
            solid(Key::SampledCwnd, colour::CWND),
            dashed(Key::Ssthresh, colour::CWND),
            solid(Key::ReceiveQueue, colour::ACKS),
            dashed(Key::ReceiveBuffer, colour::ACKS),
        ],
        measure: Some(Measure::Buffer),
        values: (0.0, top),
    }
}
