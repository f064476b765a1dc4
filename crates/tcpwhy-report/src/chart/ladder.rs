//! Both hosts, time downwards, an arrow a packet; as in `web/src/ladder.ts`. Legs of the path are split where the capture was taken.

use super::canvas::{line, told, words};
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

/// An arrow with the heights at which it leaves its host and reaches the other.
struct Placed {
    start: i32,
    end: i32,
    arrow: Arrow,
}

/// The packets of `subject` as SVG.
///
/// # Errors
/// They are too many, or the library refuses.
pub(super) fn draw(title: &str, subject: &Subject<'_>) -> Result<String, Error> {
    let arrows = arrows(subject.picture);
    if arrows.len() > MOST {
        return Err(Error::TooMany(arrows.len(), MOST));
    }
    let height = TOP + 60 + arrows.len() as i32 * (LINE + 5);
    let placed = placed(arrows, subject.connection, height);
    paint(title, &placed, height, subject.language).map_err(Error::Draw)
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

fn placed(arrows: Vec<Arrow>, c: &Connection, height: i32) -> Vec<Placed> {
    let one_way = c.rtt.min.0 as f64 / 2.0;
    let tap = c.vantage.position.clamp(0.0, 1.0);
    // Before the capture point a packet was where it comes from, behind it it will be where it goes to.
    let ends = |a: &Arrow| {
        let part = if a.from_client { tap } else { 1.0 - tap };
        (a.time as f64 - one_way * part, a.time as f64 + one_way * (1.0 - part))
    };
    let first = arrows.iter().map(|a| ends(a).0).fold(f64::INFINITY, f64::min);
    let last = arrows.iter().map(|a| ends(a).1).fold(first, f64::max);
    let room = f64::from(height - TOP - 40);
    let y = |time: f64| TOP + 20 + ((time - first) / (last - first).max(1.0) * room) as i32;
    let place = |arrow: Arrow| {
        let (start, end) = ends(&arrow);
        Placed { start: y(start), end: y(end), arrow }
    };
    arrows.into_iter().map(place).collect()
}

fn paint(title: &str, all: &[Placed], height: i32, language: Language) -> Result<String, String> {
    let mut text = String::new();
    {
        let size = (WIDTH, height.unsigned_abs());
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&colour::GROUND).map_err(told)?;
        words(&root, title, (16, 12), 17, HPos::Left, &colour::INK)?;
        for (x, name) in HOSTS.into_iter().zip(super::words::hosts(language)) {
            words(&root, name, (x, TOP - 30), 14, HPos::Center, &colour::INK)?;
            line(&root, vec![(x, TOP - 8), (x, height - 8)], 2, false, &colour::INK_SOFT)?;
        }
        let [client, server] = HOSTS;
        for p in all {
            let (from, to) = if p.arrow.from_client { (client, server) } else { (server, client) };
            line(&root, vec![(from, p.start), (to, p.end)], 1, false, &p.arrow.ink)?;
            let back = if p.arrow.from_client { -9 } else { 9 };
            let head = vec![(to, p.end), (to + back, p.end - 5), (to + back, p.end + 3)];
            root.draw(&Polygon::new(head, p.arrow.ink.filled())).map_err(told)?;
        }
        for from_client in [true, false] {
            let own = all.iter().filter(|p| p.arrow.from_client == from_client);
            let side =
                if from_client { (client, -1, HPos::Right) } else { (server, 1, HPos::Left) };
            let mut above = i32::MIN / 2;
            // What has no room where it leaves its host stands below its neighbour, with a line to where it belongs.
            for p in own {
                let (x, way, align) = side;
                let y = p.start.max(above + LINE);
                above = y;
                let leader = vec![(x, p.start), (x + way * 16, y), (x + way * 20, y)];
                line(&root, leader, 1, false, &colour::GRID)?;
                words(&root, &p.arrow.text, (x + way * 24, y - 7), 14, align, &colour::INK)?;
            }
        }
        root.present().map_err(told)?;
    }
    Ok(text)
}
