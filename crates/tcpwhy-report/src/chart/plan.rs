//! What is in each chart, as in `web/src/charts/`.

use super::unit::Measure;
use super::{Kind, Subject, ceilings, colour, rate};
use plotters::style::RGBColor;
use std::borrow::Cow;
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
    pub(super) text: String,
    pub(super) colour: RGBColor,
    pub(super) dashed: bool,
}

/// A chart before it is drawn.
pub(super) struct Plan<'a> {
    pub(super) title: String,
    pub(super) layers: Vec<Layer<'a>>,
    pub(super) entries: Vec<Entry>,
    /// What is counted upwards, if anything is.
    pub(super) measure: Option<Measure>,
    /// Lowest and highest value.
    pub(super) values: (f64, f64),
}

/// The plan of a chart; `None` where there are no samples of sockets.
pub(super) fn plan<'a>(kind: Kind, s: &Subject<'a>) -> Option<Plan<'a>> {
    let at = usize::from(s.from == Side::Server);
    let (track, d) = (&s.picture.tracks[at], &s.connection.directions[at]);
    let mut plan = match kind {
        Kind::TimeSequence => time_sequence(track),
        Kind::Flight => flight(track, d),
        Kind::Window => window(track),
        Kind::Rtt => rtt(track, d),
        Kind::Throughput => throughput(track, d, s),
        Kind::Band => band(d),
        Kind::Samples => samples(s.picture.sockets.as_deref().map(|both| &both[at])?),
    };
    let (from, to) = (s.connection.endpoint(s.from), s.connection.endpoint(s.from.other()));
    plan.title = format!("{}: {} to {}", plan.title, end(from), end(to));
    Some(plan)
}

fn end(e: Endpoint) -> String {
    std::net::SocketAddr::new(e.addr(), e.port).to_string()
}

fn solid(text: &str, colour: RGBColor) -> Entry {
    Entry { text: text.to_owned(), colour, dashed: false }
}

fn dashed(text: &str, colour: RGBColor) -> Entry {
    Entry { text: text.to_owned(), colour, dashed: true }
}

fn stairs(series: &Series, colour: RGBColor, dashed: bool, filled: bool) -> Layer<'_> {
    Layer::Stairs { points: series.points().into(), colour, dashed, filled }
}

/// The highest value of some series; 0 where there is none.
fn highest<'a>(series: impl IntoIterator<Item = &'a Series>) -> f64 {
    let points = series.into_iter().flat_map(Series::points);
    points.map(|p| p.high).max().unwrap_or_default() as f64
}

fn time_sequence(t: &Track) -> Plan<'_> {
    let all = [&t.data, &t.resent, &t.acks];
    let lowest = all.iter().flat_map(|s| s.points()).map(|p| p.low).min().unwrap_or_default();
    Plan {
        title: "Time and sequence".to_owned(),
        layers: vec![
            stairs(&t.edge, colour::EDGE, true, false),
            stairs(&t.acks, colour::ACKS, false, false),
            Layer::Bars(&t.sacks, colour::SACKS, 1),
            Layer::Bars(&t.data, colour::DATA, 2),
            Layer::Bars(&t.resent, colour::RESENT, 4),
            Layer::Marks(&t.marks),
        ],
        entries: vec![
            solid("data", colour::DATA),
            solid("sent again", colour::RESENT),
            solid("acknowledged", colour::ACKS),
            dashed("allowed by the window", colour::EDGE),
            solid("SACK", colour::SACKS),
        ],
        measure: Some(Measure::Data),
        values: (lowest as f64, highest(all)),
    }
}

fn flight<'a>(t: &'a Track, d: &Direction) -> Plan<'a> {
    let ceilings = ceilings::ceilings(&t.flight, d);
    let of = |l: &ceilings::Level| Layer::Level(l.from, l.to, l.value as f64, l.colour);
    let levels = ceilings.iter().map(|l| l.value).max().unwrap_or_default() as f64;
    let top = highest([&t.flight]).max(levels);
    // A window far above would press the flight flat: it is drawn where it is near enough to matter.
    let window = t.window.points().iter().map(|p| p.high).min().unwrap_or(i64::MAX) as f64;
    let mut layers = vec![
        stairs(&t.flight, colour::DATA, false, true),
        stairs(&t.window, colour::EDGE, true, false),
    ];
    layers.extend(ceilings.iter().map(of));
    Plan {
        title: "Bytes in flight and their ceilings".to_owned(),
        layers,
        entries: vec![
            solid("in flight", colour::DATA),
            dashed("advertised window", colour::EDGE),
            solid("send buffer (plateau)", colour::BUFFER),
            solid("congestion window (estimate)", colour::CWND),
        ],
        measure: Some(Measure::Buffer),
        values: (0.0, if window < top * 4.0 { top.max(window) } else { top }),
    }
}

fn window(t: &Track) -> Plan<'_> {
    Plan {
        title: "Advertised window".to_owned(),
        layers: vec![stairs(&t.window, colour::EDGE, false, true)],
        entries: vec![solid("advertised window", colour::EDGE)],
        measure: Some(Measure::Buffer),
        values: (0.0, highest([&t.window])),
    }
}

fn rtt<'a>(t: &'a Track, d: &Direction) -> Plan<'a> {
    let floor = d.facts.rtt_floor;
    let mut layers = vec![Layer::Dots(&t.rtt, colour::DATA)];
    if floor > Nanos::ZERO {
        layers.insert(0, Layer::Level(Nanos(i64::MIN), Nanos::MAX, floor.0 as f64, colour::ACKS));
    }
    Plan {
        title: "Round-trip time".to_owned(),
        layers,
        entries: vec![solid("RTT", colour::DATA), solid("floor", colour::ACKS)],
        measure: Some(Measure::Time),
        values: (0.0, highest([&t.rtt]).max(floor.0 as f64)),
    }
}

fn throughput<'a>(t: &Track, d: &Direction, s: &Subject<'_>) -> Plan<'a> {
    let [sent, good] = rate::rates(t, d, s.connection);
    let top = sent.iter().chain(&good).map(|p| p.high).max().unwrap_or_default() as f64;
    let layer = |points: Vec<Point>, colour, dashed| Layer::Stairs {
        points: points.into(),
        colour,
        dashed,
        filled: !dashed,
    };
    Plan {
        title: "Throughput".to_owned(),
        layers: vec![layer(sent, colour::DATA, true), layer(good, colour::ACKS, false)],
        entries: vec![dashed("sent", colour::DATA), solid("goodput", colour::ACKS)],
        measure: Some(Measure::Rate),
        values: (0.0, top),
    }
}

fn band(d: &Direction) -> Plan<'_> {
    let mut entries: Vec<Entry> = Vec::new();
    for share in d.limits() {
        let text = limit_label(share.limit, Language::En);
        if !entries.iter().any(|e| e.text == text) {
            entries.push(solid(text, colour::limit(share.limit)));
        }
    }
    Plan {
        title: "Timeline".to_owned(),
        layers: vec![Layer::Parts(&d.timeline)],
        entries,
        measure: None,
        values: (0.0, 1.0),
    }
}

fn samples(s: &Sockets) -> Plan<'_> {
    let queues = highest([&s.send_queue, &s.send_memory, &s.receive_queue]).max(1.0);
    let ceilings = [&s.send_buffer, &s.cwnd, &s.ssthresh, &s.receive_buffer].map(|c| highest([c]));
    let top = ceilings.into_iter().filter(|c| *c < queues * 4.0).fold(queues, f64::max);
    Plan {
        title: "What the sockets held".to_owned(),
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
            solid("send queue", colour::DATA),
            dashed("its memory", colour::DATA),
            solid("send buffer", colour::BUFFER),
            solid("congestion window", colour::CWND),
            dashed("slow start threshold", colour::CWND),
            solid("receive queue", colour::ACKS),
            dashed("receive buffer", colour::ACKS),
        ],
        measure: Some(Measure::Buffer),
        values: (0.0, top),
    }
}
