//! Both hosts, time downwards, an arrow a packet; as in `web/src/ladder.ts`. Legs of the path are split where the capture was taken.

use super::canvas::{Area, Done, line, sheet, told, words};
use super::{Error, Subject, colour};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;
use std::collections::BTreeMap;
use tcpwhy_core::advice::Language;
use tcpwhy_core::model::Connection;
use tcpwhy_core::picture::{Mark, Picture, Series};

/// More arrows than this are a thicket.
const MOST: usize = 80;
/// Pixels: the drawing, the hosts, the first line of text, a line of text.
const WIDTH: u32 = 1200;
const HOSTS: [i32; 2] = [330, 870];
const TOP: i32 = 78;
const LINE: i32 = 17;

/// A packet: when it was captured, at whose side it begins, what it carries.
struct Arrow {
    time: i64,
    from_client: bool,
    ink: RGBColor,
    text: String,
}

/// The packets of `subject` as SVG.
///
/// # Errors
/// There are none, or too many, or the library refuses.
pub(super) fn draw(title: &str, subject: &Subject<'_>) -> Result<String, Error> {
    let arrows = arrows(subject.picture);
    if arrows.len() > MOST {
        return Err(Error::TooMany(arrows.len(), MOST));
    }
    if arrows.is_empty() {
        return Err(Error::NoPackets(subject.connection.id));
    }
    let height = TOP + 60 + arrows.len() as i32 * (LINE + 5);
    let scale = Scale::of(&arrows, subject.connection, height);
    paint(title, &arrows, &scale, subject.language).map_err(Error::Draw)
}

/// A packet with data carries an ACK, too: it is one arrow, and the data names it.
fn arrows(picture: &Picture) -> Vec<Arrow> {
    let [up, down] = &picture.tracks;
    let mut found: BTreeMap<u64, Arrow> = BTreeMap::new();
    for (own, other, from_client) in [(up, down, true), (down, up, false)] {
        let mut add = |series: &Series, ink, text: fn(i64, i64) -> String| {
            for p in series.points().iter().filter(|p| picture.shows(p.from)) {
                let text = format!("{}: {}", p.frame, text(p.low, p.high));
                let arrow = Arrow { time: p.from.0, from_client, ink, text };
                found.entry(p.frame).or_insert(arrow);
            }
        };
        // Counted from 1, as Wireshark's relative numbers are: the SYN has number 0.
        let data = |low: i64, high: i64| format!("{} + {} B", low + 1, high - low);
        add(&own.data, colour::DATA, data);
        add(&own.resent, colour::RESENT, data);
        add(&other.acks, colour::ACKS, |_, ack| format!("ACK {}", ack + 1));
    }
    for (track, from_client) in [(up, true), (down, false)] {
        for (mark, time, _, frame) in &track.marks {
            let flag = match mark {
                Mark::Syn => "SYN",
                Mark::Fin => "FIN",
                Mark::Rst => "RST",
                _ => continue,
            };
            let alone = || Arrow {
                time: time.0,
                from_client,
                ink: colour::ACKS,
                text: format!("{frame}:"),
            };
            let arrow = found.entry(*frame).or_insert_with(alone);
            arrow.text = arrow.text.replacen(':', &format!(": {flag}"), 1);
        }
    }
    let mut arrows: Vec<_> = found.into_values().collect();
    arrows.sort_by_key(|a| a.time);
    arrows
}

/// From moments to heights.
struct Scale {
    /// ns, of the connection's first packet and of the first and last that is drawn.
    start: i64,
    first: f64,
    last: f64,
    /// Half a round trip, and the part of it between the client and the capture point.
    one_way: f64,
    tap: f64,
    /// Pixels of the drawing.
    height: i32,
}

impl Scale {
    fn of(arrows: &[Arrow], c: &Connection, height: i32) -> Self {
        let one_way = c.rtt.min.0 as f64 / 2.0;
        let tap = c.vantage.position.clamp(0.0, 1.0);
        let mut scale = Self { start: c.start.0, first: 0.0, last: 0.0, one_way, tap, height };
        let ends = arrows.iter().map(|a| scale.ends(a));
        let (first, last) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), end| {
            (first.min(end.0), last.max(end.1))
        });
        (scale.first, scale.last) = (first, last);
        scale
    }

    /// When a packet left its host and reached the other: before the capture point it was on its way, and behind it it still is.
    fn ends(&self, a: &Arrow) -> (f64, f64) {
        let part = if a.from_client { self.tap } else { 1.0 - self.tap };
        let time = a.time as f64;
        (time - self.one_way * part, time + self.one_way * (1.0 - part))
    }

    fn y(&self, time: f64) -> i32 {
        let room = f64::from(self.height - TOP - 40);
        TOP + 20 + ((time - self.first) / (self.last - self.first).max(1.0) * room) as i32
    }

    /// Round times since the connection's start, with their heights.
    fn ticks(&self) -> Vec<(i32, String)> {
        let start = self.start as f64;
        let (from, to) = (self.first - start, self.last - start);
        let rough = ((to - from) / f64::from(self.height / 90)).max(10.0);
        let power = 10_f64.powf(rough.log10().floor());
        let step = power * [2.0, 5.0, 10.0].into_iter().find(|n| n * power > rough).unwrap_or(10.0);
        // As many digits of a millisecond as tell neighbours apart.
        let places = (6.0 - step.log10().floor()).clamp(0.0, 6.0) as usize;
        let at = |n: i64| {
            let time = n as f64 * step;
            (self.y(time + start), format!("{:.places$} ms", time / 1e6))
        };
        ((from / step).ceil() as i64..=(to / step).floor() as i64).map(at).collect()
    }
}

fn paint(title: &str, all: &[Arrow], scale: &Scale, language: Language) -> Result<String, String> {
    let height = scale.height;
    sheet((WIDTH, height.unsigned_abs()), title, |root| {
        for (x, name) in HOSTS.into_iter().zip(super::words::hosts(language)) {
            words(root, name, (x, TOP - 30), 14, HPos::Center, &colour::INK)?;
            line(root, vec![(x, TOP - 8), (x, height - 8)], 2, false, &colour::INK_SOFT)?;
        }
        times(root, scale)?;
        for arrow in all {
            draw_arrow(root, arrow, scale)?;
        }
        for from_client in [true, false] {
            labels(root, all.iter().filter(|a| a.from_client == from_client), scale)?;
        }
        Ok(())
    })
}

fn times(root: &Area<'_>, scale: &Scale) -> Done {
    let [client, server] = HOSTS;
    for (y, text) in scale.ticks() {
        line(root, vec![(client, y), (server, y)], 1, false, &colour::GRID)?;
        let middle = ((client + server) / 2, y - 16);
        words(root, &text, middle, 13, HPos::Center, &colour::INK_SOFT)?;
    }
    Ok(())
}

fn draw_arrow(root: &Area<'_>, arrow: &Arrow, scale: &Scale) -> Done {
    let [client, server] = HOSTS;
    let (from, to, back) =
        if arrow.from_client { (client, server, -9) } else { (server, client, 9) };
    let (start, end) = scale.ends(arrow);
    let (start, end) = (scale.y(start), scale.y(end));
    line(root, vec![(from, start), (to, end)], 1, false, &arrow.ink)?;
    let head = vec![(to, end), (to + back, end - 5), (to + back, end + 3)];
    root.draw(&Polygon::new(head, arrow.ink.filled())).map_err(told)
}

/// What has no room where it leaves its host stands below its neighbour, with a line to where it belongs.
fn labels<'a>(root: &Area<'_>, own: impl Iterator<Item = &'a Arrow>, scale: &Scale) -> Done {
    let [client, server] = HOSTS;
    let mut above = i32::MIN / 2;
    for arrow in own {
        let (x, way, align) =
            if arrow.from_client { (client, -1, HPos::Right) } else { (server, 1, HPos::Left) };
        let start = scale.y(scale.ends(arrow).0);
        let y = start.max(above + LINE);
        above = y;
        let leader = vec![(x, start), (x + way * 16, y), (x + way * 20, y)];
        line(root, leader, 1, false, &colour::GRID)?;
        words(root, &arrow.text, (x + way * 24, y - 7), 14, align, &colour::INK)?;
    }
    Ok(())
}
